# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Functions along the last dimension."""

from __future__ import annotations

import json
from typing import Callable

import torch
from torch import nn
from torch.nn import functional

from .norms import given_gradient_task, one_input_task
from .row import DEVICE, Row, Task


class Function(nn.Module):
    def __init__(self, function: Callable[[torch.Tensor], torch.Tensor]) -> None:
        super().__init__()
        self.forward = function


def sparsemax_function(x: torch.Tensor, dim: int = -1) -> torch.Tensor:
    """The projection onto the simplex: sort, find the support, subtract its threshold, cut at zero."""
    ordered, _ = torch.sort(x, dim=dim, descending=True)
    sums = torch.cumsum(ordered, dim=dim)
    ranks = torch.arange(1, x.size(dim) + 1, device=x.device, dtype=x.dtype)
    bounds = 1 + ranks * ordered
    support = bounds > sums
    count = support.sum(dim=dim, keepdim=True).clamp(min=1)
    total = (ordered * support).sum(dim=dim, keepdim=True)
    threshold = (total - 1) / count
    return torch.clamp(x - threshold, min=0)


def sparsemax(row: Row) -> Task:
    module = Function(sparsemax_function)
    if row.shared:
        return one_input_task(module, (row.tokens, row.size("hidden_size")), row.dtype)
    return given_gradient_task(module, module, (row.tokens, row.size("V")), row)


def softmax(row: Row) -> Task:
    """Before the shared benchmarks x was a whole shape and the gradient ones."""
    if row.shared:
        return one_input_task(nn.Softmax(dim=-1), (row.tokens, row.size("hidden_size")), row.dtype)
    shape = json.loads(row.x.replace("(", "[").replace(")", "]")) if row.x.startswith(("(", "[")) else old_shape(row)
    x = torch.randn(shape, device=DEVICE, dtype=row.dtype, requires_grad=True)
    module = nn.Softmax(dim=-1)

    def full() -> None:
        y = module(x)
        y.backward(torch.ones_like(y), retain_graph=True)

    return Task(lambda: module(x), full=full)


def old_shape(row: Row) -> tuple[int, ...]:
    if "M" in row.config:
        return (row.size("M"), int(row.x))
    if "B" in row.config and "T" in row.config:
        return (row.tokens, int(row.x))
    return (int(row.x),)


def squared_relu(x: torch.Tensor) -> torch.Tensor:
    positive = functional.relu(x)
    return torch.square(positive)


def relu_squared(row: Row) -> Task:
    if row.shared:
        return one_input_task(Function(squared_relu), (row.tokens, row.size("hidden_size")), row.dtype)
    return given_gradient_task(Function(squared_relu), Function(squared_relu), old_shape(row), row)


def megatron_swiglu(row: Row) -> Task:
    shape = (row.size("S"), row.size("B"), 2 * int(row.x))
    x = torch.randn(shape, device=DEVICE, dtype=torch.bfloat16, requires_grad=True)

    def forward() -> torch.Tensor:
        gate, up = torch.chunk(x, 2, -1)
        return functional.silu(gate) * up

    def full() -> None:
        x.grad = None
        y = forward()
        y.sum().backward()

    return Task(forward, full=full)
