# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Losses over a vocabulary."""

from __future__ import annotations

import torch
from torch import nn
from torch.nn import functional

from .row import DEVICE, Row, Task

LABELS_IN_JSD = "2024-10-16"  # since then the divergence is kept per row, for labels to be ignored


def logits(row: Row, **options: object) -> torch.Tensor:
    return torch.randn(row.tokens, row.vocabulary, device=DEVICE, **options)


def cross_entropy(row: Row) -> Task:
    x = logits(row, requires_grad=True)
    target = torch.randint(row.vocabulary, (row.tokens,), device=DEVICE)
    loss = nn.CrossEntropyLoss()
    if row.shared:
        return Task(lambda: loss(x, target))
    return Task(lambda: loss(x, target), gradient="none", retain_graph=False)


def megatron_cross_entropy(row: Row) -> Task:
    """Per token, on bfloat16 logits cast to float32; the sum is differentiated."""
    shape = (row.size("S"), row.size("B"))
    x = torch.randn(*shape, row.size("V"), device=DEVICE, dtype=torch.bfloat16, requires_grad=True)
    target = torch.randint(0, row.size("V"), shape, device=DEVICE)

    def forward() -> torch.Tensor:
        flat = x.reshape(-1, x.shape[-1]).float()
        return functional.cross_entropy(flat, target.reshape(-1), reduction="none").reshape(shape)

    def full() -> None:
        y = forward()
        y.sum().backward()

    return Task(forward, full=full)


def divergence_task(row: Row, x: torch.Tensor, target: torch.Tensor, loss: nn.Module) -> Task:
    return Task(lambda: loss(x, target), gradient="random" if row.shared else "none")


def kl_div(row: Row) -> Task:
    x = logits(row, requires_grad=True).log_softmax(dim=-1)
    target = logits(row).softmax(dim=-1)
    return divergence_task(row, x, target, nn.KLDivLoss(reduction=row.config.get("reduction", "batchmean")))


def jsd(row: Row) -> Task:
    x = logits(row, requires_grad=True).log_softmax(dim=-1)
    target = logits(row).log_softmax(dim=-1)
    return divergence_task(row, x, target, jensen_shannon(row))


def tvd(row: Row) -> Task:
    x = logits(row, requires_grad=True).softmax(dim=-1)
    target = logits(row).softmax(dim=-1)
    return divergence_task(row, x, target, TotalVariation())


class JensenShannon(nn.Module):
    """Of two log-probabilities, in float32: half of KL(p || m) + KL(q || m), summed, per row."""

    def __init__(self, dtype: torch.dtype = torch.float32) -> None:
        super().__init__()
        self.divergence = nn.KLDivLoss(reduction="none", log_target=True)
        self.dtype = dtype
        self.beta = 0.5

    def forward(self, log_q: torch.Tensor, log_p: torch.Tensor) -> torch.Tensor:
        log_p = log_p.float()
        log_q = log_q.float()
        mixture = torch.lerp(log_q.exp(), log_p.exp(), self.beta)
        per_row = self.beta * self.divergence(mixture.log(), log_p).sum(dim=-1)
        per_row = per_row + (1 - self.beta) * self.divergence(mixture.log(), log_q).sum(dim=-1)
        return (per_row / log_q.shape[0]).sum().to(self.dtype)


class EarlyJensenShannon(nn.Module):
    """The same with the mean over the rows taken inside each divergence."""

    def __init__(self, dtype: torch.dtype = torch.float32) -> None:
        super().__init__()
        self.divergence = nn.KLDivLoss(reduction="batchmean", log_target=True)
        self.dtype = dtype
        self.beta = 0.5

    def forward(self, log_q: torch.Tensor, log_p: torch.Tensor) -> torch.Tensor:
        log_p = log_p.float()
        log_q = log_q.float()
        mixture = torch.lerp(log_p.exp(), log_q.exp(), self.beta)
        loss = self.beta * self.divergence(mixture.log(), log_p)
        loss = loss + (1 - self.beta) * self.divergence(mixture.log(), log_q)
        return loss.to(self.dtype)


def jensen_shannon(row: Row, dtype: torch.dtype = torch.float32) -> nn.Module:
    return EarlyJensenShannon(dtype) if row.measured < LABELS_IN_JSD else JensenShannon(dtype)


class TotalVariation(nn.Module):
    def forward(self, p: torch.Tensor, q: torch.Tensor) -> torch.Tensor:
        distance = (p - q).abs() / 2.0
        return distance.sum() / p.shape[0]
