# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Rows described in words: small published tables, and memory outside PyTorch."""

from __future__ import annotations

import csv
import sys
from pathlib import Path
from typing import Any

import pytest

REPOSITORY = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(REPOSITORY / "tools"))

from accuracy_lib.case import Case  # noqa: E402
from accuracy_lib.sources import context_overhead, misc_tables  # noqa: E402

MIB = 1 << 20

TABLE = {
    "source": "optimum-benchmark dataset cuda",
    "model": "text-classification FacebookAI/roberta-base",
    "config": "HF Trainer, no_weights (random init), fp32, batch 2, seq 16 (images 224x224), 5 steps, default AdamW",
    "metric": "max_memory_reserved",
    "value": "2497708032",
    "unit": "bytes",
    "gpu": "NVIDIA A10G",
    "versions": "",
    "note": "",
}
GUIDE = {
    "source": "huggingface/notebooks performance.ipynb",
    "model": "bert-large-uncased",
    "config": "Trainer, batch 1, grad accumulation 4, gradient checkpointing, fp16, Adafactor; seq 512, 512 samples",
    "metric": "NVML device memory used at the end",
    "value": "4847",
    "unit": "MiB",
    "gpu": "Tesla V100-SXM2-16GB",
    "note": "eager module loading: 1341 MiB context",
}
OVERHEAD = {
    "gpu": "RTX 3090 class",
    "torch": "2.x",
    "overhead_MiB": "315",
    "uncertainty_MiB": "15",
    "kind": "process in use - allocated - reserved-unallocated",
    "workload": "VLM inference",
}


def read(source: Any, folder: Path, row: dict[str, str]) -> Case:
    path = folder / "rows.csv"
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, fieldnames=list(row))
        writer.writeheader()
        writer.writerow(row)
    (case,) = source.cases(path)
    return case


def test_A_benchmark_s_words_become_the_job(tmp_path: Path):
    case = read(misc_tables, tmp_path, TABLE)
    assert case.cannot is None and case.card == "a10g-24gb"
    assert case.job[1:] == (
        *("--model", "roberta-base", "--task", "text-classification"),
        *("--batch", "2", "--length", "16", "--steps", "5"),
    )
    assert case.truth == {"peak_reserved": 2497708032} and not case.tolerance


def test_The_guide_s_reading_is_taken_above_its_own_context(tmp_path: Path):
    case = read(misc_tables, tmp_path, {**TABLE, **GUIDE})
    assert case.truth == {"device_growth": (4847 - 1341) * MIB} and case.tolerance == {"device_growth": MIB // 2}
    assert {"--checkpointing", "--fp16", "adafactor"} <= set(case.job)
    assert case.job[case.job.index("--accumulation") + 1] == "4"


def test_A_model_that_was_only_loaded_makes_no_step(tmp_path: Path):
    case = read(misc_tables, tmp_path, {**TABLE, **GUIDE, "config": "model on GPU; seq 512, 512 samples, 1 epoch"})
    assert case.job[-2:] == ("--steps", "0")


@pytest.mark.parametrize(
    "change, reason",
    [
        ({"gpu": "AMD MI250 class (68.7 GB)"}, "AMD"),
        ({"source": "pytorch/ao README.md", "unit": "GB", "value": "12.23"}, "timm"),
        ({"source": "pytorch/ao README.md", "unit": "GB", "value": "OOM"}, "timm"),
        ({"config": "Trainer, bitsandbytes Adam8bit"}, "8-bit"),
        ({"model": "fill-mask unheard-of"}, "doesn't support"),
    ],
)
def test_A_table_s_row_that_cannot_be_run_says_why(tmp_path: Path, change: dict[str, str], reason: str):
    assert reason in read(misc_tables, tmp_path, {**TABLE, **change}).cannot


def test_Words_about_a_program_choose_one_of_its_kind(tmp_path: Path):
    case = read(context_overhead, tmp_path, OVERHEAD)
    assert case.job == ("context_job.py", "--workload", "inference") and case.card == "rtx-3090-24gb"
    assert case.truth == {"outside_torch": 315 * MIB} and case.tolerance == {"outside_torch": 15 * MIB}


def test_A_row_that_a_GPU_description_was_made_from_is_counted_apart(tmp_path: Path):
    idle = {**OVERHEAD, "workload": "context only", "overhead_MiB": "256"}
    assert read(context_overhead, tmp_path, idle).group == "idle, in the catalogue"
    assert read(context_overhead, tmp_path, {**idle, "overhead_MiB": "257"}).group == "idle"


@pytest.mark.parametrize(
    "change, reason",
    [
        ({"gpu": "RTX 3090/4090 class"}, "two GPUs"),
        ({"gpu": "unnamed (8-GPU server)"}, "not named"),
        ({"workload": "FSDP (NCCL communicator included)"}, "which libraries"),
        ({"workload": "eager module loading; one tensor only"}, "11.7"),
    ],
)
def test_An_overhead_that_cannot_be_run_says_why(tmp_path: Path, change: dict[str, str], reason: str):
    assert reason in read(context_overhead, tmp_path, {**OVERHEAD, **change}).cannot


def test_A_miss_within_the_stated_uncertainty_is_distinguished_from_one_beyond(tmp_path: Path):
    case = read(context_overhead, tmp_path, OVERHEAD)
    truth, spread = case.truth["outside_torch"], case.facts["spread"]
    assert "uncertainty" in context_overhead.explain(case, {"outside_torch": truth - spread})
    assert "not published" in context_overhead.explain(case, {"outside_torch": truth - spread - 16 * MIB})
    assert context_overhead.explain(case, {"outside_torch": truth + spread + 16 * MIB}) is None
    assert context_overhead.explain(case, {}) is None
