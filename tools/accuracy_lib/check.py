# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""One promise as a check: on published transformer runs PyTorch's reserved peak is off by a constant for each card."""

from __future__ import annotations

from collections import defaultdict
from statistics import median
from typing import Iterable, NamedTuple

from .metrics import NEAR_BYTES
from .models import is_cnn
from .outcome import Result

REQUIRED_SHARE = 0.9
CHECKED_BATCH = 16


class Check(NamedTuple):
    rows: int
    within: int

    @property
    def passed(self) -> bool:
        return self.rows > 0 and self.within >= REQUIRED_SHARE * self.rows

    def sentence(self) -> str:
        return (
            f"{self.within} of {self.rows} transformer rows (zero_grad position published, batch >= {CHECKED_BATCH}, "
            f"fitted) lie within 2 MiB of their GPU's median difference; {REQUIRED_SHARE:.0%} are required: "
            f"{'passed' if self.passed else 'failed'}"
        )


def check(results: Iterable[Result]) -> Check:
    """A row without an answer counts as outside. CNN rows are excluded: their published baseline was taken while the
    model was being copied."""
    chosen = [result for result in results if _is_checked(result)]
    differences: dict[str, list[int]] = defaultdict(list)
    for result in chosen:
        reserved = result.ours("peak_reserved")
        if result.answered and reserved is not None and result.truth is not None:
            differences[result.case.facts["gpu_name"]].append(result.truth - reserved)
    return Check(len(chosen), sum(_near_their_median(values) for values in differences.values()))


def _near_their_median(values: list[int]) -> int:
    middle = median(values)
    return sum(abs(value - middle) <= NEAR_BYTES for value in values)


def _is_checked(result: Result) -> bool:
    facts = result.case.facts
    if result.truth is None or "zero_grad_mode" not in facts:
        return False
    return facts["zero_grad_mode"] is not None and facts["batch_size"] >= CHECKED_BATCH and not is_cnn(facts["model"])
