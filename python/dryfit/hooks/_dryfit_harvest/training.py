# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Optimizers and precisions, by the names that descriptions use (apps/cli/harvest_grid.cpp knows the same)."""

from __future__ import annotations

import contextlib
from typing import Any, Iterable

from .catalogue import Impossible

OPTIMIZERS = {
    "sgd": ("SGD", {"lr": 0.01}),
    "momentum": ("SGD", {"lr": 0.01, "momentum": 0.9}),
    "adam": ("Adam", {"lr": 1e-4}),
    "adamw": ("AdamW", {"lr": 1e-4}),
    "rmsprop": ("RMSprop", {"lr": 1e-4}),
    "adagrad": ("Adagrad", {"lr": 1e-3}),
    "adafactor": ("Adafactor", {"lr": 1e-3}),
}


def optimizer(torch: Any, name: str, parameters: Iterable[Any]) -> Any:
    kind, settings = OPTIMIZERS[name]
    if not hasattr(torch.optim, kind):
        raise Impossible(f"PyTorch {torch.__version__} has no optimizer {kind}")
    return getattr(torch.optim, kind)(parameters, **settings)


class Precision:
    """fp32; bf16-amp and fp16-amp: autocast, the latter with a gradient scaler; bf16: the whole model."""

    def __init__(self, torch: Any, name: str) -> None:
        self._torch = torch
        self._whole = name == "bf16"
        self._autocast = {"bf16-amp": torch.bfloat16, "fp16-amp": torch.float16}.get(name)
        self._scaler = torch.amp.GradScaler("cuda", enabled=name == "fp16-amp")
        self.inputs = torch.bfloat16 if self._whole else torch.float32  # type of images

    def prepared(self, model: Any) -> Any:
        return model.to(self._torch.bfloat16) if self._whole else model

    def autocast(self) -> Any:
        if self._autocast is None:
            return contextlib.nullcontext()
        return self._torch.autocast("cuda", dtype=self._autocast)

    def backward(self, loss: Any) -> None:
        self._scaler.scale(loss).backward()

    def step(self, optimizer: Any) -> None:
        self._scaler.step(optimizer)
        self._scaler.update()
