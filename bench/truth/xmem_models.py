# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""The models of the published xMem measurements, by the names used there. Finding one needs no PyTorch."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, Optional

if TYPE_CHECKING:
    from torch import nn

CnnFacts = tuple[str, int]

# published name, lower case: (builder of torchvision.models, number of classes)
_CNNS: dict[str, CnnFacts] = {
    "vgg11": ("vgg11", 1000),
    "vgg16": ("vgg16", 1000),
    "vgg19": ("vgg19", 1000),
    "resnet50": ("resnet50", 1000),
    "resnet101": ("resnet101", 1000),
    "resnet152": ("resnet152", 1000),
    "mobilenetv2": ("mobilenet_v2", 1000),
    "convnexttiny": ("convnext_tiny", 1000),
    "convnextbase": ("convnext_base", 1000),
    "regnetx400mf": ("regnet_x_400mf", 1000),
    "regnety400mf": ("regnet_y_400mf", 1000),
    "mobenetv3small": ("mobilenet_v3_small", 10),
    "mobenetv3large": ("mobilenet_v3_large", 10),
    "mobilenetv3small": ("mobilenet_v3_small", 10),
    "mobilenetv3large": ("mobilenet_v3_large", 10),
    "mnasnet": ("mnasnet1_0", 10),
}


def _short(name: str) -> str:
    return name.rsplit("/", 1)[-1].lower()


def _load_transformers() -> dict[str, dict[str, Any]]:
    models = json.loads(Path(__file__).with_name("hf_models.json").read_text(encoding="utf-8"))
    return {_short(name): facts for name, facts in models.items()}


_TRANSFORMERS = _load_transformers()


def find_cnn(name: str) -> Optional[CnnFacts]:
    return _CNNS.get(name.lower())


def find_transformer(name: str) -> Optional[dict[str, Any]]:
    """Looks the model up with or without the name of its organisation."""
    return _TRANSFORMERS.get(_short(name))


def is_cnn(name: str) -> bool:
    return find_cnn(name) is not None


def is_known(name: str) -> bool:
    return is_cnn(name) or find_transformer(name) is not None


def build_cnn(facts: CnnFacts) -> nn.Module:
    import torchvision

    builder, classes = facts
    return getattr(torchvision.models, builder)(weights=None, num_classes=classes)


def build_transformer(facts: dict[str, Any]) -> nn.Module:
    import torch
    import transformers

    config = getattr(transformers, facts["config"])(**facts["fields"])
    config.torch_dtype = torch.float32
    return getattr(transformers, "AutoModelFor" + facts["auto"]).from_config(config)
