# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""From records to errors, spreads and right or wrong verdicts. Pure."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import fmean, median
from typing import Callable, Iterable, NamedTuple, Optional

from .models import is_cnn
from .rows import PEERS
from .study import Record

MIB = 1 << 20
TOLERANCE_BYTES = 2 * MIB  # either side of the median: a spread of 4 MiB
REQUIRED_SHARE = 0.9
CHECKED_BATCH = 16

Estimator = Callable[[Record], Optional[int]]


def reserved(record: Record) -> Optional[int]:
    return record["ours_bytes"]


def above_context(record: Record) -> Optional[int]:
    """What the job adds to a card that holds a bare context: PyTorch's memory, libraries and code."""
    if record["ours_device_bytes"] is None:
        return None
    return record["ours_device_bytes"] - record["ours_context_bytes"]


def reserved_since_load(record: Record) -> Optional[int]:
    """Comparable with measurements whose baseline was taken when the model was already on the card."""
    if record["ours_bytes"] is None or record["ours_reserved_after_load_bytes"] is None:
        return None
    return record["ours_bytes"] - record["ours_reserved_after_load_bytes"]


def _peer(name: str) -> Estimator:
    return lambda record: (record["peers"][name] or {}).get("bytes")


ESTIMATORS: dict[str, Estimator] = {
    "dryfit, reserved": reserved,
    "dryfit, above context": above_context,
    **{name: _peer(name) for name in PEERS},
}


class Errors(NamedTuple):
    """Relative errors |estimate - truth| / truth over the rows that have an estimate."""

    rows: int
    median: float
    mean: float
    p95: float
    worst: float


def has_truth(record: Record) -> bool:
    return "error" not in record and not record["truth_oom"]


def errors(records: Iterable[Record], estimate: Estimator) -> Optional[Errors]:
    values = sorted(
        abs(guess - record["truth_bytes"]) / record["truth_bytes"]
        for record in records
        if (guess := estimate(record)) is not None
    )
    if not values:
        return None
    return Errors(len(values), median(values), fmean(values), values[math.ceil(0.95 * len(values)) - 1], values[-1])


class Spread(NamedTuple):
    """How constant truth - estimate is."""

    rows: int
    median: float  # bytes
    within: int  # rows no further than TOLERANCE_BYTES from the median


def spread(records: Iterable[Record], estimate: Estimator) -> Optional[Spread]:
    differences = [record["truth_bytes"] - guess for record in records if (guess := estimate(record)) is not None]
    if not differences:
        return None
    middle = median(differences)
    return Spread(len(differences), middle, sum(abs(value - middle) <= TOLERANCE_BYTES for value in differences))


@dataclass
class Verdicts:
    fits_right: int = 0
    false_alarms: int = 0  # it fitted; the tool said it would not
    oom_right: int = 0
    false_fits: int = 0  # it ran out of memory; the tool said it would fit

    def count(self, truth_oom: bool, said_oom: bool) -> None:
        if truth_oom:
            self.oom_right += said_oom
            self.false_fits += not said_oom
        else:
            self.false_alarms += said_oom
            self.fits_right += not said_oom


def said_oom(record: Record, tool: str) -> Optional[bool]:
    if tool == "dryfit":
        return None if "error" in record else record["ours_verdict"] != "fits"
    return (record["peers"][tool] or {}).get("oom")


def verdicts(records: Iterable[Record], tool: str) -> Verdicts:
    tally = Verdicts()
    for record in records:
        said = said_oom(record, tool)
        if said is not None:
            tally.count(record["truth_oom"], said)
    return tally


class Check(NamedTuple):
    rows: int
    within: int

    @property
    def passed(self) -> bool:
        return self.rows > 0 and self.within >= REQUIRED_SHARE * self.rows


def check(records: Iterable[Record]) -> Check:
    """Transformer rows with a known zero_grad position and batch >= CHECKED_BATCH that fitted; a row without an answer
    counts as outside. CNN rows are left out: their published baseline was taken while the model was being copied."""
    chosen = [record for record in records if _is_checked(record)]
    by_card: dict[str, list[Record]] = {}
    for record in chosen:
        by_card.setdefault(record["gpu_name"], []).append(record)
    spreads = [spread(group, reserved) for group in by_card.values()]
    return Check(len(chosen), sum(found.within for found in spreads if found))


def _is_checked(record: Record) -> bool:
    explicit = record["zero_grad_mode"] is not None and record["batch_size"] >= CHECKED_BATCH
    return explicit and not record["truth_oom"] and not is_cnn(record["model"])
