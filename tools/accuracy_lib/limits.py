# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""What a tool says of a job, and which limit on PyTorch's allocator follows from it.

An estimate and a limit are two numbers. xMem's rule makes a limit of an estimate: it is rounded to 1 % of the GPU. The
caps that Dryfit reports are limits already: a fraction of four digits, passed as it is.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Callable, Mapping, NamedTuple, Optional, Sequence

from . import metrics
from .outcome import Outcome, Result

CAPS = "caps"  # among a case's facts: the answers of `estimate` and `predict`, if Dryfit's caps are judged too
ESTIMATE = "estimate"
COMFORTABLE = "comfortable cap"
LEAST = "least cap + 1 %"
BOUND = "upper bound"
ORACLE = "measured peak"
IDEALISED = "measured peak, if all ran"
STEP = 0.01  # of the GPU, as xMem's rule rounds
SAYS_FITS = {"fits": True, "tight": True, "does-not-fit": False}


class Claim(NamedTuple):
    fits: Optional[bool]  # None: neither
    estimate: Optional[float] = None  # of the measured quantity
    limit: Optional[float] = None  # bytes that PyTorch's allocator may have
    share: Optional[str] = None  # the same as it is set: a fraction of the GPU
    assumed: bool = False  # the job is taken to run with it


class Contender(NamedTuple):
    tool: str
    limit: str
    claim: Callable[[Result], Optional[Claim]]  # None: it was not asked about the row


def contenders(results: Sequence[Result]) -> list[Contender]:
    found = [Contender(metrics.OURS, ESTIMATE, _run_estimate)]
    judged = any(CAPS in result.case.facts for result in results)
    if judged:
        found += [
            Contender(metrics.OURS, COMFORTABLE, lambda result: comfortable(result, result.outcome)),
            Contender(metrics.OURS, LEAST, lambda result: least(result, result.outcome)),
            *_of_estimate(results),
            *_of_predict(),
        ]
    found += [Contender(name, ESTIMATE, _peer(name)) for name in metrics.peers_of(results)]
    oracles = [Contender("oracle", ORACLE, _oracle), Contender("oracle", IDEALISED, _idealised)]
    return found + oracles * judged


def _of_estimate(results: Sequence[Result]) -> list[Contender]:
    """Estimates that were kept from before reports had limits give no least cap."""
    said = [result.case.facts[CAPS]["estimate"] for result in results if CAPS in result.case.facts]
    ways = {ESTIMATE: _profiled, COMFORTABLE: comfortable}
    if any(answer and answer.limits for answer in said):
        ways[LEAST] = least
    return [Contender(f"{metrics.OURS} estimate", name, _from_profile(way)) for name, way in ways.items()]


def _of_predict() -> list[Contender]:
    parts = {ESTIMATE: "median_bytes", BOUND: "upper_bytes"}
    return [Contender(f"{metrics.OURS} predict", name, _predicted(part)) for name, part in parts.items()]


def with_answers(result: Result, estimate: Optional[Outcome], prediction: Optional[Mapping[str, Any]]) -> Result:
    """The same result, with what the other commands said of its job."""
    facts = {**result.case.facts, CAPS: {"estimate": estimate, "predict": prediction}}
    return replace(result, case=replace(result.case, facts=facts))


# ---- limits


def of_estimate(result: Result, fits: Optional[bool], estimate: Optional[float]) -> Claim:
    """By xMem's rule."""
    capacity = result.outcome.capacity
    if estimate is None or not capacity:
        return Claim(fits, estimate)
    return Claim(fits, estimate, estimate, share_of(estimate, capacity))


def share_of(estimate: float, capacity: int) -> str:
    """xMem's rule: the estimate rounded to 1 % of the GPU."""
    return f"{min(round(estimate / capacity, 2), 1.0):.2f}"


def of_fraction(result: Result, fits: Optional[bool], fraction: Optional[float]) -> Claim:
    if fraction is None:
        return Claim(fits)
    text = f"{min(fraction, 1.0):.4f}"
    share = text[:-2] if text.endswith("00") else text  # equal caps are one run
    return Claim(fits, None, float(share) * (result.outcome.capacity or 0), share)


def comfortable(result: Result, said: Outcome) -> Claim:
    """An answer without limits whose job had no retry needs what it reserved."""
    fraction = _reported(said, "comfortable_cap_fraction")
    if fraction is None and said.verdict == "fits" and said.capacity:
        fraction = _rounded_up(said.measured["peak_reserved"], said.capacity)
    return of_fraction(result, SAYS_FITS.get(said.verdict or ""), fraction)


def least(result: Result, said: Outcome) -> Claim:
    fraction = _reported(said, "least_cap_fraction")
    return of_fraction(result, SAYS_FITS.get(said.verdict or ""), None if fraction is None else fraction + STEP)


def _reported(said: Outcome, name: str) -> Optional[float]:
    """A job that fills the GPU may have no such cap: it gets the GPU."""
    fills_it = bool(said.limits) or said.verdict == "tight"
    return said.limits.get(name) or (1.0 if fills_it else None)


def _rounded_up(cap: int, capacity: int) -> float:
    return -(-cap * 10_000 // capacity) / 10_000


# ---- who says it


def _run_estimate(result: Result) -> Claim:
    return of_estimate(result, SAYS_FITS.get(result.outcome.verdict or ""), metrics.ours(result))


def _peer(name: str) -> Callable[[Result], Optional[Claim]]:
    def claim(result: Result) -> Optional[Claim]:
        said = result.case.peers.get(name)
        return said and of_estimate(result, None if said.oom is None else not said.oom, said.bytes)

    return claim


def _oracle(result: Result) -> Claim:
    return of_estimate(result, not result.case.truth_oom, result.case.facts["ground"])


def _idealised(result: Result) -> Claim:
    return _oracle(result)._replace(assumed=True)


def _profiled(result: Result, said: Outcome) -> Claim:
    return of_estimate(result, SAYS_FITS.get(said.verdict or ""), said.measured.get("device_growth"))


def _from_profile(way: Callable[[Result, Outcome], Claim]) -> Callable[[Result], Optional[Claim]]:
    def claim(result: Result) -> Optional[Claim]:
        said = result.case.facts[CAPS]["estimate"]
        if said is None:
            return None
        return Claim(None) if said.error else way(result, said)

    return claim


def _predicted(part: str) -> Callable[[Result], Optional[Claim]]:
    """`predict` knows PyTorch, libraries and code as one number, without the context."""

    def claim(result: Result) -> Optional[Claim]:
        said = result.case.facts[CAPS]["predict"]
        return of_estimate(result, SAYS_FITS[said["verdict"]], said[part]) if said else Claim(None)

    return claim
