# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""What a learner is fitted on, and how to turn its answers back into amounts."""

from __future__ import annotations

import math
from typing import Callable, Sequence

from .feature_table import Part

Numbers = Sequence[float]


def _raw(part: Part) -> list[float]:
    return list(part.truth)


def _log(part: Part) -> list[float]:
    return [math.log(truth) for truth in part.truth]


def _ratio(part: Part) -> list[float]:
    return [math.log(truth / base) for truth, base in zip(part.truth, part.base)]


def _from_raw(answers: Numbers, train: Part, test: Part) -> list[float]:
    """Boosted trees can answer below zero; such an answer is useless, so the smallest amount seen is the floor."""
    floor = min(train.truth)
    return [max(float(answer), floor) for answer in answers]


def _from_log(answers: Numbers, train: Part, test: Part) -> list[float]:
    return [math.exp(answer) for answer in answers]


def _from_ratio(answers: Numbers, train: Part, test: Part) -> list[float]:
    return [base * math.exp(answer) for answer, base in zip(answers, test.base)]


# "res" is the logarithm of what is left after the physics base is removed.
TARGETS: dict[str, Callable[[Part], list[float]]] = {"raw": _raw, "log": _log, "res": _ratio}
AMOUNTS: dict[str, Callable[[Numbers, Part, Part], list[float]]] = {
    "raw": _from_raw,
    "log": _from_log,
    "res": _from_ratio,
}
