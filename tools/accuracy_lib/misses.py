# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Which rows are off, by how much, and why."""

from __future__ import annotations

from typing import Iterable, NamedTuple, Optional

from . import comparison, metrics
from .outcome import Result

FAR = 0.02  # of a measurement at device level, which carries more than PyTorch's memory
UNEXPLAINED = "not explained"
NO_ANSWER = "no answer"
FALSE_FIT = "false fit"
FALSE_ALARM = "false alarm"
CANNOT_TELL = "cannot tell"


class Miss(NamedTuple):
    result: Result
    what: str  # a field, or the verdict
    truth: Optional[int]
    ours: Optional[int]
    remark: str = ""

    @property
    def off(self) -> float:
        """Relative; a wrong verdict or a missing answer comes first."""
        if self.truth is None or self.ours is None:
            return float("inf")
        return abs(self.ours - self.truth) / self.truth if self.truth else float(self.ours != self.truth)

    @property
    def cause(self) -> str:
        return self.result.explanation or UNEXPLAINED


def find(results: Iterable[Result]) -> list[Miss]:
    """At most one per row, the worst of each source first."""
    found = [miss for result in results if (miss := _miss(result))]
    return sorted(found, key=lambda miss: (miss.result.case.source, -miss.off, miss.result.case.id))


def _miss(result: Result) -> Optional[Miss]:
    if result.not_run:
        return None
    if result.failed:
        return Miss(result, NO_ANSWER, None, None, result.failed)
    return _wrong_verdict(result) or _wrong_field(result) or _different_trace(result)


def _wrong_verdict(result: Result) -> Optional[Miss]:
    """A missing verdict on a run that ended well is not a miss: Dryfit does not judge a job without optimizer steps."""
    said = metrics.said(result, metrics.OURS)
    if result.case.truth_oom is None or said is None:
        return None
    wrong = {(True, "fits"): FALSE_FIT, (True, "cannot-tell"): CANNOT_TELL, (False, "does-not-fit"): FALSE_ALARM}
    name = wrong.get((result.case.truth_oom, said))
    return Miss(result, name, None, None, result.outcome.reason or "") if name else None


def _wrong_field(result: Result) -> Optional[Miss]:
    """The field with the largest error."""
    unequal = [
        Miss(result, name, truth, result.ours(name))
        for name, truth in result.case.truth.items()
        if not (_is_close(result) if name in metrics.DEVICE_FIELDS else result.is_exact(name))
    ]
    return max(unequal, key=lambda miss: miss.off, default=None)


def _is_close(result: Result) -> bool:
    return any(point.error <= FAR for point in metrics.points([result], metrics.ours))


def _different_trace(result: Result) -> Optional[Miss]:
    difference = comparison.first_difference(result)
    if difference is None:
        return None
    return Miss(result, difference.what, None, None, f"{difference.truth} / {difference.ours}")
