# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""xMem's second run: the same job with PyTorch's allocator capped at a tool's estimate, rounded to 1 % of the card.

An estimate fails if the job no longer runs under it. If no such run was published, its end follows from
what is known (a cap above the measured peak passes, one below the bytes in use cannot) or from a dry run with the cap.
Jobs whose facts hold `second_run_oom` take --memory-fraction; the entry gives the published ends by tool.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Callable, Iterable, Optional, Sequence

from . import metrics
from .case import Case
from .outcome import Outcome, Result

PUBLISHED_ENDS = "second_run_oom"


def estimate_of(result: Result, tool: str) -> Optional[float]:
    return (metrics.ours if tool == metrics.OURS else metrics.peer(tool))(result)


def fraction(result: Result, tool: str) -> Optional[float]:
    """The cap as a share of the card."""
    estimate = estimate_of(result, tool)
    capacity = result.outcome.capacity
    return round(estimate / capacity, 2) if estimate is not None and capacity else None


def known_end(result: Result, tool: str) -> Optional[bool]:
    """Whether the capped run ends out of memory; None: only a run can show it."""
    published = result.case.facts[PUBLISHED_ENDS].get(tool)
    share = fraction(result, tool)
    if published is not None or share is None or result.truth is None:
        return published
    cap = share * (result.outcome.capacity or 0)
    if cap >= result.truth:
        return False
    return True if cap < (result.ours("peak_allocated") or 0) else None


def is_needed(result: Result, tool: str) -> bool:
    """The second run counts only if the job fitted and the tool said so."""
    asked = PUBLISHED_ENDS in result.case.facts and result.answered and result.case.truth_oom is False
    return asked and metrics.said(result, tool) in ("fits", "tight") and fraction(result, tool) is not None


def capped(result: Result, tool: str) -> Case:
    share = f"{fraction(result, tool):.2f}"
    case = result.case
    return replace(case, id=f"{case.id}, capped at {share}", job=(*case.job, "--memory-fraction", share))


def open_questions(results: Sequence[Result]) -> list[tuple[int, str]]:
    """The second runs that have to be made: index of the result, name of the tool."""
    return [
        (index, tool)
        for index, result in enumerate(results)
        for tool in (metrics.OURS, *metrics.peers_of([result]))
        if is_needed(result, tool) and known_end(result, tool) is None
    ]


def complete(results: Sequence[Result], run: Callable[[list[Case]], Iterable[Result]]) -> list[Result]:
    """The results with the end of every second run that is still open."""
    questions = open_questions(results)
    completed = list(results)
    for (index, tool), end in zip(questions, run([capped(results[index], tool) for index, tool in questions])):
        completed[index] = _with_end(completed[index], tool, end.outcome)
    return completed


def _with_end(result: Result, tool: str, outcome: Outcome) -> Result:
    if outcome.error is not None:
        return result
    ends = {**result.case.facts[PUBLISHED_ENDS], tool: outcome.verdict == "does-not-fit"}
    return replace(result, case=replace(result.case, facts={**result.case.facts, PUBLISHED_ENDS: ends}))


def ended_out_of_memory(result: Result, tool: str) -> Optional[bool]:
    return known_end(result, tool) if PUBLISHED_ENDS in result.case.facts else None
