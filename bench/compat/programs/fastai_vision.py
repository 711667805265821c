# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Trains a ResNet-18 with fastai's one-cycle schedule and mixed precision."""
from fastai.vision.all import ImageDataLoaders, Resize, accuracy, resnet18, vision_learner

data = ImageDataLoaders.from_folder("images", valid_pct=0.2, seed=1, item_tfms=Resize(64), bs=16, num_workers=0)
learner = vision_learner(data, resnet18, pretrained=False, metrics=accuracy).to_fp16()
with learner.no_bar():
    learner.fit_one_cycle(1, 1e-3)
