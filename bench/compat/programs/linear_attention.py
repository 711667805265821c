# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Trains gated linear attention, which is written in Triton."""
import torch
from fla.models import GLAConfig, GLAForCausalLM

config = GLAConfig(hidden_size=256, num_hidden_layers=2, num_heads=2, vocab_size=5000)
model = GLAForCausalLM(config).cuda().to(torch.bfloat16)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
for step in range(10):
    tokens = torch.randint(0, 5000, (2, 256)).cuda()
    loss = model(input_ids=tokens, labels=tokens).loss
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(step, loss.item())
