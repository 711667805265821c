# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Preference losses behind a projection to the vocabulary: the first half of the batch is chosen, the rest rejected."""

from __future__ import annotations

from typing import Callable, NamedTuple

import torch
from torch import nn
from torch.nn import functional

from .heads import head
from .row import DEVICE, Row, Task, bystander

IGNORED = -100
BETA = 0.1
GAMMA = 0.5

WIDE_ORPO = "2024-11-13 22:00"  # until then the logits stayed in bfloat16

Objective = Callable[[torch.Tensor, torch.Tensor], torch.Tensor]
Loss = Callable[[torch.Tensor, torch.Tensor, torch.Tensor, Objective], torch.Tensor]


class Policy(NamedTuple):
    chosen_logps: torch.Tensor
    rejected_logps: torch.Tensor
    chosen_logits: torch.Tensor
    rejected_logits: torch.Tensor
    chosen_loss: torch.Tensor


def mean_log_probability(logits: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
    mask = labels != IGNORED
    labels = torch.where(labels == IGNORED, 0, labels)
    per_token = torch.gather(logits.log_softmax(-1), dim=2, index=labels.unsqueeze(2)).squeeze(2)
    return (per_token * mask).sum(-1) / mask.sum(-1)


def chosen_cross_entropy(logits: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
    return nn.CrossEntropyLoss(ignore_index=IGNORED)(logits.view(-1, logits.shape[-1]), labels.view(-1))


def run_policy(x: torch.Tensor, weight: torch.Tensor, target: torch.Tensor) -> Policy:
    half = x.shape[0] // 2
    narrow = x @ weight.t()
    logits = narrow.float()
    loss = chosen_cross_entropy(logits[:half], target[:half])
    logps = mean_log_probability(logits, target)
    return Policy(logps[:half], logps[half:], logits[:half], logits[half:], loss)


def odds_ratio(chosen: torch.Tensor, rejected: torch.Tensor) -> torch.Tensor:
    log_odds = (chosen - rejected) - (torch.log1p(-torch.exp(chosen)) - torch.log1p(-torch.exp(rejected)))
    ratio = functional.logsigmoid(log_odds)
    return BETA * ratio


def contrastive(difference: torch.Tensor) -> torch.Tensor:
    """Of CPO and SimPO, with no label smoothing."""
    return functional.logsigmoid(BETA * difference) * 1.0 + functional.logsigmoid(-BETA * difference) * 0.0


def preference_loss(x: torch.Tensor, weight: torch.Tensor, target: torch.Tensor, objective: Objective) -> torch.Tensor:
    policy = run_policy(x, weight, target)
    losses = objective(policy.chosen_logps, policy.rejected_logps)
    return policy.chosen_loss * 1.0 - losses.mean()


def early_odds_ratio_loss(
    x: torch.Tensor, weight: torch.Tensor, target: torch.Tensor, objective: Objective
) -> torch.Tensor:
    """In the dtype of the weights; the log-probability of a sequence's token is the mean over the vocabulary."""
    logits = functional.linear(x, weight)
    half = x.shape[0] // 2
    loss = chosen_cross_entropy(logits[:half], target[:half])
    logps = functional.log_softmax(logits, dim=-1).mean(dim=-1)
    losses = objective(logps[:half], logps[half:])
    return loss - losses.mean()


def preference_task(row: Row, objective: Objective, loss: Loss = preference_loss) -> Task:
    projection = head(row, row.size("H"))
    other = bystander(head(row, row.size("H")))
    shape = (row.size("B"), row.size("T"))
    x = torch.randn(*shape, row.size("H"), requires_grad=True, dtype=row.dtype, device=DEVICE)
    target = torch.randint(row.vocabulary, shape, dtype=torch.long, device=DEVICE)

    def forward(_: nn.Module = other) -> torch.Tensor:
        return loss(x, projection.weight, target, objective)

    return Task(forward, gradient="none", retain_graph=False)


def fused_linear_orpo_loss(row: Row) -> Task:
    return preference_task(row, odds_ratio, early_odds_ratio_loss if row.measured < WIDE_ORPO else preference_loss)


def fused_linear_cpo_loss(row: Row) -> Task:
    return preference_task(row, lambda chosen, rejected: contrastive(chosen - rejected))


def fused_linear_simpo_loss(row: Row) -> Task:
    return preference_task(row, lambda chosen, rejected: contrastive(chosen - rejected - GAMMA / BETA))
