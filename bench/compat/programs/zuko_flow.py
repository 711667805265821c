# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Trains a neural spline flow, then samples from it."""
import torch
import zuko

flow = zuko.flows.NSF(features=8, context=4, transforms=3, hidden_features=(128, 128)).cuda()
optimizer = torch.optim.Adam(flow.parameters(), lr=1e-3)
for step in range(6):
    x, context = torch.randn(256, 8).cuda(), torch.randn(256, 4).cuda()
    loss = -flow(context).log_prob(x).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(step, loss.item())
print(flow(torch.randn(4).cuda()).sample((64,)).shape)
