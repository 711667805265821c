# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""The sources of the course runs: how published text becomes jobs and bytes."""

from __future__ import annotations

import csv
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(REPOSITORY / "tools"), str(REPOSITORY / "bench" / "truth")]

import measured  # noqa: E402
from accuracy_lib.published import find_card, read_size  # noqa: E402
from accuracy_lib.sources import attention_microbench, cs336_peaks, oom_cases  # noqa: E402

MIB, GIB = 1 << 20, 1 << 30

PEAK = {
    "source": "author/repository",
    "gpu": "NVIDIA B200 (total 182631 MiB)",
    "optimizer": "course AdamW",
    "unit": "bytes",
    "case": "some-case",
    "size": "xl",
    "seq": "512",
    "batch": "4",
    "dtype": "bf16",
    "mode": "train",
    "checkpoint_segments": "",
    "warmup_steps": "5",
    "timed_steps": "10",
    "status": "ok",
    "oom_request_MiB": "",
    **{name: "" for name in cs336_peaks.FIELDS},
}
OOM = {
    "source": "author/repository",
    "gpu": "RTX 4090",
    "config": "xl model, batch 4, ctx 128, full training step, bf16 autocast, torch AdamW; first warm-up forward",
    "tried_MiB": "100.0",
    "allocated_GiB": "22.72",
    "reserved_unallocated_GiB": "0.240273",
}
ATTENTION = {
    "source": "MAGMA27/repository",
    "variant": "eager",
    "batch": "8",
    "seq_len": "256",
    "d_model": "16",
    "value": "19660800.0",
    "unit": "bytes",
    "status": "ok",
    "gpu": "unknown",
    "torch": "2.11.0+cu126",
}


def write_rows(path: Path, rows: list[dict[str, str]]) -> Path:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return path


def value_of(job: tuple[str, ...], option: str) -> str:
    return job[job.index(option) + 1]


