# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""xMem's second run: the same job with PyTorch's allocator capped at a limit. A limit fails if the job no longer runs.

How such a run ends is known in one of three ways, in this order:

- It was published. A published end holds for the cap that it was measured with and for no other, since running is not
  monotone in the cap.
- By an argument, Note [A cap that is never met].
- By a dry run with the cap. Jobs whose facts hold `second_run_oom`, the published ends by tool, take
  --memory-fraction.

Note [A cap that is never met]: the dry run without a cap never reserved more than the cap allows, and no request had to
be tried again. PyTorch compares the cap with nothing but what it would have reserved after each segment, so the dry
run with the cap would be the same run, call by call. The same holds for a cap of the whole GPU, retries or not: what it
refuses the GPU can't give. Nothing else decides without a run: a cap above the measured
growth may be met, because the growth of a CNN leaves out its model, and a cap below the bytes in use may run, because
cuDNN then takes a smaller workspace.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Callable, Iterable, NamedTuple, Optional, Sequence

from .case import Case
from .limits import Claim, contenders, share_of
from .outcome import Outcome, Result

PUBLISHED_ENDS = "second_run_oom"
DRY_ENDS = "second_runs"  # among the facts: the verdict, or why there is none, of the dry run with each cap
PUBLISHED, ARGUMENT, DRY_RUN = "published", "argument", "dry run"
RAN_OUT = {"fits": False, "tight": False, "does-not-fit": True}


class End(NamedTuple):
    oom: Optional[bool]  # None: not known
    by: str  # or why it is not known


NOT_MADE = End(None, "not run")


def end(result: Result, share: str) -> End:
    """How the job ends with its allocator capped at this share of the GPU."""
    published = _published(result, share)
    if published is not None:
        return End(published, PUBLISHED)
    if float(share) >= 1 and result.outcome.verdict in RAN_OUT:
        return End(RAN_OUT[result.outcome.verdict], ARGUMENT)
    if never_met(result, share):
        return End(False, ARGUMENT)
    dry = result.case.facts.get(DRY_ENDS, {}).get(share)
    if dry is None:
        return NOT_MADE
    return End(RAN_OUT[dry], DRY_RUN) if dry in RAN_OUT else End(None, dry)


def _published(result: Result, share: str) -> Optional[bool]:
    """Whoever set it: the same cap is the same run."""
    ends = result.case.facts[PUBLISHED_ENDS]
    said = {tool: result.case.peers.get(tool) for tool in ends}
    caps = {tool: share_of(who.bytes, result.outcome.capacity) for tool, who in said.items() if who and who.bytes}
    return next((ends[tool] for tool, cap in caps.items() if float(cap) == float(share)), None)


def never_met(result: Result, share: str) -> bool:
    """Note [A cap that is never met]."""
    reserved, allowed = result.ours("peak_reserved"), int(float(share) * (result.outcome.capacity or 0))
    return result.ours("alloc_retries") == 0 and reserved is not None and reserved <= allowed


def is_needed(result: Result, claim: Optional[Claim]) -> bool:
    """The second run counts only if the job fitted and the tool said so."""
    asked = PUBLISHED_ENDS in result.case.facts and result.answered and result.case.truth_oom is False
    return asked and claim is not None and claim.fits is True and claim.share is not None and not claim.assumed


def capped(case: Case, share: str) -> Case:
    return replace(case, id=f"{case.id}, capped at {share}", job=(*case.job, "--memory-fraction", share))


def open_questions(results: Sequence[Result]) -> list[tuple[int, str]]:
    """The second runs that have to be made, each once: index of the result, and the cap."""
    asked = contenders(results)
    questions = dict.fromkeys(
        (index, claim.share)
        for index, result in enumerate(results)
        for contender in asked
        if PUBLISHED_ENDS in result.case.facts and is_needed(result, claim := contender.claim(result))
    )
    return [(index, share) for index, share in questions if end(results[index], share) is NOT_MADE]


def complete(results: Sequence[Result], run: Callable[[list[Case]], Iterable[Result]]) -> list[Result]:
    """The results with the end of every second run that is still open."""
    questions = open_questions(results)
    completed = list(results)
    for (index, share), made in zip(questions, run([capped(results[index].case, share) for index, share in questions])):
        completed[index] = _with_end(completed[index], share, made.outcome)
    return completed


def _with_end(result: Result, share: str, outcome: Outcome) -> Result:
    ends = {**result.case.facts.get(DRY_ENDS, {}), share: outcome.error or outcome.verdict}
    return replace(result, case=replace(result.case, facts={**result.case.facts, DRY_ENDS: ends}))
