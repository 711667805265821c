# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Runs of PEFT's method comparison become cases; a run of hundreds of steps is derived from a few."""

from __future__ import annotations

import csv
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[3]
sys.path[:0] = [str(REPOSITORY / "tools"), str(REPOSITORY / "bench" / "truth")]

from accuracy_lib.sources import peft  # noqa: E402
from periodic import find_period, interval_average, intervals_of  # noqa: E402

ROW = {
    "task": "image-gen",
    "experiment": "lora/flux2-klein-default",
    "peft_type": "LORA",
    "model": "FLUX.2-klein-base-4B",
    "dtype": "bfloat16",
    "batch": "2",
    "max_seq_or_res": "512",
    "use_gc": "True",
    "use_amp": "False",
    "compile": "False",
    "autocast_adapter_dtype": "True",
    "optimizer": "AdamW",
    "optimizer_kwargs": '{"lr": 0.0001}',
    "grad_norm_clip": "1.0",
    "max_steps": "750",
    "peft_hyperparameters": '{"r": 32}',
    "memory_max": "10708058112",
    "allocated_avg_first250": "8889204050",
    "reserved_avg_first250": "10553665782",
    "status": "success",
    "torch": "2.12.0+cu130",
    "peft": "0.19.2.dev0",
    "gpu": "NVIDIA L40S",
    "created": "2026-06-09",
}


def write(path: Path, *changes: dict[str, str], without: str = "") -> Path:
    fields = [name for name in ROW if name != without]
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, fieldnames=fields, extrasaction="ignore")
        writer.writeheader()
        writer.writerows({**ROW, **change} for change in changes)
    return path


@pytest.fixture
def only(tmp_path: Path):
    def read(**change: str):
        (case,) = peft.cases(write(tmp_path / "rows.csv", change))
        return case

    return read


def test_A_row_s_columns_are_the_job_s_arguments(only):
    job = only(batch="4", max_seq_or_res="256", optimizer="SGD", use_gc="False").job
    arguments = dict(zip(job[1::2], job[2::2]))
    assert job[0] == "peft_image_job.py"
    assert arguments["--batch"] == "4" and arguments["--resolution"] == "256" and arguments["--optimizer"] == "SGD"
    assert arguments["--hyperparameters"] == '{"r": 32}' and arguments["--steps"] == "750"
    assert "--checkpointing" not in job and "--autocast-adapter-dtype" in job


def test_Only_the_averages_are_rounded(only):
    case = only()
    assert case.truth["reserved_max"] == 10708058112
    assert set(case.tolerance) == {"reserved_first_interval", "allocated_first_interval"}


@pytest.mark.parametrize(
    "change, reason",
    [
        ({"task": "MetaMathQA"}, "lengths of its texts"),
        ({"gpu": "NVIDIA H100"}, "not in the catalogue"),
        ({"peft_hyperparameters": ""}, "hyperparameters"),
        ({"use_amp": "True"}, "autocast"),
    ],
)
def test_A_row_that_cannot_be_run_says_why(only, change, reason):
    assert reason in only(**change).cannot


def test_Full_fine_tuning_needs_no_hyperparameters(only):
    assert only(peft_type="FULL", peft_hyperparameters="").cannot is None


def test_Older_runs_take_the_hyperparameters_of_their_experiment_and_no_run_counts_twice(tmp_path: Path):
    path = write(tmp_path / "results-head.csv", {})
    write(tmp_path / peft.OLDER, {}, {"torch": "2.9.0", "created": "2026-01-01"}, without="peft_hyperparameters")
    first, older = peft.cases(path)
    assert older.id != first.id
    assert '{"r": 32}' in older.job and older.cannot is None


def test_A_miss_is_explained_only_by_what_was_seen(only):
    case = only()
    early = {name: case.truth[name] for name in case.tolerance}
    assert "until the first validation" in peft.explain(case, early)
    assert peft.explain(case, {**early, "allocated_first_interval": 0}) is None
    assert "2.13.0" in peft.explain(only(torch="2.13.0+cu130"), early)


def test_Every_interval_between_validations_is_played_in_part():
    assert [interval.before for interval in intervals_of(750)] == [0, 100, 200, 300, 400, 500, 600, 700]
    assert [interval.played for interval in intervals_of(250)] == [16, 4, 2]


@pytest.mark.parametrize("values, growth, period", [([5, 5], 0, 1), ([9, 1, 3, 1, 3], 0, 2), ([0, 7, 2, 9], 1, 2)])
def test_The_period_is_found_beside_what_every_step_keeps(values, growth, period):
    assert find_period(values, growth) == period


def test_Values_that_never_repeat_go_on_as_the_last():
    assert find_period([1, 2, 4, 8], 0) == 1


def test_An_average_goes_on_with_the_period():
    assert interval_average([100, 10, 20, 10, 20], growth=0, length=9) == round((100 + 4 * 10 + 4 * 20) / 9)
    assert interval_average([1, 2], growth=1, length=4) == round((1 + 2 + 3 + 4) / 4)
