# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Ends with an error when a loss isn't finite."""
import math
import sys

import torch

model = torch.nn.Sequential(torch.nn.Linear(64, 256), torch.nn.Tanh(), torch.nn.Linear(256, 1)).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(10):
    loss = model(torch.randn(32, 64).cuda()).exp().mean()
    if not math.isfinite(loss.item()):
        sys.exit(f"the loss is {loss.item()}")
    optimizer.zero_grad()
    loss.backward()
    norm = torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0, error_if_nonfinite=True)
    if torch.isnan(norm) or not torch.isfinite(loss):
        raise FloatingPointError("the gradient isn't finite")
    optimizer.step()
    print(step, loss.item())
