# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Explains a classifier with integrated gradients."""
import torch
import torchvision
from captum.attr import IntegratedGradients, Occlusion

model = torchvision.models.resnet18().cuda().eval()
images = torch.randn(2, 3, 96, 96).cuda()
classes = model(images).argmax(1)
attributions, error = IntegratedGradients(model).attribute(images, target=classes, n_steps=16, return_convergence_delta=True)
occlusion = Occlusion(model).attribute(images, target=classes, sliding_window_shapes=(3, 48, 48), strides=(3, 24, 24))
print(attributions.shape, error.tolist(), occlusion.abs().mean().item())
