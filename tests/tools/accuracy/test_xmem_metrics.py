# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""xMem's three measures and the second runs they rest on. The cards here have 10,000 MiB."""

from __future__ import annotations

from dataclasses import replace
from typing import Callable

import pytest
from accuracy_lib import metrics, second_run, xmem_metrics
from accuracy_lib.case import Case
from accuracy_lib.outcome import Outcome, Result

Make = Callable[..., Result]
MIB = 1 << 20


def test_a_cap_above_the_measured_peak_passes_and_one_below_the_bytes_in_use_cannot(nvml_row: Make) -> None:
    assert second_run.known_end(nvml_row(4950, 4990), metrics.OURS) is False
    assert second_run.known_end(nvml_row(4950, 4940), metrics.OURS) is None
    assert second_run.known_end(nvml_row(4950, 4940, xmem=2400), "xmem") is True


def test_the_cap_is_rounded_to_a_hundredth_of_the_card(nvml_row: Make) -> None:
    row = nvml_row(5000, 4949)
    assert second_run.fraction(row, metrics.OURS) == 0.49
    assert second_run.capped(row, metrics.OURS).job == ("job.py", "--batch", "4", "--memory-fraction", "0.49")


def test_a_published_end_wins_over_reasoning(nvml_row: Make) -> None:
    facts = {"ground": 4950 * MIB, "second_run_oom": {"xmem": True}}
    assert second_run.known_end(nvml_row(4950, 4990, xmem=6000, facts=facts), "xmem") is True


@pytest.mark.parametrize(("verdict", "failure"), [("fits", 0.0), ("does-not-fit", 1.0)])
def test_an_open_second_run_is_made_and_its_end_counts(nvml_row: Make, verdict: str, failure: float) -> None:
    asked: list[Case] = []

    def run(cases: list[Case]) -> list[Result]:
        asked.extend(cases)
        return [Result(case, Outcome(verdict=verdict)) for case in cases]

    rows = [nvml_row(4950, 4990), nvml_row(4950, 4940, id="open")]
    before = xmem_metrics.scores(rows, metrics.OURS)
    after = xmem_metrics.scores(second_run.complete(rows, run), metrics.OURS)
    assert [case.id for case in asked] == ["open, capped at 0.49"]
    assert (before.undecided, after.undecided) == (1, 0)
    assert after.failure == failure / 2


def test_the_measures_follow_their_definition(nvml_row: Make) -> None:
    rows = [
        nvml_row(4950, 4990),  # right, the second run passes: 5,010 MiB are left to others
        nvml_row(9000, 9000, oom=True, verdict="does-not-fit"),  # right: the whole card
        nvml_row(9000, 8100, oom=True, verdict="fits"),  # a false fit costs the whole card
        nvml_row(5000, 5000, verdict="does-not-fit"),  # so does a false alarm
    ]
    found = xmem_metrics.scores(rows, metrics.OURS)
    assert found.rows == 4
    assert found.median_error == pytest.approx((0 + 40 / 4950) / 2)
    assert found.failure == 0.5
    assert found.conserved == pytest.approx((5010 + 10_000 - 10_000 - 10_000) * MIB / 4)


def test_tight_is_right_both_ways(nvml_row: Make) -> None:
    rows = [nvml_row(4950, 4990, verdict="tight"), nvml_row(9000, 9000, oom=True, verdict="tight")]
    assert xmem_metrics.scores(rows, metrics.OURS).failure == 0


def test_a_tool_that_says_nothing_has_no_scores_and_a_row_without_an_answer_is_left_out(nvml_row: Make) -> None:
    row = nvml_row(4950, 4990)
    assert xmem_metrics.scores([row], "xmem") is None
    failed = replace(row, outcome=Outcome(error="it failed"))
    assert xmem_metrics.scores([row, failed], metrics.OURS).rows == 1
