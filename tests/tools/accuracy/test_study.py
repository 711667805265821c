# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""From cases to results with a runner that runs nothing, and from what Dryfit prints to an outcome."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any, Callable, Optional

import pytest
from accuracy_lib import catalogue
from accuracy_lib.answers import Answers
from accuracy_lib.case import Case
from accuracy_lib.outcome import Outcome
from accuracy_lib.runner import outcome_of
from accuracy_lib.study import Study
from dryfit_command import Answer

MakeCase = Callable[..., Case]

REPORTED = {
    "verdict": "fits",
    "capacity_bytes": 1000,
    "device_peak_bytes": 700,
    "torch": {"peak_reserved_bytes": 500, "peak_allocated_bytes": 400, "reserved_after_load_bytes": None},
    "outside_torch": {"context_bytes": 150, "libraries_bytes": 40, "code_bytes": 10},
    "oom": None,
    "reason": None,
}


class FakeRunner:
    def __init__(self) -> None:
        self.ran: list[str] = []

    def obstacle(self, case: Case) -> Optional[str]:
        return "no environment" if case.venv == "missing" else None

    def run(self, case: Case, source: Optional[catalogue.Source]) -> Outcome:
        self.ran.append(case.id)
        return Outcome(measured={"peak_reserved": len(case.id)}, verdict="fits")


@pytest.fixture
def study(tmp_path: Path) -> tuple[Study, FakeRunner]:
    runner = FakeRunner()
    return Study(runner, Answers(tmp_path / "answers.jsonl", "b"), {}, workers=2), runner


def test_results_come_in_the_order_of_the_cases(study: tuple[Study, FakeRunner], make_case: MakeCase) -> None:
    cases = [make_case(id=name, card=name) for name in ("ccc", "a", "bb")]
    results = list(study[0].results(cases))
    assert [(result.case.id, result.ours("peak_reserved")) for result in results] == [("ccc", 3), ("a", 1), ("bb", 2)]


def test_equal_runs_and_finished_ones_are_made_once(study: tuple[Study, FakeRunner], make_case: MakeCase) -> None:
    cases = [make_case(id="first"), make_case(id="same settings"), make_case(id="other", card="h100")]
    list(study[0].results(cases))
    again = list(study[0].results(cases))
    assert sorted(study[1].ran) == ["first", "other"]
    assert all(result.answered for result in again)


def test_what_cannot_be_run_is_kept_with_its_reason(study: tuple[Study, FakeRunner], make_case: MakeCase) -> None:
    cases = [make_case(cannot="needs a compiler"), make_case(venv="missing")]
    results = list(study[0].results(cases))
    assert [result.not_run for result in results] == ["needs a compiler", "no environment"]
    assert study[1].ran == []


def answer(code: int, **changes: Any) -> Answer:
    return Answer(code, {"results": [{**REPORTED, **changes}]}, "Traceback\nValueError: no\n", 3.14159)


def test_an_outcome_has_what_dryfit_reports_and_what_the_job_measured() -> None:
    outcome = outcome_of(answer(0), {"end_allocated": 9, "peak_allocated": 390})
    assert outcome.measured == {
        "peak_reserved": 500,
        "peak_allocated": 390,
        "device_peak": 700,
        "device_growth": 550,
        "end_allocated": 9,
    }
    assert (outcome.verdict, outcome.capacity, outcome.seconds) == ("fits", 1000, 3.14)


def test_out_of_memory_is_an_answer_with_its_request() -> None:
    oom = {"requested_bytes": 64, "device_free_bytes": 32}
    outcome = outcome_of(answer(3, verdict="does_not_fit", oom=oom), None)
    assert outcome.error is None
    assert outcome.verdict == "does-not-fit"
    assert (outcome.measured["oom_requested"], outcome.measured["oom_free"]) == (64, 32)


def test_a_job_that_never_steps_counts_if_it_measured_and_else_it_failed() -> None:
    assert outcome_of(answer(1, verdict="cannot-tell"), {"peak_allocated": 5}).error is None
    assert outcome_of(answer(1, verdict="cannot-tell"), None).error == "ValueError: no"
    assert outcome_of(replace(answer(0), report=None), {}).error == "ValueError: no"


def test_every_source_says_its_name_its_file_and_how_to_read_it() -> None:
    sources = catalogue.discover()
    assert {"xmem-cnn", "xmem-transformer"} <= {source.name for source in sources}
    assert len({source.name for source in sources}) == len(sources)
    assert all(source.file and callable(source.cases) for source in sources)
