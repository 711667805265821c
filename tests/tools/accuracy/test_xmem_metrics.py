# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""xMem's three measures, the limits that they judge, and the second runs they rest on. The GPUs have 10,000 MiB."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Callable

import pytest
from accuracy_lib import board, limits, second_run, xmem_metrics
from accuracy_lib.case import Case
from accuracy_lib.limits import Contender, contenders
from accuracy_lib.outcome import Outcome, Result
from accuracy_lib.second_run import ARGUMENT, DRY_RUN, PUBLISHED, End

Make = Callable[..., Result]
MIB = 1 << 20
EVERY_ANSWER = {
    "estimate": Outcome(measured={"device_growth": 4800 * MIB}, verdict="fits", limits={"least_cap_fraction": 0.45}),
    "prediction": {"verdict": "tight", "median_bytes": 4000 * MIB, "upper_bytes": 7000 * MIB},
}


def contender(results: list[Result], tool: str, limit: str = limits.ESTIMATE) -> Contender:
    return next(each for each in contenders(results) if (each.tool, each.limit) == (tool, limit))


def scores(results: list[Result], tool: str = "dryfit", limit: str = limits.ESTIMATE) -> xmem_metrics.Scores:
    found = xmem_metrics.scores(results, contender(results, tool, limit))
    assert found
    return found


def published(ground: int = 4950, oom: bool = True) -> dict[str, Any]:
    return {"ground": ground * MIB, "second_run_oom": {"xmem": oom}}


def dry(result: Result, **ends: str) -> Result:
    facts = {**result.case.facts, second_run.DRY_ENDS: {f"0.{share[1:]}": word for share, word in ends.items()}}
    return replace(result, case=replace(result.case, facts=facts))


def test_only_a_cap_that_the_dry_run_never_met_is_decided_without_a_run(nvml_row: Make) -> None:
    row = nvml_row(4950, 4990)  # reserves 4,964 MiB
    assert second_run.end(row, "0.4964") == End(False, ARGUMENT)
    assert second_run.end(row, "0.4963") is second_run.NOT_MADE
    assert second_run.end(row, "0.10") is second_run.NOT_MADE  # below what was allocated: a library may take less
    retried = replace(row, outcome=replace(row.outcome, measured={**row.outcome.measured, "alloc_retries": 1}))
    assert second_run.end(retried, "0.60") is second_run.NOT_MADE


def test_a_published_end_decides_at_its_own_cap_only_whoever_sets_it(nvml_row: Make) -> None:
    row = nvml_row(4950, 4990, xmem=6000, facts=published())
    assert second_run.end(row, "0.60") == End(True, PUBLISHED)
    assert second_run.end(row, "0.6000") == End(True, PUBLISHED)
    assert second_run.end(row, "0.61") == End(False, ARGUMENT)
    assert second_run.end(row, "0.30") is second_run.NOT_MADE


def test_a_capped_dry_run_with_retries_ran_and_one_without_an_answer_decides_nothing(nvml_row: Make) -> None:
    row = dry(nvml_row(4950, 4990), _30="tight", _20="does-not-fit", _10="no answer after 900 s", _40="cannot-tell")
    assert second_run.end(row, "0.30") == End(False, DRY_RUN)
    assert second_run.end(row, "0.20") == End(True, DRY_RUN)
    assert second_run.end(row, "0.10") == End(None, "no answer after 900 s")
    assert second_run.end(row, "0.40") == End(None, "cannot-tell")


def test_an_estimate_is_rounded_to_a_hundredth_of_the_gpu_and_a_cap_is_passed_as_it_is(nvml_row: Make) -> None:
    row = limits.with_answers(nvml_row(5000, 4949), None, None)
    assert contender([row], "dryfit").claim(row).share == "0.49"
    assert contender([row], "dryfit", limits.COMFORTABLE).claim(row).share == "0.4923"
    least = contender([row], "dryfit", limits.LEAST).claim(row)
    assert (least.share, least.limit, least.estimate) == ("0.4623", pytest.approx(4623 * MIB), None)
    case = second_run.capped(row.case, least.share)
    assert case.job == ("job.py", "--batch", "4", "--memory-fraction", "0.4623")


def test_a_limit_above_the_gpu_is_the_gpu(nvml_row: Make) -> None:
    row = limits.with_answers(nvml_row(9980, 9990, xmem=12_000), None, None)
    row = replace(row, outcome=replace(row.outcome, limits={"least_cap_fraction": 0.9951}))
    assert contender([row], "xmem").claim(row).share == "1.00"
    assert contender([row], "dryfit", limits.LEAST).claim(row).share == "1.00"


@pytest.mark.parametrize(("verdict", "failure"), [("tight", 0.0), ("does-not-fit", 1.0)])
def test_an_open_second_run_is_made_once_and_its_end_counts(nvml_row: Make, verdict: str, failure: float) -> None:
    asked: list[Case] = []

    def run(cases: list[Case]) -> list[Result]:
        asked.extend(cases)
        return [Result(case, Outcome(verdict=verdict)) for case in cases]

    rows = [nvml_row(4950, 4999), nvml_row(4950, 4940, xmem=4941, id="open")]
    before = scores(rows)
    after = scores(second_run.complete(rows, run))
    assert [case.id for case in asked] == ["open, capped at 0.49"]
    assert (before.undecided, after.undecided) == (1, 0)
    assert (after.ends[ARGUMENT], after.ends[DRY_RUN]) == (1, 1)
    assert after.failure == failure / 2


