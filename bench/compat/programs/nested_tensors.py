# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Trains attention over jagged nested tensors."""
import torch

project, out = torch.nn.Linear(128, 3 * 128).cuda(), torch.nn.Linear(128, 128).cuda()
optimizer = torch.optim.AdamW([*project.parameters(), *out.parameters()], lr=1e-3)
for step in range(6):
    sentences = [torch.randn(length, 128) for length in (20, 7, 33)]
    tokens = torch.nested.nested_tensor(sentences, layout=torch.jagged, device="cuda")
    q, k, v = (part.unflatten(-1, [4, 32]).transpose(1, 2) for part in project(tokens).chunk(3, dim=-1))
    mixed = torch.nn.functional.scaled_dot_product_attention(q, k, v).transpose(1, 2).flatten(-2)
    loss = sum(row.pow(2).mean() for row in out(mixed).unbind())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(step, loss.item(), tokens.offsets().diff().tolist())
