# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Trains a ViT of timm with its mixup, its optimizer factory and an averaged copy."""
import timm
import torch
from timm.data import Mixup
from timm.loss import SoftTargetCrossEntropy
from timm.optim import create_optimizer_v2
from timm.utils import ModelEmaV2

model = timm.create_model("vit_small_patch16_224", num_classes=100, drop_path_rate=0.1).cuda()
average = ModelEmaV2(model, decay=0.999)
optimizer = create_optimizer_v2(model, opt="adamw", lr=1e-3, weight_decay=0.05, layer_decay=0.75)
mixup = Mixup(mixup_alpha=0.8, cutmix_alpha=1.0, num_classes=100)
criterion = SoftTargetCrossEntropy()
for step in range(10):
    images, targets = mixup(torch.randn(16, 3, 224, 224).cuda(), torch.randint(0, 100, (16,)).cuda())
    with torch.autocast("cuda", dtype=torch.bfloat16):
        loss = criterion(model(images), targets)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    average.update(model)
    print(step, loss.item())
