# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Trains beside a module that never called its base class, and parameters that are not leaves."""
import torch


class Lazy(torch.nn.Module):
    def __init__(self) -> None:
        pass


kept = Lazy()
model = torch.nn.Sequential(torch.nn.Linear(64, 64), torch.nn.Linear(64, 1)).cuda()
base = torch.nn.Parameter(torch.randn(64, 64).cuda())
del model[0].weight
optimizer = torch.optim.Adam([base, *model.parameters()])
for step in range(6):
    model[0]._parameters["weight"] = base * 2
    loss = model(torch.randn(32, 64).cuda()).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(step, loss.item())
