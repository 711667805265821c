# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Trains a Fourier neural operator of two dimensions."""
import torch
from neuralop.losses import LpLoss
from neuralop.models import FNO

model = FNO(n_modes=(12, 12), hidden_channels=32, in_channels=1, out_channels=1).cuda()
criterion = LpLoss(d=2, p=2)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
for step in range(10):
    loss = criterion(model(torch.randn(8, 1, 64, 64).cuda()), torch.randn(8, 1, 64, 64).cuda())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(step, loss.item())
