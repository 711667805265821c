# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Trains a compiled ResNet-18."""
import torch
import torchvision

model = torch.compile(torchvision.models.resnet18(num_classes=10).cuda())
optimizer = torch.optim.AdamW(model.parameters(), fused=True)
for step in range(10):
    images, labels = torch.randn(16, 3, 64, 64).cuda(), torch.randint(0, 10, (16,)).cuda()
    loss = torch.nn.functional.cross_entropy(model(images), labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(step, loss.item())
