# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Trains a layer with FlexAttention: a score function, and a causal block mask; compiled with --compile."""
import sys

import torch
from torch.nn.attention.flex_attention import create_block_mask, flex_attention

attention = torch.compile(flex_attention) if "--compile" in sys.argv else flex_attention
project = torch.nn.Linear(256, 3 * 256).cuda()
slopes = torch.tensor([0.5, 0.25, 0.125, 0.0625]).cuda()
mask = create_block_mask(lambda b, h, q, k: q >= k, B=None, H=None, Q_LEN=512, KV_LEN=512, device="cuda")
optimizer = torch.optim.AdamW(project.parameters(), lr=1e-3)
for step in range(6):
    q, k, v = project(torch.randn(2, 512, 256).cuda()).view(2, 512, 3, 4, 64).permute(2, 0, 3, 1, 4)
    out = attention(q, k, v, score_mod=lambda score, b, h, i, j: score - slopes[h] * (i - j), block_mask=mask)
    loss = out.pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(step, loss.item())
