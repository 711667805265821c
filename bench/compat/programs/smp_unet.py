# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Trains a U-Net of segmentation_models_pytorch with a Dice loss."""
import segmentation_models_pytorch as smp
import torch

model = smp.Unet("resnet34", encoder_weights=None, classes=4).cuda()
dice = smp.losses.DiceLoss("multiclass")
optimizer = torch.optim.Adam(model.parameters(), lr=1e-4)
for step in range(10):
    images, masks = torch.randn(4, 3, 128, 128).cuda(), torch.randint(0, 4, (4, 128, 128)).cuda()
    scores = model(images)
    loss = dice(scores, masks)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    statistics = smp.metrics.get_stats(scores.argmax(1), masks, mode="multiclass", num_classes=4)
    print(step, loss.item(), smp.metrics.iou_score(*statistics, reduction="micro").item())
