# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Evaluates a ResNet-50; nothing is trained."""
import torch
import torchvision
from torchmetrics.classification import MulticlassAccuracy, MulticlassConfusionMatrix

model = torchvision.models.resnet50().cuda().eval()
accuracy, confusion = MulticlassAccuracy(1000).cuda(), MulticlassConfusionMatrix(1000).cuda()
with torch.inference_mode():
    for _ in range(4):
        scores = model(torch.randn(32, 3, 224, 224).cuda())
        labels = torch.randint(0, 1000, (32,)).cuda()
        accuracy.update(scores, labels)
        confusion.update(scores, labels)
print(accuracy.compute().item(), confusion.compute().shape)