def test_the_measures_follow_their_definition(nvml_row: Make) -> None:
    rows = [
        nvml_row(4950, 4999),  # right, the second run passes: 5,001 MiB are left to others
        nvml_row(9000, 9000, oom=True, verdict="does-not-fit"),  # right: the whole GPU
        nvml_row(9000, 8100, oom=True, verdict="fits"),  # a false fit costs the whole GPU
        nvml_row(5000, 5000, verdict="does-not-fit"),  # so does a false alarm
    ]
    found = scores(rows)
    assert found.rows == 4
    assert found.median_error == pytest.approx((0 + 49 / 4950) / 2)
    assert found.failure == 0.5
    assert found.conserved == pytest.approx((5001 + 10_000 - 10_000 - 10_000) * MIB / 4)
    outside = 90 + 26
    assert found.conserved_beside == pytest.approx(found.conserved - outside * MIB / 4)


def test_tight_is_a_claim_that_the_job_runs(nvml_row: Make) -> None:
    rows = [nvml_row(4950, 4999, verdict="tight"), nvml_row(9000, 9000, oom=True, verdict="tight")]
    found = scores(rows)
    assert found.failure == 0.5
    assert found.conserved == pytest.approx((5001 - 10_000) * MIB / 2)


def test_a_tool_that_says_nothing_has_no_scores_and_a_row_without_an_answer_is_left_out(nvml_row: Make) -> None:
    row = nvml_row(4950, 4990)
    assert xmem_metrics.scores([row], contender([nvml_row(1, 1, xmem=1)], "xmem")) is None
    failed = replace(row, outcome=Outcome(error="it failed"))
    assert scores([row, failed]).rows == 1


def test_the_caps_of_every_command_and_the_measured_peak_are_judged_where_they_are_asked_for(nvml_row: Make) -> None:
    plain = nvml_row(4950, 4990, xmem=6000)
    assert [(each.tool, each.limit) for each in contenders([plain])] == [("dryfit", "estimate"), ("xmem", "estimate")]
    row = limits.with_answers(plain, *EVERY_ANSWER.values())
    shares = {(each.tool, each.limit): each.claim(row).share for each in contenders([row])}
    assert shares["dryfit estimate", "estimate"] == "0.48"
    assert shares["dryfit estimate", "least cap + 1 %"] == "0.46"
    assert shares["dryfit estimate", "comfortable cap"] == "1.00"
    assert shares["dryfit predict", "estimate"] == "0.40"
    assert shares["dryfit predict", "upper bound"] == "0.70"
    assert shares["oracle", "measured peak"] == "0.49" == shares["oracle", "measured peak, if all ran"]
    assert [share for _, share in second_run.open_questions([row])] == ["0.4664", "0.48", "0.46", "0.40", "0.49"]


def test_an_answer_without_limits_that_met_no_bound_needs_what_it_reserved(nvml_row: Make) -> None:
    row = nvml_row(4950, 4990)
    said = Outcome(measured={"peak_reserved": 4964 * MIB + 1}, verdict="fits", capacity=10_000 * MIB)
    assert limits.comfortable(row, said).share == "0.4965"
    assert limits.least(row, said).share is None


def test_a_job_that_fills_the_gpu_gets_it_where_no_cap_is_reported(nvml_row: Make) -> None:
    row = nvml_row(9980, 9990, verdict="tight")
    said = replace(row.outcome, limits={"comfortable_cap_fraction": None, "least_cap_fraction": 0.95})
    assert limits.comfortable(row, said).share == "1.00"
    assert limits.least(row, said).share == "0.96"
    assert limits.least(row, replace(said, limits={})).share == "1.00"
    retried = replace(row, outcome=replace(said, measured={**said.measured, "alloc_retries": 3}))
    assert second_run.end(retried, "1.00") == End(False, ARGUMENT)
    assert second_run.end(retried, "0.9999") is second_run.NOT_MADE


def test_a_command_that_cannot_answer_fails_the_row(nvml_row: Make) -> None:
    row = limits.with_answers(nvml_row(4950, 4990), Outcome(error="the host is too small"), None)
    for tool in ("dryfit estimate", "dryfit predict"):
        (judged,) = xmem_metrics.judged([row], contender([row], tool))
        assert (judged.succeeded, judged.conserved()) == (False, -10_000 * MIB)


def test_the_oracle_is_shown_as_it_ends_and_as_if_every_run_had_ended_well(nvml_row: Make) -> None:
    row = limits.with_answers(dry(nvml_row(4950, 4990), _49="does-not-fit"), None, None)
    assert scores([row], "oracle", limits.ORACLE).failure == 1
    idealised = scores([row], "oracle", limits.IDEALISED)
    assert (idealised.failure, idealised.conserved) == (0, 5050 * MIB)


def test_every_failed_limit_of_ours_and_every_undecided_one_is_named(nvml_row: Make) -> None:
    rows = [
        dry(nvml_row(4950, 4940, id="short", xmem=3000), _49="does-not-fit"),
        nvml_row(5000, 5000, id="alarm", verdict="does-not-fit"),
    ]
    assert [list(line) for line in board.failures(rows).lines] == [
        ["published", "short", "dryfit", "estimate", "0.49", "out of memory, dry run"],
        ["published", "alarm", "dryfit", "estimate", "0.50", "false alarm"],
        ["published", "short", "xmem", "estimate", "0.30", "undecided: not run"],
    ]


def test_the_board_counts_how_the_ends_are_known(nvml_row: Make) -> None:
    rows = [
        nvml_row(4950, 4999, xmem=6000, facts=published(oom=False)),
        dry(nvml_row(4950, 4940, id="b"), _49="fits"),
    ]
    (ours, theirs) = board.measures(rows).lines
    assert ours[1:4] == ["dryfit", "estimate", "2"] and ours[-4:] == ["0", "1", "1", "0"]
    assert theirs[1:4] == ["xmem", "estimate", "1"] and theirs[-4:] == ["1", "0", "0", "0"]
