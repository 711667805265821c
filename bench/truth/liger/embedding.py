# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""A table of embeddings."""

from __future__ import annotations

import torch
from torch import nn

from .row import DEVICE, Row, Task, bystander


def table(row: Row) -> nn.Module:
    size = row.size("hidden_size" if row.shared else "D")
    return nn.Embedding(row.vocabulary, size, device=DEVICE, dtype=row.dtype)


def embedding(row: Row) -> Task:
    module = table(row)
    other = None if row.shared else bystander(table(row))
    length = row.size("T") if row.x_name != "T" else row.sequence
    ids = torch.randint(0, row.vocabulary, (max(1, row.tokens // length), length), device=DEVICE)
    if row.provider == "torch_compile":
        module = torch.compile(module)

    def forward(_: object = other) -> torch.Tensor:
        return module(ids)

    return Task(forward, retain_graph=row.shared, module=module)
