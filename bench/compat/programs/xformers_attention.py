# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Trains with xformers' memory-efficient attention over sequences of unequal length."""
import torch
from xformers.ops import memory_efficient_attention
from xformers.ops.fmha import BlockDiagonalMask

project = torch.nn.Linear(256, 3 * 256).cuda().half()
mask = BlockDiagonalMask.from_seqlens([100, 37, 250])
optimizer = torch.optim.SGD(project.parameters(), lr=1e-3)
for step in range(6):
    q, k, v = project(torch.randn(1, 387, 256).cuda().half()).view(1, 387, 3, 4, 64).unbind(2)
    loss = memory_efficient_attention(q, k, v, attn_bias=mask).float().pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(step, loss.item())
