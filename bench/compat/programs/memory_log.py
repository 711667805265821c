# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Trains and logs the allocator's memory in each step."""
import torch

model = torch.nn.Sequential(torch.nn.Linear(1024, 4096), torch.nn.ReLU(), torch.nn.Linear(4096, 10)).cuda()
optimizer = torch.optim.AdamW(model.parameters())
for step in range(10):
    rows = 64 + 32 * step
    loss = torch.nn.functional.cross_entropy(model(torch.randn(rows, 1024).cuda()), torch.zeros(rows).long().cuda())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(step, loss.item(), torch.cuda.max_memory_allocated() >> 20, torch.cuda.max_memory_reserved() >> 20)
