# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Preference losses that hold a model's head against the head of a reference model."""

from __future__ import annotations

from typing import Callable, NamedTuple, Optional

import torch
from torch import nn
from torch.nn import functional

from .row import DEVICE, Row, Task, bystander

Split = Callable[[torch.Tensor], "tuple[torch.Tensor, torch.Tensor]"]
Objective = Callable[[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor], torch.Tensor]

ONE_PROVIDER_AT_A_TIME = "2026-04-18"  # until then both providers' heads were made for every measurement


class Sizes(NamedTuple):
    batch: int
    length: int
    hidden: int
    vocabulary: int


def sizes_of(row: Row) -> Sizes:
    """Older rows call the sizes by a letter; a sweep over models names its batch apart."""
    batch = row.size("bsz" if row.model else "B")
    named = row.model is not None or "hidden_size" in row.config
    hidden, vocabulary = ("hidden_size", "vocab_size") if named else ("H", "V")
    return Sizes(batch, row.size("T"), row.size(hidden), row.size(vocabulary))


class Heads(nn.Module):
    def __init__(self, row: Row, sizes: Sizes) -> None:
        super().__init__()
        bias = bool(row.config.get("bias", True))
        self.policy = nn.Linear(sizes.hidden, sizes.vocabulary, bias=bias, dtype=row.dtype)
        self.reference = nn.Linear(sizes.hidden, sizes.vocabulary, bias=bias, dtype=row.dtype)


def logits_of(x: torch.Tensor, head: nn.Linear) -> torch.Tensor:
    logits = x @ head.weight.t()
    if head.bias is not None:
        logits = logits + head.bias
    return logits


def log_probabilities(logits: torch.Tensor, labels: torch.Tensor, ignored: int) -> torch.Tensor:
    mask = labels != ignored
    labels = torch.where(labels == ignored, 0, labels)
    per_token = torch.gather(logits.log_softmax(-1), dim=2, index=labels.unsqueeze(2)).squeeze(2)
    return (per_token * mask).sum(-1) / mask.sum(-1)


def policy_of(x: torch.Tensor, head: nn.Linear, target: torch.Tensor, ignored: int, split: Split) -> tuple:
    narrow = logits_of(x, head)
    logits = narrow.float()
    logps = log_probabilities(logits, target, ignored)
    return (*split(logps), *split(logits))


def reference_of(x: torch.Tensor, head: nn.Linear, target: torch.Tensor, ignored: int, split: Split) -> tuple:
    with torch.no_grad():
        logits = logits_of(x, head)
        return split(log_probabilities(logits, target, ignored))


def reference_task(row: Row, objective: Objective, split: Split) -> Task:
    sizes = sizes_of(row)
    heads = Heads(row, sizes).to(DEVICE)
    other = bystander(Heads(row, sizes)) if row.measured < ONE_PROVIDER_AT_A_TIME else None
    shape = (sizes.batch, sizes.length)
    x = torch.randn(*shape, sizes.hidden, device=DEVICE, dtype=row.dtype)
    reference_x = torch.randn(*shape, sizes.hidden, device=DEVICE, dtype=row.dtype)
    target = torch.randint(sizes.vocabulary, shape, device=DEVICE)
    ignored = int(row.config.get("ignore_index", -100))

    def forward(_: Optional[nn.Module] = other) -> torch.Tensor:
        chosen, rejected, chosen_logits, rejected_logits = policy_of(x, heads.policy, target, ignored, split)
        references = reference_of(reference_x, heads.reference, target, ignored, split)
        loss = objective(chosen, rejected, *references).mean()
        chosen_logits.detach().mean(), rejected_logits.detach().mean()
        return loss

    return Task(forward, gradient="none", retain_graph=False)


def dpo_loss(row: Row) -> Task:
    beta = float(row.config.get("beta", 0.1))

    def objective(
        chosen: torch.Tensor, rejected: torch.Tensor, chosen_reference: torch.Tensor, rejected_reference: torch.Tensor
    ) -> torch.Tensor:
        return -functional.logsigmoid(beta * ((chosen - chosen_reference) - (rejected - rejected_reference)))

    return reference_task(row, objective, lambda tensor: (tensor[: len(tensor) // 2], tensor[len(tensor) // 2 :]))


def kto_loss(row: Row) -> Task:
    """Which sequences are preferred is drawn at random."""
    beta = float(row.config.get("beta", 0.1))
    preferred = torch.randint(2, (sizes_of(row).batch,), dtype=torch.bool, device=DEVICE)
    divergence = torch.randn(1, device=DEVICE, dtype=row.dtype)

    def objective(
        chosen: torch.Tensor, rejected: torch.Tensor, chosen_reference: torch.Tensor, rejected_reference: torch.Tensor
    ) -> torch.Tensor:
        gains = 1 - functional.sigmoid(beta * ((chosen - chosen_reference) - divergence))
        losses = 1 - functional.sigmoid(beta * (divergence - (rejected - rejected_reference)))
        return torch.cat((gains, losses), 0)

    return reference_task(row, objective, lambda tensor: (tensor[preferred], tensor[~preferred]))
