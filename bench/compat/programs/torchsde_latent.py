# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Trains a stochastic differential equation."""
import torch
import torchsde


class Equation(torch.nn.Module):
    noise_type, sde_type = "diagonal", "ito"

    def __init__(self) -> None:
        super().__init__()
        self.drift, self.spread = torch.nn.Linear(3, 3), torch.nn.Linear(3, 3)

    def f(self, t, y):
        return self.drift(y)

    def g(self, t, y):
        return self.spread(y).sigmoid()


equation = Equation().cuda()
optimizer = torch.optim.Adam(equation.parameters(), lr=1e-2)
times = torch.linspace(0, 1, 5).cuda()
for step in range(5):
    loss = torchsde.sdeint(equation, torch.ones(32, 3).cuda(), times, dt=0.05, method="euler").pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(step, loss.item())
