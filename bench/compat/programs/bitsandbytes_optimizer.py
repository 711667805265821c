# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Trains with AdamW whose state has 8 bits."""
import bitsandbytes as bnb
import torch
from transformers import GPT2Config, GPT2LMHeadModel

model = GPT2LMHeadModel(GPT2Config(n_layer=4, n_head=4, n_embd=256, vocab_size=5000)).cuda()
optimizer = bnb.optim.AdamW8bit(model.parameters(), lr=1e-4)
for step in range(10):
    tokens = torch.randint(0, 5000, (4, 128)).cuda()
    loss = model(input_ids=tokens, labels=tokens).loss
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(step, loss.item())
