# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""From results to errors, shares of exact rows and right or wrong verdicts. Pure."""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass
from statistics import fmean, median
from typing import Callable, Iterable, NamedTuple, Optional, Sequence

from .outcome import Result

MIB = 1 << 20
NEAR_BYTES = 2 * MIB  # either side of the card's median: a spread of 4 MiB
OURS = "dryfit"
OURS_RESERVED = "dryfit, reserved"
OURS_CONSTANT = "dryfit + constant"
CAP = "cap"  # among a case's facts: the share of the GPU that PyTorch's allocator may have
DEVICE_FIELDS = ("device_growth", "device_peak")  # what NVML sees, not PyTorch

Estimator = Callable[[Result], Optional[float]]


class Errors(NamedTuple):
    """Relative errors |estimate - truth| / truth."""

    rows: int
    median: float
    mean: float
    p95: float
    worst: float


def has_truth(result: Result) -> bool:
    return bool(result.truth)


class Point(NamedTuple):
    """A row with its measured main field and a tool's answer."""

    result: Result
    truth: int
    guess: float

    @property
    def error(self) -> float:
        """Relative; within the precision of the published value it is zero."""
        case, off = self.result.case, abs(self.guess - self.truth)
        return 0.0 if off <= case.tolerance.get(case.main, 0) else off / self.truth


def points(results: Iterable[Result], estimate: Estimator) -> list[Point]:
    """The rows that have both."""
    pairs = [(result, result.truth, estimate(result)) for result in results]
    return [Point(result, truth, guess) for result, truth, guess in pairs if truth and guess is not None]


def errors(results: Iterable[Result], estimate: Estimator) -> Optional[Errors]:
    values = sorted(point.error for point in points(results, estimate))
    if not values:
        return None
    return Errors(len(values), median(values), fmean(values), values[math.ceil(0.95 * len(values)) - 1], values[-1])


# ---- who estimates


def ours(result: Result) -> Optional[float]:
    return result.main if result.answered else None


def ours_reserved(result: Result) -> Optional[float]:
    return result.ours("peak_reserved") if result.answered else None


def peer(name: str) -> Estimator:
    def estimate(result: Result) -> Optional[float]:
        said = result.case.peers.get(name)
        return said.bytes if said else None

    return estimate


def peers_of(results: Iterable[Result]) -> list[str]:
    """Every peer with an answer for one of the rows, in the order of the rows."""
    named = [name for result in results for name, said in result.case.peers.items() if said and said.bytes is not None]
    return list(dict.fromkeys(named))


def is_device_level(results: Iterable[Result]) -> bool:
    return any(result.case.main in DEVICE_FIELDS for result in results)


def estimators(results: Sequence[Result]) -> dict[str, Estimator]:
    """Ours, ours with the card's constant, and every peer."""
    found: dict[str, Estimator] = {OURS: ours}
    if is_device_level(results):
        found[OURS_RESERVED] = ours_reserved
        found[OURS_CONSTANT] = with_constant(constants(results))
    return {**found, **{name: peer(name) for name in peers_of(results)}}


# ---- the card's constant

CardKey = tuple[str, str, str]


def card_key(result: Result) -> CardKey:
    """The rows that share a constant: by source, group and card."""
    return result.case.source, result.case.group, result.case.card


def constants(results: Iterable[Result]) -> dict[CardKey, float]:
    """Median of truth - ours: what the measurement includes and Dryfit does not count."""
    differences: dict[CardKey, list[float]] = defaultdict(list)
    for result, truth, guess in points(results, ours):
        differences[card_key(result)].append(truth - guess)
    return {key: median(values) for key, values in differences.items()}


def with_constant(constant: dict[CardKey, float]) -> Estimator:
    def estimate(result: Result) -> Optional[float]:
        guess = ours(result)
        return None if guess is None or card_key(result) not in constant else guess + constant[card_key(result)]

    return estimate


class Share(NamedTuple):
    hits: int
    rows: int


def near_share(results: Sequence[Result]) -> Share:
    """Rows within NEAR_BYTES of the truth after the card's constant; one without an answer counts as further off."""
    rows = [result for result in results if has_truth(result) and not result.not_run]
    found = points(rows, with_constant(constants(rows)))
    return Share(sum(abs(point.guess - point.truth) <= NEAR_BYTES for point in found), len(rows))


# ---- to the byte


def exact_share(results: Iterable[Result], part: str = "") -> Share:
    """Rows in which every field that PyTorch counts and that has `part` in its name is equal; one without an answer
    counts as unequal."""
    hits = rows = 0
    for result in results:
        names = [name for name in result.case.truth if part in name and name not in DEVICE_FIELDS]
        if names and not result.not_run:
            rows += 1
            hits += result.answered and all(result.is_exact(name) for name in names)
    return Share(hits, rows)


# ---- verdicts


@dataclass
class Verdicts:
    fits_right: int = 0
    tight_fitted: int = 0  # it fitted; the tool said: tight
    false_alarms: int = 0  # it fitted; the tool said it would not
    oom_right: int = 0
    tight_oom: int = 0  # it ran out of memory; the tool said: tight
    false_fits: int = 0  # it ran out of memory; the tool said it would fit
    cannot_tell: int = 0

    @property
    def rows(self) -> int:
        return sum(vars(self).values())

    def count(self, truth_oom: bool, said: str) -> None:
        name = {
            (False, "fits"): "fits_right",
            (False, "tight"): "tight_fitted",
            (False, "does-not-fit"): "false_alarms",
            (True, "fits"): "false_fits",
            (True, "tight"): "tight_oom",
            (True, "does-not-fit"): "oom_right",
        }.get((truth_oom, said), "cannot_tell")
        setattr(self, name, getattr(self, name) + 1)


def verdict_word(said: Optional[str]) -> str:
    return "tight" if said and "tight" in said else said or "cannot-tell"


def said(result: Result, tool: str) -> Optional[str]:
    """None: the tool was not asked for a verdict. Under a cap, a job that had to release its cache ran all the same."""
    if tool == OURS:
        word = verdict_word(result.outcome.verdict)
        ran = word == "tight" and CAP in result.case.facts
        return None if result.not_run else "fits" if ran else word
    estimate = result.case.peers.get(tool)
    if estimate is None or estimate.oom is None:
        return None
    return "does-not-fit" if estimate.oom else "fits"


def verdicts(results: Iterable[Result], tool: str) -> Verdicts:
    tally = Verdicts()
    for result in results:
        word = said(result, tool)
        if result.case.truth_oom is not None and word is not None:
            tally.count(result.case.truth_oom, word)
    return tally
