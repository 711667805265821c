# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""The page of results says what was measured, or the tool shows where it does not."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from comparators_lib import page
from comparators_lib.studies import Study

TOOL = Path(__file__).resolve().parents[3] / "tools" / "evaluation_page"
STUDY = Study("jobs", "model3", "plain")


def scores(mse: float, rmse: float, mae: float, mape: float, r2: float) -> dict[str, float]:
    return dict(zip(page.METRICS, (mse, rmse, mae, mape, r2)))


def interval(value: float, low: float, high: float) -> dict[str, float]:
    return {"value": value, "low": low, "high": high}


SINGLE = {"MSE": "B1 trees", "RMSE": "B1 trees", "MAE": "B1 forest", "MAPE": "B1 trees", "R2": "B1 trees"}
REPORT: dict[str, Any] = {
    "set": "jobs",
    "folds": "model3",
    "features": "plain",
    "contenders": [
        {"name": "physics base", "scores": scores(12345.6, 111.11, 0.7, 10.016, 0.5)},
        {"name": "net plain seed 0", "scores": scores(1, 1, 1.0, 10, 0.9)},
        {"name": "net plain seed 1", "scores": scores(1, 1, 1.5, 12, 0.9)},
        {"name": "net plain x2", "scores": scores(1, 1, 1.2, 10.5, 0.91)},
        {"name": "shipped (net plain x2)", "scores": scores(1, 1, 1.2, 10.5, 0.91)},
    ],
    "bars": [
        {"bar": "B2", "scores": scores(2, 1.414, 1.3, 11, 0.8), "by": dict.fromkeys(page.METRICS, "B1 trees")},
        {"bar": "B3", "scores": scores(2, 1.414, 1.3, 11, 0.8), "by": SINGLE},
    ],
    "differences": [
        {"name": "net plain x2", "less": "B3", "scores": dict.fromkeys(page.METRICS, interval(9, 8, 10))},
        {
            "name": "shipped (net plain x2)",
            "less": "B3",
            "scores": {**dict.fromkeys(page.METRICS, interval(-1.2345, -2, -0.5)), "R2": interval(0.1, -0.1, 0.3)},
        },
    ],
}
PAGE = """# Results
| of no study | 1 |

### `jobs`, `model3`, `plain`

| | MSE | RMSE | MAE | MAPE | R2 | |
|---|---|---|---|---|---|---|
| physics base | 12346 | 111.1 | 0.7 | 10.02 | 0.5000 | |
| baseline B2 | 2 | 1.414 | 1.3 | 11 | 0.8000 | B1 trees |
| baseline B3 | 2 | 1.414 | 1.3 | 11 | 0.8000 | B1 trees: MSE, RMSE, MAPE, R2; B1 forest: MAE |
| net plain x2 | 1 | 1 | 1.2 | 10.5 | 0.9100 | single seeds: MAE 1.25 ± 0.35, MAPE 11 ± 1.4 |
| **shipped (net plain x2)** | 1 | 1 | 1.2 | 10.5 | 0.9100 | |

Shipped minus B3: MSE -1.23 [-2, -0.5]*, RMSE -1.23 [-2, -0.5]*, MAE -1.23 [-2, -0.5]*, MAPE -1.23 [-2, -0.5]*, R2 +0.1 [-0.1, +0.3].

Of another study's column:

Shipped minus B3: MSE -5 [-6, -4]*.

### `jobs`, `gpu2`, `plain`

| physics base | 1 | 1 | 1 | 1 | 1 | |
"""


def differing(text: str) -> list[page.Line]:
    return [line for line in page.measured_lines(text, {STUDY: REPORT}) if line.written != line.measured]


def test_a_page_that_says_what_was_measured_has_no_line_to_change() -> None:
    lines = page.measured_lines(PAGE, {STUDY: REPORT})
    assert len(lines) == 6
    assert not differing(PAGE)
    assert page.corrected(PAGE, lines) == PAGE


def test_a_wrong_figure_is_found_where_it_stands_and_put_right() -> None:
    wrong = PAGE.replace("| baseline B2 | 2 |", "| baseline B2 | 1.9 |").replace("[-0.1, +0.3].", "[+0.1, +0.3]*.")
    found = differing(wrong)
    assert [line.number for line in found] == [9, 14]
    assert page.corrected(wrong, found) == PAGE


def test_a_column_that_was_not_measured_is_neither_right_nor_changed() -> None:
    wrong = PAGE.replace("| net plain x2 |", "| net plain |")
    (found,) = differing(wrong)
    assert found.measured is None
    assert page.corrected(wrong, [found]) == wrong


def test_the_command_says_what_differs_and_writes_when_requested(tmp_path: Path) -> None:
    (tmp_path / "jobs.json").write_text(json.dumps(REPORT), encoding="utf-8")
    text = tmp_path / "page.md"
    text.write_text(PAGE.replace("| 0.7 |", "| 0.6 |"), encoding="utf-8")
    command = [sys.executable, str(TOOL), "--page", str(text), "--tables", str(tmp_path)]
    first = subprocess.run(command, capture_output=True, text=True, check=False)
    assert first.returncode == 1 and "page.md:8: jobs-model3-plain" in first.stdout
    assert "6 lines of 1 studies, 1 differ" in first.stdout
    assert subprocess.run([*command, "--write"], capture_output=True, check=False).returncode == 0
    assert text.read_text(encoding="utf-8") == PAGE
    assert subprocess.run(command, capture_output=True, check=False).returncode == 0
    empty = subprocess.run([*command[:-1], str(tmp_path / "none")], capture_output=True, text=True, check=False)
    assert empty.returncode == 2 and "make evaluate" in empty.stderr
