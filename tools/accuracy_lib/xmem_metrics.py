# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""The three measures by which xMem's authors judge estimators, over all runs with a verdict, out of memory or not."""

from __future__ import annotations

from statistics import fmean, median
from typing import Iterable, NamedTuple, Optional

from . import metrics, second_run
from .outcome import Result


class Scores(NamedTuple):
    rows: int
    median_error: float
    failure: float  # probability of estimation failure
    conserved: float  # memory conservation potential: bytes per run
    undecided: int  # rows whose second run is not known; they count as failed


def is_counted(result: Result) -> bool:
    return result.answered and result.case.truth_oom is not None and second_run.PUBLISHED_ENDS in result.case.facts


def flag_is_right(result: Result, tool: str) -> bool:
    """`tight` claims neither, so it is right either way."""
    word = metrics.said(result, tool)
    return word == "tight" or word == ("does-not-fit" if result.case.truth_oom else "fits")


def succeeded(result: Result, tool: str) -> bool:
    if not flag_is_right(result, tool):
        return False
    return bool(result.case.truth_oom) or second_run.ended_out_of_memory(result, tool) is False


def conserved(result: Result, tool: str) -> float:
    """Bytes of the card that a scheduler trusting the tool could give to others; a wrong flag costs the whole card."""
    total = result.outcome.capacity or 0
    if not flag_is_right(result, tool):
        return -total
    if result.case.truth_oom:
        return total
    return total - (second_run.estimate_of(result, tool) or 0) if succeeded(result, tool) else 0


def error_over_reached(result: Result, tool: str) -> float:
    """|estimate - measured| / measured, where a run out of memory counts with what it had reached."""
    estimate, reached = second_run.estimate_of(result, tool), result.case.facts["ground"]
    return abs(estimate - reached) / reached if estimate is not None else 1.0


def scores(results: Iterable[Result], tool: str) -> Optional[Scores]:
    """None: the tool has no answer for any of the rows. An unsupported row counts with an error of 100 %."""
    rows = [result for result in results if is_counted(result) and _is_asked(result, tool)]
    if not any(second_run.estimate_of(result, tool) is not None for result in rows):
        return None
    undecided = [
        result
        for result in rows
        if second_run.is_needed(result, tool) and second_run.ended_out_of_memory(result, tool) is None
    ]
    return Scores(
        len(rows),
        median(error_over_reached(result, tool) for result in rows),
        fmean(not succeeded(result, tool) for result in rows),
        fmean(conserved(result, tool) for result in rows),
        len(undecided),
    )


def _is_asked(result: Result, tool: str) -> bool:
    return tool == metrics.OURS or result.case.peers.get(tool) is not None
