# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Gated feed-forward layers as in Hugging Face's Llama."""

from __future__ import annotations

import torch
from torch import nn
from torch.nn import functional

from .row import DEVICE, Row, Task

ACTIVATIONS = {
    "silu": functional.silu,
    "gelu_pytorch_tanh": lambda x: functional.gelu(x, approximate="tanh"),
}


class GatedLayer(nn.Module):
    def __init__(self, hidden: int, intermediate: int, activation: str) -> None:
        super().__init__()
        self.gate = nn.Linear(hidden, intermediate, bias=False)
        self.up = nn.Linear(hidden, intermediate, bias=False)
        self.down = nn.Linear(intermediate, hidden, bias=False)
        self.activation = ACTIVATIONS[activation]

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.down(self.activation(self.gate(x)) * self.up(x))


def gated_layer(row: Row) -> Task:
    """geglu, swiglu and the layers the tiled ones are compared with."""
    hidden = row.size("hidden_size")
    batch = row.config.get("bsz", row.config.get("B"))
    shape = (batch, row.sequence, hidden)
    x = torch.randn(*shape, device=DEVICE, dtype=row.dtype, requires_grad=True)
    with torch.device(DEVICE):
        layer = GatedLayer(hidden, row.size("intermediate_size"), row.config["hidden_act"]).to(row.dtype)
    return Task(lambda: layer(x), module=layer)
