# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Self-supervised training with SimCLR of lightly."""
import torch
import torchvision
from lightly.loss import NTXentLoss
from lightly.models.modules import SimCLRProjectionHead

backbone = torchvision.models.resnet18()
backbone.fc = torch.nn.Identity()
model = torch.nn.Sequential(backbone, SimCLRProjectionHead(512, 512, 128)).cuda()
criterion = NTXentLoss(temperature=0.5, memory_bank_size=(256, 128)).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.06)
for step in range(10):
    first, second = torch.randn(2, 32, 3, 96, 96).cuda()
    loss = criterion(model(first), model(second))
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
    print(step, loss.item())
