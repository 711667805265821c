# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Errors, exact shares, constants and verdicts of accuracy_lib.metrics."""

from __future__ import annotations

from typing import Callable

import pytest
from accuracy_lib import metrics
from accuracy_lib.outcome import Outcome, Result

Make = Callable[..., Result]


def test_a_row_is_exact_in_reserved_only_if_every_such_field_is(exact_field: Make) -> None:
    truth = {"peak_allocated": 100, "peak_reserved": 200, "end_reserved": 150}
    rows = [exact_field(truth, truth), exact_field(truth, {**truth, "end_reserved": 151})]
    assert metrics.exact_share(rows, "reserved") == (1, 2)
    assert metrics.exact_share(rows, "allocated") == (2, 2)
    assert metrics.exact_share(rows) == (1, 2)


def test_a_run_without_an_answer_counts_as_missed_and_a_row_that_cannot_be_run_does_not(exact_field: Make) -> None:
    truth = {"peak_reserved": 200}
    rows = [exact_field(truth, truth), exact_field(truth, {}, error="it failed"), exact_field(truth, {}, cannot="no")]
    assert metrics.exact_share(rows, "reserved") == (1, 2)
    assert metrics.near_share(rows) == (1, 2)


def test_a_rounded_truth_is_met_within_its_rounding(exact_field: Make) -> None:
    row = exact_field({"peak_reserved": 1000}, {"peak_reserved": 1004}, tolerance={"peak_reserved": 5})
    assert metrics.exact_share([row]) == (1, 1)
    assert [point.error for point in metrics.points([row], metrics.ours)] == [0]


def test_device_level_truth_is_not_a_claim_about_bytes_of_pytorch(nvml_row: Make) -> None:
    assert metrics.exact_share([nvml_row(1000, 1000)]) == (0, 0)


def test_errors_are_median_mean_nearest_rank_p95_and_worst(exact_field: Make) -> None:
    rows = [exact_field({"peak_reserved": 1000}, {"peak_reserved": 1000 + off}) for off in range(20)]
    found = metrics.errors(rows, metrics.ours)
    assert found == pytest.approx((20, 0.0095, 0.0095, 0.018, 0.019))


def test_the_constant_belongs_to_one_card(nvml_row: Make) -> None:
    rows = [nvml_row(1030, 1000, card="a"), nvml_row(2031, 2000, card="a"), nvml_row(3100, 3000, card="b")]
    constants = {key[2]: value / (1 << 20) for key, value in metrics.constants(rows).items()}
    assert constants == {"a": 30.5, "b": 100}
    assert metrics.near_share([*rows, nvml_row(4000, 3000, card="a")]) == (3, 4)


def test_estimators_are_ours_and_every_peer_that_says_something(nvml_row: Make, exact_field: Make) -> None:
    ours = ["dryfit", "dryfit, reserved", "dryfit + constant"]
    assert list(metrics.estimators([nvml_row(1000, 990)])) == ours
    assert list(metrics.estimators([nvml_row(1000, 990, xmem=900)])) == [*ours, "xmem"]
    assert list(metrics.estimators([exact_field({"peak_reserved": 1}, {})])) == ["dryfit"]


@pytest.mark.parametrize(
    ("oom", "verdict", "counted"),
    [
        (False, "fits", "fits_right"),
        (False, "tight", "tight_fitted"),
        (False, "does-not-fit", "false_alarms"),
        (True, "does-not-fit", "oom_right"),
        (True, "fits, tight", "tight_oom"),
        (True, "fits", "false_fits"),
        (True, "cannot-tell", "cannot_tell"),
    ],
)
def test_a_verdict_is_counted_by_what_was_said_and_what_happened(
    nvml_row: Make, oom: bool, verdict: str, counted: str
) -> None:
    tally = metrics.verdicts([nvml_row(1000, 1000, oom=oom, verdict=verdict)], metrics.OURS)
    assert {name: count for name, count in vars(tally).items() if count} == {counted: 1}


def test_a_failed_run_cannot_tell_and_a_peer_gives_its_flag(nvml_row: Make) -> None:
    row = nvml_row(1000, 1000, oom=True, xmem=900)
    assert metrics.verdicts([row], "xmem").false_fits == 1
    assert metrics.verdicts([Result(row.case, Outcome(error="it failed"))], metrics.OURS).cannot_tell == 1
    assert metrics.verdicts([row], "llmem").rows == 0
