# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Distillation behind projections to the vocabulary: half the student's cross entropy, half likeness to the teacher."""

from __future__ import annotations

from typing import Callable

import torch
from torch import nn
from torch.nn import functional

from .heads import head
from .row import DEVICE, Row, Task

JSD_BY_LOGARITHMS = "2025-01-08"  # until then by way of probabilities

Likeness = Callable[[torch.Tensor, torch.Tensor], torch.Tensor]


def cosine(student: torch.Tensor, teacher: torch.Tensor) -> torch.Tensor:
    student_unit = functional.normalize(student, p=2, dim=-1)
    teacher_unit = functional.normalize(teacher, p=2, dim=-1)
    similarity = functional.cosine_similarity(student_unit, teacher_unit, dim=-1)
    loss = 1.0 * (1 - similarity)
    return loss.mean()


def jensen_shannon(student: torch.Tensor, teacher: torch.Tensor) -> torch.Tensor:
    student_log = functional.log_softmax(student, dim=-1)
    teacher_log = functional.log_softmax(teacher, dim=-1)
    mean = 0.5 * student_log.exp() + 0.5 * teacher_log.exp()
    log_mean = mean.log()
    student_part = functional.kl_div(log_mean, student_log, reduction="batchmean", log_target=True)
    teacher_part = functional.kl_div(log_mean, teacher_log, reduction="batchmean", log_target=True)
    return 0.5 * teacher_part + 0.5 * student_part


def early_jensen_shannon(student: torch.Tensor, teacher: torch.Tensor) -> torch.Tensor:
    """By way of probabilities, of logits divided by a temperature of one."""
    student = student / 1.0
    teacher = teacher / 1.0
    student_share = functional.softmax(student, dim=-1)
    teacher_share = functional.softmax(teacher, dim=-1)
    log_mean = torch.log((student_share + teacher_share) / 2)
    student_part = functional.kl_div(log_mean, student_share.log(), reduction="batchmean", log_target=True)
    teacher_part = functional.kl_div(log_mean, teacher_share.log(), reduction="batchmean", log_target=True)
    return (student_part + teacher_part) / 2


class Distillation(nn.Module):
    """The student is half as wide as the teacher."""

    def __init__(self, row: Row, likeness: Likeness) -> None:
        super().__init__()
        self.student = head(row, row.size("H") // 2)
        self.teacher = head(row, row.size("H"))
        self.likeness = likeness
        self.hard, self.soft = row.config["weight_hard_loss"], row.config["weight_soft_loss"]
        self.scaled_in_place = row.measured >= JSD_BY_LOGARITHMS
        self.ignored = row.config["ignore_index"]

    def logits(self, student_x: torch.Tensor, teacher_x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        student = student_x @ self.student.weight.t()
        with torch.no_grad():
            teacher = teacher_x @ self.teacher.weight.t()
        return student.float(), teacher.float()

    def forward(self, student_x: torch.Tensor, teacher_x: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
        student, teacher = self.logits(student_x, teacher_x)
        hard = nn.CrossEntropyLoss(ignore_index=self.ignored)(student, target)
        if self.scaled_in_place:
            student /= 1.0
            teacher /= 1.0
        soft = self.likeness(student, teacher)
        return self.hard * hard + self.soft * soft


def distillation_task(row: Row, likeness: Likeness) -> Task:
    """Two providers' modules and three equal student inputs live."""
    module, other = Distillation(row, likeness), Distillation(row, likeness)
    tokens, hidden = row.size("BT"), row.size("H")
    source = torch.rand(tokens, hidden // 2, device=DEVICE, dtype=row.dtype)
    unused_x = source.detach().clone().requires_grad_(True)
    student_x = source.detach().clone().requires_grad_(True)
    teacher_x = torch.rand(tokens, hidden, device=DEVICE, dtype=row.dtype)
    target = torch.randint(0, row.vocabulary, (tokens,), device=DEVICE)

    def forward(_: tuple[object, ...] = (other, source, unused_x)) -> torch.Tensor:
        return module(student_x, teacher_x, target)

    return Task(forward, gradient="none", retain_graph=False)


def distill_cosine_loss(row: Row) -> Task:
    return distillation_task(row, cosine)


def distill_jsd_loss(row: Row) -> Task:
    return distillation_task(row, early_jensen_shannon if row.measured < JSD_BY_LOGARITHMS else jensen_shannon)
