# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Trains without torch.optim: parameters are changed by hand."""
import torch

model = torch.nn.Sequential(torch.nn.Linear(512, 1024), torch.nn.ReLU(), torch.nn.Linear(1024, 10)).cuda()
for step in range(10):
    loss = torch.nn.functional.cross_entropy(model(torch.randn(64, 512).cuda()), torch.randint(0, 10, (64,)).cuda())
    loss.backward()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter -= 0.1 * parameter.grad
            parameter.grad = None
    print(step, loss.item())
