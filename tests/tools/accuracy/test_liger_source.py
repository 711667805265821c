# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Rows of the Liger-Kernel benchmarks become cases: one job per sweep, the truth as exact as the file has it."""
from __future__ import annotations

import csv
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(REPOSITORY / "tools"))

from accuracy_lib.sources import liger  # noqa: E402

ROW = {
    "op": "cross_entropy",
    "provider": "huggingface",
    "mode": "full",
    "x_name": "V",
    "x_value": "4096",
    "peak_MB_p50": "1280.1259765625",
    "config": '{"B": 8, "T": 2048}',
    "gpu": "NVIDIA A100-SXM4-80GB",
    "timestamp": "2024-09-03 15:31:42",
    "src_commit": "ead96b61",
}


@pytest.fixture
def cases_of(tmp_path: Path):
    def read(*changes: dict[str, str]):
        path = tmp_path / "rows.csv"
        with path.open("w", newline="") as file:
            writer = csv.DictWriter(file, fieldnames=list(ROW))
            writer.writeheader()
            writer.writerows({**ROW, **change} for change in changes)
        return liger.cases(path)

    return read


def test_Rows_of_a_sweep_share_a_job_and_keep_a_field_each(cases_of):
    first, second = cases_of({}, {"x_value": "8192"})
    assert first.job == second.job
    assert first.job[-2:] == ("4096", "8192")
    assert (first.main, second.main) == ("sweep 1, V=4096", "sweep 1, V=8192")
    assert first.id != second.id


def test_Sweeps_that_follow_closely_are_one_process_and_later_ones_another(cases_of):
    first, second, third = cases_of(
        {}, {"mode": "forward", "timestamp": "2024-09-03 15:31:50"}, {"timestamp": "2024-09-03 16:31:50"}
    )
    assert first.job == second.job
    assert second.main == "sweep 2, V=4096"
    assert third.job != first.job


def test_Another_card_is_another_process(cases_of):
    first, second = cases_of({}, {"gpu": "NVIDIA H100 NVL", "x_value": "8192"})
    assert first.job[-1:] == ("4096",)
    assert second.job[-1:] == ("8192",)


def test_Truth_is_in_bytes_and_tolerates_only_the_rounding_of_a_32_bit_float(cases_of):
    small, large = cases_of({}, {"x_value": "131072", "peak_MB_p50": "40960.125"})
    assert small.truth == {"sweep 1, V=4096": 1342309376}
    assert small.tolerance == {"sweep 1, V=4096": 64}
    assert large.tolerance == {"sweep 1, V=131072": 2048}


@pytest.mark.parametrize(
    ("timestamp", "venv"),
    [("2024-09-03 15:31:42", "torch-2.6.0"), ("2026-03-03 23:02:48", "torch-2.11.0"),
     ("2026-06-16 04:04:45", liger.FIRST_MONTHS[0][1])],
)
def test_The_period_chooses_the_version_of_PyTorch(cases_of, timestamp, venv):
    assert cases_of({"timestamp": timestamp})[0].venv == venv


def test_A_card_that_is_not_in_the_catalogue_is_counted_with_its_reason(cases_of):
    assert "not in the catalogue" in cases_of({"gpu": "Some GPU"})[0].cannot


@pytest.mark.parametrize(
    ("change", "compiled"),
    [({}, "gone"), ({"gpu": "NVIDIA A100 80GB PCIe"}, "timed"), ({"op": "embedding"}, "recent"),
     ({"op": "embedding", "timestamp": "2026-06-16 04:04:45"}, "gone")],
)
def test_Compiled_modules_lived_on_where_the_rows_show_it(cases_of, change, compiled):
    job = cases_of(change)[0].job
    assert job[job.index("--compiled") + 1] == compiled


def test_Rows_of_an_operation_that_bench_truth_has_can_be_run_and_others_say_why_not(cases_of):
    known, unknown = cases_of({"op": "dpo_loss"}, {"op": "mhc_coeffs"})
    assert known.cannot is None
    assert unknown.cannot == "the operation mhc_coeffs is not implemented"
