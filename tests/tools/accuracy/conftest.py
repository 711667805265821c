# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Results made by hand, and the tool's parts on the path."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any, Callable

import pytest

REPOSITORY = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(REPOSITORY / "tools"))

from accuracy_lib.case import Case, Estimate  # noqa: E402
from accuracy_lib.outcome import Outcome, Result  # noqa: E402

MIB = 1 << 20


@pytest.fixture
def make_case() -> Callable[..., Case]:
    def make(**changes: Any) -> Case:
        values = {"source": "peaks", "id": "row", "group": "all", "card": "b200", "venv": "torch-2.11.0"}
        return Case(**{**values, "job": ("job.py", "--batch", "4"), **changes})

    return make


@pytest.fixture
def exact_field(make_case: Callable[..., Case]) -> Callable[..., Result]:
    """A row of PyTorch's own numbers."""

    def make(truth: dict[str, int], ours: dict[str, int], error: str | None = None, **changes: Any) -> Result:
        return Result(make_case(truth=truth, **changes), Outcome(measured=ours, verdict="fits", error=error))

    return make


@pytest.fixture
def nvml_row(make_case: Callable[..., Case]) -> Callable[..., Result]:
    """A published run as NVML saw it; sizes in MiB."""

    def make(
        ground: int, ours: int, oom: bool = False, verdict: str = "fits", xmem: int | None = None, **changes: Any
    ) -> Result:
        facts = {"ground": ground * MIB, "second_run_oom": {}}
        peers = {"xmem": None if xmem is None else Estimate(xmem * MIB, xmem > 10_000)}
        case = make_case(
            truth={} if oom else {"device_growth": ground * MIB},
            main="device_growth",
            truth_oom=oom,
            **{"source": "published", "facts": facts, "peers": peers, **changes},
        )
        reserved = ours - 26
        sizes = {"device_growth": ours, "device_peak": ours + 90, "peak_reserved": reserved}
        sizes["peak_allocated"] = ours // 2
        measured = {**{name: size * MIB for name, size in sizes.items()}, "alloc_retries": 0}
        limits = {"comfortable_cap_fraction": reserved / 10_000, "least_cap_fraction": (reserved - 400) / 10_000}
        outcome = Outcome(measured=measured, verdict=verdict, capacity=10_000 * MIB, limits=limits)
        return Result(case, outcome)

    return make
