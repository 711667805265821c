# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Fits a network with L-BFGS and a strong Wolfe line search."""
import torch

model = torch.nn.Sequential(torch.nn.Linear(2, 50), torch.nn.Tanh(), torch.nn.Linear(50, 1)).cuda()
inputs, outputs = torch.randn(200, 2).cuda(), torch.randn(200, 1).cuda()
optimizer = torch.optim.LBFGS(model.parameters(), max_iter=20, line_search_fn="strong_wolfe")


def closure() -> torch.Tensor:
    optimizer.zero_grad()
    loss = torch.nn.functional.mse_loss(model(inputs), outputs)
    loss.backward()
    return loss


for step in range(5):
    print(step, optimizer.step(closure).item())
