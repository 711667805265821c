# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Trains Faster R-CNN on random boxes."""
import torch
import torchvision

model = torchvision.models.detection.fasterrcnn_resnet50_fpn(weights=None, weights_backbone=None, num_classes=5).cuda()
optimizer = torch.optim.SGD([p for p in model.parameters() if p.requires_grad], lr=0.005, momentum=0.9)


def target(boxes: int) -> dict:
    corners = torch.rand(boxes, 2) * 200
    return {"boxes": torch.cat([corners, corners + 30 + torch.rand(boxes, 2) * 80], dim=1).cuda(),
            "labels": torch.randint(1, 5, (boxes,)).cuda()}


for step in range(10):
    images = [torch.rand(3, 320, 400).cuda() for _ in range(2)]
    losses = model(images, [target(3), target(7)])
    loss = sum(losses.values())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(step, loss.item())
