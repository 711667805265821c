# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Trains a neural differential equation with the adjoint method: torchdiffeq_ode.py SOLVER."""
import sys

import torch
from torchdiffeq import odeint_adjoint


class Field(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.net = torch.nn.Sequential(torch.nn.Linear(2, 64), torch.nn.Tanh(), torch.nn.Linear(64, 2))

    def forward(self, t, y):
        return self.net(y**3)


field = Field().cuda()
optimizer = torch.optim.RMSprop(field.parameters(), lr=1e-3)
times = torch.linspace(0, 1, 10).cuda()
for step in range(5):
    states = odeint_adjoint(field, torch.randn(64, 2).cuda(), times, method=sys.argv[1])
    loss = states.abs().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(step, loss.item())
