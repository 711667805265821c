# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Weighs the gradients of several tasks by a quadratic program that numpy solves on the host."""
import numpy as np
import torch

body, heads = torch.nn.Linear(32, 64).cuda(), torch.nn.Linear(64, 3).cuda()
parameters = [*body.parameters(), *heads.parameters()]
optimizer = torch.optim.SGD(parameters, lr=0.01)
for step in range(6):
    losses = heads(body(torch.randn(16, 32).cuda()).relu()).pow(2).mean(0)
    rows = [torch.autograd.grad(loss, body.parameters(), retain_graph=True) for loss in losses]
    jacobian = torch.stack([torch.cat([part.flatten() for part in row]) for row in rows])
    gram = (jacobian @ jacobian.T + 1e-3 * torch.eye(3).cuda()).cpu().numpy()
    factor = np.linalg.cholesky(gram)
    weights = np.linalg.solve(factor.T, np.linalg.solve(factor, np.ones(3)))
    optimizer.zero_grad()
    (losses * torch.tensor(weights / weights.sum(), dtype=torch.float32).cuda()).sum().backward()
    optimizer.step()
    print(step, losses.tolist(), weights)
