# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Trains a small Llama on sentences of unequal length, padded to the longest."""
import torch
from transformers import LlamaConfig, LlamaForCausalLM

config = LlamaConfig(hidden_size=256, intermediate_size=512, num_hidden_layers=4, num_attention_heads=4, vocab_size=5000)
model = LlamaForCausalLM(config).cuda()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
for step in range(10):
    lengths = torch.randint(20, 200, (8,))
    mask = (torch.arange(lengths.max())[None] < lengths[:, None]).long()
    tokens = torch.randint(0, 5000, mask.shape) * mask
    labels = tokens.masked_fill(mask == 0, -100)
    loss = model(input_ids=tokens.cuda(), attention_mask=mask.cuda(), labels=labels.cuda()).loss
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(step, loss.item())