@pytest.mark.parametrize(
    ("text", "unit", "size", "tolerance"),
    [
        ("19660800.0", "bytes", 19660800, 0),
        ("20.5", "MiB", 20 * MIB + MIB // 2, MIB // 20),
        ("63.125", "GiB", 63 * GIB + GIB // 8, GIB // 2000),
        ("216.00", "MiB", 216 * MIB, MIB // 200),
    ],
)
def test_A_size_is_as_exact_as_its_digits(text: str, unit: str, size: int, tolerance: int) -> None:
    assert read_size(text, unit) == (size, tolerance)


def test_Cards_are_found_by_the_part_of_the_name_that_authors_share() -> None:
    assert find_card("NVIDIA B200 (total 182631 MiB)") == "b200-180gb"
    assert find_card("unknown, Windows") is None


def test_The_message_of_a_full_card_is_read() -> None:
    message = (
        "CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 178.35 GiB of which 205.00 MiB "
        "is free. Including non-PyTorch memory, this process has 178.15 GiB memory in use. Of the allocated memory "
        "174.55 GiB is allocated by PyTorch, and 2.90 GiB is reserved by PyTorch but unallocated."
    )
    fields = measured.read_oom_message(message)
    assert fields["oom_requested"] == 2 * GIB
    assert fields["oom_free"] == 205 * MIB
    assert fields["oom_allocated"] == round(174.55 * GIB)
    assert fields["oom_reserved_unallocated"] == round(2.9 * GIB)
    assert len(fields) == 6


def test_Another_error_has_no_sizes() -> None:
    assert measured.read_oom_message("CUDA error: unknown error") == {}


def test_A_peak_row_becomes_a_job_with_the_published_fields(tmp_path: Path) -> None:
    row = {**PEAK, "peak_allocated": "1024", "peak_reserved": "2048"}
    case = cs336_peaks.cases(write_rows(tmp_path / "peaks.csv", [row]))[0]
    assert case.truth == {"peak_allocated": 1024, "peak_reserved": 2048}
    assert case.tolerance == {}
    assert (case.card, case.group, case.truth_oom) == ("b200-180gb", "train", False)
    assert value_of(case.job, "--run") == "stages"
    assert value_of(case.job, "--precision") == "bf16"
    assert "--segments" not in case.job
    assert value_of(case.options, "--address-order") == "ascending"


def test_A_peak_row_in_GiB_is_another_authors_run(tmp_path: Path) -> None:
    row = {**PEAK, "source": "LINYUNLinYun/repository", "gpu": "RTX PRO 6000", "unit": "GiB"}
    row |= {"peak_allocated": "63.125", "optimizer": "torch AdamW", "timed_steps": "", "checkpoint_segments": "8"}
    case = cs336_peaks.cases(write_rows(tmp_path / "peaks.csv", [row]))[0]
    assert case.main == "peak_allocated"
    assert case.tolerance == {"peak_allocated": GIB // 2000}
    assert value_of(case.job, "--run") == "torch-adamw"
    assert value_of(case.job, "--segments") == "8"
    assert "--timed" not in case.job
    assert "--address-order" not in case.options


def test_A_peak_row_out_of_memory_names_the_request(tmp_path: Path) -> None:
    row = {**PEAK, "status": "oom", "end_allocated": "512", "oom_request_MiB": "216.00"}
    case = cs336_peaks.cases(write_rows(tmp_path / "peaks.csv", [row]))[0]
    assert case.truth == {"end_allocated": 512, "oom_requested": 216 * MIB}
    assert (case.group, case.truth_oom) == ("out of memory", True)


def test_No_verdict_is_expected_of_a_run_without_an_optimizer(tmp_path: Path) -> None:
    row = {**PEAK, "mode": "forward", "peak_allocated": "512"}
    assert cs336_peaks.cases(write_rows(tmp_path / "peaks.csv", [row]))[0].truth_oom is None


def test_A_small_difference_after_the_model_is_built_is_one_of_addresses(tmp_path: Path) -> None:
    row = {**PEAK, "init_allocated": "512", "peak_allocated": "1048576"}
    case = cs336_peaks.cases(write_rows(tmp_path / "peaks.csv", [row]))[0]
    assert cs336_peaks.explain(case, {"init_allocated": 512, "peak_allocated": 1048576}) is None
    assert "addresses" in (cs336_peaks.explain(case, {"init_allocated": 512, "peak_allocated": 1048576 + 512}) or "")
    assert cs336_peaks.explain(case, {"init_allocated": 1024, "peak_allocated": 1048576}) is None
    assert cs336_peaks.explain(case, {"init_allocated": 512, "peak_allocated": 2097152}) is None


def test_The_words_of_an_out_of_memory_case_become_a_job(tmp_path: Path) -> None:
    case = oom_cases.cases(write_rows(tmp_path / "oom.csv", [OOM]))[0]
    assert case.cannot is None
    assert value_of(case.job, "--run") == "torch-adamw"
    assert (value_of(case.job, "--size"), value_of(case.job, "--seq")) == ("xl", "128")
    assert (value_of(case.job, "--mode"), value_of(case.job, "--precision")) == ("train", "bf16")
    assert case.truth["oom_requested"] == 100 * MIB
    assert case.tolerance["oom_allocated"] == round(0.005 * GIB)
    assert case.tolerance["oom_reserved_unallocated"] < 0.01 * MIB


def test_Checkpointing_words_become_segments(tmp_path: Path) -> None:
    config = "xl model, batch 4, seq 2048, fp32, backward, checkpoint-1; recompute in the first warm-up step"
    case = oom_cases.cases(write_rows(tmp_path / "oom.csv", [{**OOM, "gpu": "B200", "config": config}]))[0]
    assert value_of(case.job, "--run") == "stages"
    assert value_of(case.job, "--mode") == "backward"
    assert value_of(case.job, "--precision") == "fp32"
    assert value_of(case.job, "--segments") == "1"


def test_Words_that_name_no_configuration_are_counted_as_not_runnable(tmp_path: Path) -> None:
    case = oom_cases.cases(write_rows(tmp_path / "oom.csv", [{**OOM, "config": "something else"}]))[0]
    assert case.cannot


def test_The_rows_of_a_sweep_share_one_job_in_the_order_of_the_sweep(tmp_path: Path) -> None:
    rows = [ATTENTION, {**ATTENTION, "seq_len": "1024", "value": "52690944.0"}, {**ATTENTION, "d_model": "32"}]
    first, second, third = attention_microbench.cases(write_rows(tmp_path / "attention.csv", rows))
    assert first.job == second.job == third.job
    assert first.job[first.job.index("--sweep") + 1 :] == ("256x16", "1024x16", "256x32")
    assert second.truth == {"seq1024_d16": 52690944}
    assert second.main == "seq1024_d16"


def test_Variants_are_jobs_of_their_own(tmp_path: Path) -> None:
    rows = [ATTENTION, {**ATTENTION, "source": "bolongcheng/repository", "variant": "bwd torch.compile", "gpu": "B200"}]
    cases = {case.group: case for case in attention_microbench.cases(write_rows(tmp_path / "attention.csv", rows))}
    compiled = cases["bolongcheng bwd torch.compile"]
    assert {"--compiled", "--backward"} <= set(compiled.job)
    assert compiled.card == "b200-180gb"
    assert "--compiled" not in cases["MAGMA27 eager"].job


def test_A_full_card_without_a_name_says_nothing(tmp_path: Path) -> None:
    rows = [ATTENTION, {**ATTENTION, "seq_len": "16384", "value": "", "status": "OOM"}]
    fitted, full = attention_microbench.cases(write_rows(tmp_path / "attention.csv", rows))
    assert fitted.cannot is None
    assert full.cannot and full.truth == {}
    assert "16384x16" not in fitted.job
