# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Augments images on the GPU and trains on them."""
import kornia.augmentation as K
import torch

augment = K.AugmentationSequential(
    K.RandomHorizontalFlip(p=0.5), K.RandomAffine(degrees=15.0, p=0.7), K.ColorJitter(0.2, 0.2, 0.2, 0.1, p=0.8),
    K.RandomErasing(p=0.3), data_keys=["input"],
)
model = torch.nn.Sequential(
    torch.nn.Conv2d(3, 32, 3, 2), torch.nn.ReLU(), torch.nn.AdaptiveAvgPool2d(1), torch.nn.Flatten(), torch.nn.Linear(32, 10)
).cuda()
optimizer = torch.optim.Adam(model.parameters())
for step in range(10):
    images, labels = torch.rand(16, 3, 128, 128).cuda(), torch.randint(0, 10, (16,)).cuda()
    loss = torch.nn.functional.cross_entropy(model(augment(images)), labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(step, loss.item())
