# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""The three measures by which xMem's authors judge estimators, over all runs with a verdict, out of memory or not."""

from __future__ import annotations

from collections import Counter
from statistics import fmean, median
from typing import Iterable, NamedTuple, Optional

from . import second_run
from .limits import Claim, Contender
from .outcome import Result


class Judged(NamedTuple):
    """A row and what one tool said of it."""

    result: Result
    claim: Claim

    @property
    def flag_is_right(self) -> bool:
        """*Fits, tight* is a claim that it runs: a limit is set, and the job starts."""
        return self.claim.fits is not None and self.claim.fits != self.result.case.truth_oom

    @property
    def end(self) -> Optional[second_run.End]:
        """None: no second run counts."""
        needed = second_run.is_needed(self.result, self.claim)
        return second_run.end(self.result, self.claim.share or "") if needed else None

    @property
    def succeeded(self) -> bool:
        if not self.flag_is_right:
            return False
        ran = self.claim.assumed or (self.end is not None and self.end.oom is False)
        return bool(self.result.case.truth_oom) or ran

    @property
    def outside(self) -> int:
        """What the device holds beside PyTorch's allocator, by the dry run."""
        return (self.result.ours("device_peak") or 0) - (self.result.ours("peak_reserved") or 0)

    def conserved(self, beside: int = 0) -> float:
        """Bytes of the GPU that a scheduler trusting the tool could give to others; a wrong flag costs all of it."""
        total = self.result.outcome.capacity or 0
        if not self.flag_is_right:
            return -total
        if self.result.case.truth_oom:
            return total
        return total - (self.claim.limit or 0) - beside if self.succeeded else 0

    @property
    def error(self) -> float:
        """|estimate - measured| / measured, where a run out of memory counts with what it had reached."""
        reached = self.result.case.facts["ground"]
        return 1.0 if self.claim.estimate is None else abs(self.claim.estimate - reached) / reached


class Scores(NamedTuple):
    rows: int
    median_error: Optional[float]  # None: a limit that is no estimate
    failure: float  # probability of estimation failure
    conserved: float  # memory conservation potential: bytes per run
    conserved_beside: float  # the same, with what the device holds beside PyTorch taken off
    ends: Counter[str]  # second runs by how their end is known
    undecided: int  # rows whose second run is not known; they count as failed


def is_counted(result: Result) -> bool:
    return result.answered and result.case.truth_oom is not None and second_run.PUBLISHED_ENDS in result.case.facts


def judged(results: Iterable[Result], contender: Contender) -> list[Judged]:
    """The rows that the tool was asked about."""
    pairs = [(result, contender.claim(result)) for result in results if is_counted(result)]
    return [Judged(result, claim) for result, claim in pairs if claim is not None]


def scores(results: Iterable[Result], contender: Contender) -> Optional[Scores]:
    """None: the tool has no answer for any of the rows. An unsupported row counts with an error of 100 %."""
    rows = judged(results, contender)
    if not any(row.claim.limit is not None for row in rows):
        return None
    ends = [row.end for row in rows if row.end is not None]
    estimates = any(row.claim.estimate is not None for row in rows)
    return Scores(
        len(rows),
        median(row.error for row in rows) if estimates else None,
        fmean(not row.succeeded for row in rows),
        fmean(row.conserved() for row in rows),
        fmean(row.conserved(row.outside) for row in rows),
        Counter(end.by for end in ends if end.oom is not None),
        sum(end.oom is None for end in ends),
    )
