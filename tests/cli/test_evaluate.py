# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""bin/dryfit-evaluate on a small made-up table in the form of SchedTune's."""

from __future__ import annotations

import csv
import json
import subprocess
from pathlib import Path

import pytest

EVALUATE = Path(__file__).resolve().parents[2] / "bin" / "dryfit-evaluate"

HEADER = (
    "model,batchsize,activations,parameters,input,peak mem usage,Pipelines/CUDA cores,Memory bandwidth (GB/s),"
    "Memory clock speed (MHz),Tensor cores,SM count"
)
PEAKS = [1024 * (2 + place) for place in range(8)]


def run(data: Path, *arguments: object) -> subprocess.CompletedProcess[str]:
    command = [EVALUATE, "--data", data, "--set", "schedtune", "--folds", "model12", *arguments]
    return subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Four models of two rows; two folds."""
    rows = [
        f"model{place // 2},8,{100 + 90 * place},{40 + 7 * (place % 3)},4.59,{peak},2496,240.6,5012,0,13"
        for place, peak in enumerate(PEAKS)
    ]
    (tmp_path / "schedtune-model-stats.csv").write_text("\n".join([HEADER, *rows]) + "\n")
    folds = [f"{place},{place // 4}" for place in range(8)]
    (tmp_path / "splits").mkdir()
    (tmp_path / "splits" / "schedtune-model-stats.csv").write_text("\n".join(["row,model12", *folds]) + "\n")
    return tmp_path


@pytest.fixture
def predictions(data: Path) -> Path:
    """Ours is off by 1 GiB everywhere, a comparator of the first bar by 2 GiB."""
    path = data / "predictions.csv"
    lines = [f"{row},{peak + 1024},{peak + 2048}" for row, peak in enumerate(PEAKS)]
    path.write_text("\n".join(["row,ours,B1 forest log", *lines]) + "\n")
    return path


def test_scores_baselines_and_differences_are_written_as_json(data: Path, predictions: Path) -> None:
    done = run(data, "--json", "--against-bars", predictions)
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert (report["examples"], report["fold_count"], report["groups"]) == (8, 2, {"kind": "models", "count": 4})
    assert (report["unit"], report["prediction_unit"]) == ("GiB", "MiB")
    scores = {one["name"]: one["scores"] for one in report["contenders"]}
    assert scores["ours"]["MAE"] == pytest.approx(1)
    assert scores["B1 forest log"]["MSE"] == pytest.approx(4)
    assert report["bars"][0]["by"]["MAPE"] == "B1 forest log"
    ours = next(one for one in report["differences"] if one["name"] == "ours" and one["less"] == "B1")
    assert ours["scores"]["MAE"] == pytest.approx({"value": -1, "low": -1, "high": -1})


def test_scores_baselines_and_differences_are_printed_as_text(data: Path, predictions: Path) -> None:
    done = run(data, "--against-baselines", "--against", "physics base", predictions)
    assert done.returncode == 0, done.stderr
    assert "8 examples of 4 models, 2 folds; GiB, MAPE in %" in done.stdout
    assert "MSE, RMSE, MAE, MAPE, R2: B1 forest log" in done.stdout
    assert "  MAE   -1.0000 [-1.0000, -1.0000] *" in done.stdout
    assert "minus 'physics base'" in done.stdout


def test_a_blend_is_scored_like_a_column_and_may_be_blended_again(data: Path, predictions: Path) -> None:
    table = data / "far.csv"
    table.write_text("\n".join(["row,far", *(f"{row},{4 * (peak + 1024)}" for row, peak in enumerate(PEAKS))]) + "\n")
    blends = ["--blend", "twice=ours+far", "--blend", "near=ours+ours+far+far+twice"]
    done = run(data, "--json", *blends, predictions, table)
    assert done.returncode == 0, done.stderr
    scores = {one["name"]: one["scores"] for one in json.loads(done.stdout)["contenders"]}
    # The geometric mean of x and 4 x is 2 x, where x is the peak and a GiB more.
    expected = sum(2 * (peak / 1024 + 1) - peak / 1024 for peak in PEAKS) / len(PEAKS)
    assert scores["twice"]["MAE"] == pytest.approx(expected)
    assert scores["near"]["MAE"] == pytest.approx(expected)


def test_a_blend_with_an_unknown_column_is_refused(data: Path, predictions: Path) -> None:
    done = run(data, "--blend", "both=ours+theirs", predictions)
    assert done.returncode == 2
    assert "the blend 'both' uses an unknown column 'theirs'" in done.stderr
    assert run(data, "--blend", "ours+theirs", predictions).returncode == 2


def test_the_features_are_written_once_per_fold(data: Path) -> None:
    table = data / "features.csv"
    done = run(data, "--features-out", table)
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
    with table.open(newline="") as file:
        lines = list(csv.DictReader(file))
    assert len(lines) == 2 * 8
    assert [line["row"] for line in lines if line["fold"] == "1" and line["part"] == "test"] == ["4", "5", "6", "7"]
    bases = {line["fold"]: line["base"] for line in lines if line["row"] == "0"}
    assert bases["0"] != bases["1"]


def test_a_duplicate_name_is_refused(data: Path, predictions: Path) -> None:
    done = run(data, predictions, predictions)
    assert done.returncode == 2
    assert "two columns are named 'B1 forest log'" in done.stderr


def test_a_file_that_cannot_be_written_is_named(data: Path) -> None:
    done = run(data, "--features-out", data / "nowhere" / "features.csv")
    assert done.returncode == 1
    assert "nowhere/features.csv: cannot be written" in done.stderr


def test_plots_are_written_as_a_page_of_its_own(data: Path, predictions: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    done = run(data, "--html", page, "--plot", "ours", predictions)
    assert done.returncode == 0, done.stderr
    text = page.read_text()
    assert "<h2>ours</h2>" in text
    assert "<h2>B1 forest log</h2>" not in text
    assert text.count("<svg ") == 3
    assert text.count("<circle ") == 2 * len(PEAKS)  # predicted against actual, and what is missed
    assert all(f"<td>model{group}<" in text for group in range(4))
    assert "http" not in text
    assert run(data, "--html", page, "--plot", "nobody", predictions).returncode == 2
    assert run(data, "--html", tmp_path / "nowhere" / "page.html", predictions).returncode == 1


def test_dryfit_evaluate_is_the_same_program(data: Path, predictions: Path) -> None:
    dryfit = EVALUATE.with_name("dryfit")
    arguments = ["--data", data, "--set", "schedtune", "--folds", "model12", "--json", predictions]
    done = subprocess.run([dryfit, "evaluate", *arguments], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == run(data, "--json", predictions).stdout
    helped = subprocess.run([dryfit, "evaluate", "--help"], capture_output=True, text=True, check=False)
    assert helped.returncode == 0 and "--against-baselines" in helped.stdout


def test_learning_from_a_table_without_libtorch_says_what_is_missing() -> None:
    installed = EVALUATE.with_name("dryfit").resolve()  # not the folder of links, where dryfit-train may be
    arguments = ["learn", "--data", "anywhere", "--out", "predictions.csv"]
    done = subprocess.run([installed, *arguments], capture_output=True, text=True, check=False, env={"PATH": ""})
    assert (done.returncode, done.stdout) == (1, "")
    assert "dryfit-train is not installed" in done.stderr and "make build-training" in done.stderr
