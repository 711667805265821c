# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""What the scoreboard and its page say about results made by hand."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Callable
from xml.etree import ElementTree

import pytest
from accuracy_lib import misses, page, scoreboard
from accuracy_lib.outcome import Outcome, Result
from accuracy_lib.tables import Table

Make = Callable[..., Result]


@pytest.fixture
def results(exact_field: Make, nvml_row: Make) -> list[Result]:
    truth = {"peak_allocated": 1 << 30, "peak_reserved": 2 << 30}
    difference = {"event": 7, "truth": "free 512 model.py:3", "ours": "free <1024> job.py:9"}
    traced = exact_field(truth, truth, id="traced")
    compared = {"events": 12, "equal": False, "cuda_mallocs": [3, 4], "first_difference": difference}
    return [
        exact_field(truth, truth, id="right"),
        exact_field(truth, {**truth, "peak_reserved": (2 << 30) - 512}, id="wrong"),
        exact_field(truth, {}, id="later", cannot="needs torch.compile"),
        replace(traced, outcome=replace(traced.outcome, compared=compared)),
        nvml_row(4950, 4990, xmem=5100, id="near"),
        nvml_row(4950, 4000, xmem=9000, id="far", card="h100"),
        nvml_row(9000, 8000, oom=True, verdict="fits", xmem=12000, id="false fit"),
        Result(nvml_row(1000, 0, id="broken").case, Outcome(error="ValueError: no")),
    ]


def cells(table: Table, *start: str) -> list[str]:
    found = [list(line) for line in table.lines if list(line[: len(start)]) == list(start)]
    assert len(found) == 1
    return found[0]


def test_the_summary_has_a_line_per_group_and_card(results: list[Result]) -> None:
    table = scoreboard.summary(results)
    assert [line[:3] for line in table.lines] == [
        ["peaks", "all", "b200"],
        ["published", "all", "all"],
        ["published", "all", "b200"],
        ["published", "all", "h100"],
    ]
    assert cells(table, "peaks")[3:8] == ["4", "3", "3/3", "2/3", "2/3"]


def test_a_false_fit_is_counted_and_listed(results: list[Result]) -> None:
    table = scoreboard.verdicts(results)
    assert table.header[-2] == "fits"
    assert cells(table, "published", "dryfit")[-2] == "1"
    assert [miss.what for miss in misses.find(results) if miss.result.case.id == "false fit"] == ["false fit"]


def test_no_verdict_is_a_miss_only_where_the_run_ended_out_of_memory(nvml_row: Make) -> None:
    rows = [nvml_row(1000, 1000, oom=oom, verdict="cannot-tell") for oom in (False, True)]
    assert [(miss.result, miss.what) for miss in misses.find(rows)] == [(rows[1], "cannot tell")]


def test_misses_are_the_worst_first_and_carry_their_cause(results: list[Result]) -> None:
    results[1] = replace(results[1], explanation="the platform's addresses")
    found = misses.find(results)
    assert [miss.result.case.id for miss in found] == ["traced", "wrong", "broken", "false fit", "far"]
    assert [miss.cause for miss in found[:2]] == ["not explained", "the platform's addresses"]
    assert "published: 2 more" in scoreboard.worst(results, limit=1).note


def test_rows_without_an_answer_are_counted_by_reason(results: list[Result]) -> None:
    lines = [list(line) for line in scoreboard.not_run(results).lines]
    assert ["peaks", "not run", "needs torch.compile", "1"] in lines
    assert ["published", "no answer", "ValueError: no", "1"] in lines


def test_a_trace_shows_recorded_and_ours_and_the_first_difference(results: list[Result]) -> None:
    table = scoreboard.traces(results)
    assert table.header[2:] == ("events", "equal", "cuda mallocs", "peak allocated", "peak reserved")
    peaks = [f"{1 << 30:,}", f"{2 << 30:,}"]
    assert cells(table, "peaks", "traced")[2:] == ["12", "DIFFERS", "3 / 4", *peaks]
    assert cells(scoreboard.differences(results), "traced")[1:] == [
        "event 7",
        "free 512 model.py:3",
        "free <1024> job.py:9",
    ]


def test_a_comparison_may_be_nested_and_name_both_sides(results: list[Result]) -> None:
    difference = {"level": "segments", "index": 9, "truth": "a", "ours": "b"}
    events = {"truth_events": 5, "our_events": 6, "operations": True, "elsewhere": None, "first_difference": difference}
    result = replace(results[0], outcome=replace(results[0].outcome, compared={"events": events}))
    assert cells(scoreboard.traces([result]), "peaks")[2:5] == ["5 / 6", "equal", ""]
    assert cells(scoreboard.differences([result]), "right")[1:] == ["segments, event 9", "a", "b"]


def test_the_same_results_give_the_same_text_and_page_whatever_they_cost(results: list[Result]) -> None:
    slower = [replace(result, outcome=replace(result.outcome, seconds=99.0)) for result in results]
    assert scoreboard.text(results) == scoreboard.text(slower)
    assert page.html(results) == page.html(slower)


def test_the_page_is_whole_and_asks_for_nothing_outside(results: list[Result]) -> None:
    text = page.html(results)
    assert not re.search(r"(src|href)=\"(?!#)|url\(|@import|https?://", text)
    assert "&lt;1024&gt;" in text and "<1024>" not in text
    drawings = re.findall(r"<svg.*?</svg>", text, re.DOTALL)
    assert len(drawings) == 4
    for drawing in drawings:
        assert ElementTree.fromstring(drawing).findall(".//circle/title")


def test_numbers_stand_to_the_right() -> None:
    table = Table("title", ("name", "share"), [["a", "1/2"], ["long name", "10/20"]])
    assert table.markdown() == "**title**\n\n| name | share |\n| --- | ---: |\n| a | 1/2 |\n| long name | 10/20 |"
    assert table.text() == "title\n  name       share\n  a            1/2\n  long name  10/20"
