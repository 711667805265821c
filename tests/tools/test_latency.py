# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""bench/latency says what was missed, and times nobody who answers otherwise than their library. Runs no library."""

from __future__ import annotations

import json
import sys
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

BENCH = Path(__file__).resolve().parents[2] / "bench"


@pytest.fixture(scope="module")
def latency() -> ModuleType:
    sys.path.insert(0, str(BENCH))
    spec = spec_from_loader("latency", SourceFileLoader("latency", str(BENCH / "latency")))
    assert spec is not None and spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def row(name: str, features: str, p50: float, mean_answer: float = 0.0) -> dict[str, Any]:
    times = {"p10": p50, "p50": p50, "p90": 2 * p50, "p99": 9 * p50}
    return {"name": name, "features": features, **times, "mean_answer": mean_answer}


def result(sequence: float = 19.0, flat: float = 9.0, seconds: float = 9.0) -> dict[str, Any]:
    return {
        "question_rows": [3, 8],
        "rows": [
            row("(the clock alone)", "", 0.02),
            row("sequence", "layers", sequence),
            row("XGBoost", "layers", 2 * sequence, 7.5),
            row("flat", "plain", flat),
        ],
        "batch": {
            "size": 1_000_000, "threads": 2, "answered": True, "wall_seconds": 30.0, "processor_seconds": seconds,
        },
    }


def test_goals_that_hold_are_no_news(latency: ModuleType) -> None:
    assert latency.broken(result()) == []


def test_every_goal_that_is_missed_is_named(latency: ModuleType) -> None:
    assert latency.broken(result(sequence=21.0, flat=10.5, seconds=20.0)) == [
        "layers sequence: p50 21.00 us, more than 20",
        "plain flat: p50 10.50 us, more than 10",
        "batch: 100,000 descriptions per second, fewer than 200,000",
    ]


def test_a_description_without_an_answer_misses_the_goal(latency: ModuleType) -> None:
    one = result()
    one["batch"]["answered"] = False
    assert latency.broken(one) == ["a description of the batch got no answer"]


def test_the_table_holds_everybody_against_ours(latency: ModuleType, capsys: pytest.CaptureFixture[str]) -> None:
    latency.print_table(result())
    shown = capsys.readouterr().out
    assert "layers XGBoost              38.00    38.00    76.00   342.00         2.00" in shown
    assert "222,222 per second of processor time (33,333 by wall-clock time)" in shown


@pytest.mark.parametrize(("answer", "wrong"), [(7.0, []), (7.1, ["XGBoost layers"])])
def test_a_tree_is_held_to_its_answers_in_python(
    latency: ModuleType, tmp_path: Path, answer: float, wrong: list[str]
) -> None:
    model = latency.TreeModel("xgboost", "layers", tmp_path / "library.so", tmp_path / "model.ubj")
    (tmp_path / "model.ubj.answers.json").write_text(json.dumps({"3": answer, "8": 8.0, "9": 100.0}), encoding="utf-8")
    assert latency.wrong_answers(result(), [model]) == wrong
