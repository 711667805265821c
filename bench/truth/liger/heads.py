# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Losses behind a projection to the vocabulary."""

from __future__ import annotations

import torch
from torch import nn

from .losses import jensen_shannon
from .row import DEVICE, Row, Task, bystander


def hidden_size(row: Row) -> int:
    return row.size("hidden_size" if row.shared else "H")


def token_count(row: Row) -> int:
    return row.tokens if row.shared else row.size("BT")


def head(row: Row, inputs: int) -> nn.Linear:
    return nn.Linear(inputs, row.vocabulary, bias=False, dtype=row.dtype, device=DEVICE)


def fused_linear_cross_entropy(row: Row) -> Task:
    projection, loss = head(row, hidden_size(row)), nn.CrossEntropyLoss()
    other = None if row.shared else bystander(head(row, hidden_size(row)))
    x = torch.randn(token_count(row), hidden_size(row), requires_grad=True, dtype=row.dtype, device=DEVICE)
    target = torch.randint(row.vocabulary, (token_count(row),), device=DEVICE)

    def forward(_: object = other) -> torch.Tensor:
        y = projection(x)
        return loss(y, target)

    return Task(forward, gradient="random" if row.shared else "none", retain_graph=row.shared)


class LinearJensenShannon(nn.Module):
    def __init__(self, row: Row) -> None:
        super().__init__()
        self.student = head(row, hidden_size(row))
        self.teacher = head(row, hidden_size(row))
        self.loss = jensen_shannon(row, row.dtype)
        self.temperature = 1.0

    def forward(self, student_x: torch.Tensor, teacher_x: torch.Tensor) -> torch.Tensor:
        student = self.student(student_x)
        teacher = self.teacher(teacher_x)
        student_log = torch.log_softmax(student / self.temperature, dim=-1)
        teacher_log = torch.log_softmax(teacher / self.temperature, dim=-1)
        return self.loss(student_log, teacher_log)


def fused_linear_jsd(row: Row) -> Task:
    """The two providers share their weights here."""
    module = LinearJensenShannon(row)
    size = (token_count(row), hidden_size(row))
    student_x = torch.rand(*size, requires_grad=True, dtype=row.dtype, device=DEVICE)
    teacher_x = torch.rand(*size, dtype=row.dtype, device=DEVICE)
    return Task(
        lambda: module(student_x, teacher_x), gradient="random" if row.shared else "none", retain_graph=row.shared
    )
