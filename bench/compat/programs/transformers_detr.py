# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Trains DETR with random weights: boxes are matched by the Hungarian method on the host."""
import torch
from transformers import DetrConfig, DetrForObjectDetection, ResNetConfig

config = DetrConfig(
    use_timm_backbone=False, use_pretrained_backbone=False, backbone=None,
    backbone_config=ResNetConfig(out_features=["stage4"]), num_queries=30, encoder_layers=2, decoder_layers=2, num_labels=5,
)
model = DetrForObjectDetection(config).cuda()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
for step in range(10):
    labels = [{"class_labels": torch.randint(0, 5, (n,)).cuda(), "boxes": torch.rand(n, 4).cuda() * 0.4 + 0.1} for n in (2, 5)]
    output = model(pixel_values=torch.randn(2, 3, 256, 256).cuda(), labels=labels)
    optimizer.zero_grad()
    output.loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 0.1)
    optimizer.step()
    print(step, output.loss.item())
