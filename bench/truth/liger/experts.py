# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""A mixture of experts as a loop over the experts, as in Hugging Face's eager models."""

from __future__ import annotations

import torch
from torch.nn import functional

from .row import DEVICE, Row, Task


def weights(*shape: int, dtype: torch.dtype) -> torch.Tensor:
    return torch.randn(*shape, dtype=dtype, device=DEVICE, requires_grad=True) * 0.02


def fused_moe(row: Row) -> Task:
    tokens, experts, hidden, intermediate, chosen = (
        row.size(name) for name in ("T", "E", "H", "intermediate_dim", "K")
    )
    x = torch.randn(tokens, hidden, dtype=row.dtype, device=DEVICE, requires_grad=True)
    gate_up = weights(experts, 2 * intermediate, hidden, dtype=row.dtype)
    down = weights(experts, hidden, intermediate, dtype=row.dtype)
    logits = torch.randn(tokens, experts, device=DEVICE)
    index = torch.topk(logits, chosen, dim=-1).indices.to(torch.int32)
    shares = torch.softmax(torch.gather(logits, 1, index.long()), dim=-1).to(row.dtype).requires_grad_(True)
    return Task(lambda: loop_over_experts(x, gate_up, down, index, shares))


def loop_over_experts(
    x: torch.Tensor, gate_up: torch.Tensor, down: torch.Tensor, index: torch.Tensor, shares: torch.Tensor
) -> torch.Tensor:
    total = torch.zeros_like(x)
    with torch.no_grad():
        mask = functional.one_hot(index.long(), num_classes=gate_up.shape[0]).permute(2, 1, 0)
        hit = torch.greater(mask.sum(dim=(-1, -2)), 0).nonzero()
    for row in hit:
        expert = row[0]
        place, token = torch.where(mask[expert])
        current = x[token]
        gate, up = functional.linear(current, gate_up[expert]).chunk(2, dim=-1)
        current = functional.silu(gate) * up
        current = functional.linear(current, down[expert])
        current = current * shares[token, place, None]
        total.index_add_(0, token, current.to(total.dtype))
    return total
