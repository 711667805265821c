# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Peaks of single eager operations from the Liger-Kernel benchmarks: exact bytes on A100, H100, B200 and RTX 3090.

Rows that one published process measured share a job; its measured.json has a field per row. A sweep is what a process
measured for one mode and one set of fixed sizes.
The published values are MiB in 32-bit floats, which above 16 GiB no longer hold every multiple of 512 bytes.
"""

from __future__ import annotations

import ast
import csv
import json
import math
from collections import defaultdict
from datetime import datetime, timedelta
from functools import lru_cache
from pathlib import Path
from typing import Optional

from accuracy_lib.case import Case
from dryfit_command import REPOSITORY

NAME = "liger"
FILE = "liger-kernel/torch-hf-peak-memory.csv"

MIB = 2**20
FLOAT_DIGITS = 24

CARDS = {
    "NVIDIA A100-SXM4-40GB": "a100-40gb",
    "NVIDIA A100-SXM4-80GB": "a100-80gb",
    "NVIDIA A100 80GB PCIe": "a100-80gb-pcie",
    "NVIDIA B200": "b200-180gb",
    "NVIDIA GeForce RTX 3090": "rtx-3090-24gb",
    "NVIDIA GeForce RTX 4090": "rtx-4090-24gb",
    "NVIDIA H100 80GB HBM3": "h100-80gb",
    "NVIDIA H100 NVL": "h100-94gb-nvl",
    "NVIDIA H100 PCIe": "h100-80gb-pcie",
}

# The version of PyTorch is not published; this uses the nearest one of the period.
# The B200 rows since May 2026 have two cuBLAS workspaces of 32 MiB, as PyTorch 2.12 (environment peft) takes them.
FIRST_MONTHS = (("2026-05", "peft"), ("2026-01", "torch-2.11.0"), ("", "torch-2.6.0"))

# Note [Modules that lived on]
# Compiled modules stand in reference cycles and stay until Python happens to collect them. Inferred from the rows: on
# this card the modules of a third, compiled provider, timed before, were alive with their
# gradients (504 KiB for rms_norm, 2064 MiB for the MLPs). In the embedding run of 2024 those timed last were (once
# without, once with gradients: 12240 MiB), then also those of the sweep measured before (1530 MiB).
MODULES_STAYED = "NVIDIA A100 80GB PCIe"
EMBEDDING_WITHOUT_COMPILED = "2025"

# Losses whose Liger provider, run before the eager one, compiled itself.
COMPILED_LOSSES = (
    *("distill_jsd_loss", "dpo_loss", "fused_linear_cpo_loss", "fused_linear_orpo_loss"),
    *("fused_linear_simpo_loss", "kto_loss"),
)

SWEEP = ("op", "provider", "mode", "x_name", "config", "gpu", "timestamp")
PROCESS = ("op", "provider", "gpu", "src_commit")
LONGEST_PAUSE = timedelta(minutes=5)  # between sweeps of one process

Fields = dict[str, str]
Sweep = list[Fields]


def cases(path: Path) -> list[Case]:
    with path.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    return [case for process in processes(rows) for case in cases_of(process)]


def processes(rows: list[Fields]) -> list[list[Sweep]]:
    """Sweeps that follow one another closely. A sweep over models is a separate run of the benchmark."""
    found: list[list[Sweep]] = []
    for sweep in sorted(grouped(rows, SWEEP), key=lambda sweep: [sweep[0][name] for name in (*PROCESS, "timestamp")]):
        if found and same_process(found[-1][-1][0], sweep[0]):
            found[-1].append(sweep)
        else:
            found.append([sweep])
    return found


def grouped(rows: list[Fields], names: tuple[str, ...]) -> list[list[Fields]]:
    groups: dict[tuple[str, ...], list[Fields]] = defaultdict(list)
    for row in rows:
        groups[tuple(row[name] for name in names)].append(row)
    return list(groups.values())


def same_process(earlier: Fields, later: Fields) -> bool:
    pause = datetime.fromisoformat(later["timestamp"]) - datetime.fromisoformat(earlier["timestamp"])
    over_models = "model_config" in (earlier["x_name"], later["x_name"])
    return all(earlier[name] == later[name] for name in PROCESS) and pause < LONGEST_PAUSE and not over_models


def cases_of(process: list[Sweep]) -> list[Case]:
    first = process[0][0]
    job = job_of(process)
    return [
        case(row, f"sweep {number}, {row['x_name']}={row['x_value']}", job, environment(first))
        for number, sweep in enumerate(process, start=1)
        for row in sweep
    ]


def case(row: Fields, name: str, job: tuple[str, ...], venv: str) -> Case:
    truth = float(row["peak_MB_p50"])
    x = f"{row['x_name']}={row['x_value']}"
    return Case(
        source=NAME,
        id="/".join((row["op"], row["provider"], row["mode"], row["gpu"], row["timestamp"], x)),
        group="compiled" if row["provider"] == "torch_compile" else row["op"],
        card=CARDS.get(row["gpu"], ""),
        venv=venv,
        job=job,
        truth={name: round(truth * MIB)},
        tolerance={name: rounding(truth)},
        main=name,
        cannot=cannot(row),
    )


def job_of(process: list[Sweep]) -> tuple[str, ...]:
    first = process[0][0]
    options = ["--op", first["op"], "--provider", first["provider"], "--compiled", compiled_modules(first)]
    for sweep in process:
        columns = [sweep[0][name] for name in ("mode", "x_name", "timestamp", "config")]
        options += ["--sweep", *columns, *(row["x_value"] for row in sweep)]
    return ("liger_job.py", *options)


def compiled_modules(row: Fields) -> str:
    """See Note [Modules that lived on]."""
    if row["gpu"] == MODULES_STAYED:
        return "timed"
    return "recent" if row["op"] == "embedding" and row["timestamp"] < EMBEDDING_WITHOUT_COMPILED else "gone"


def environment(row: Fields) -> str:
    return next(name for month, name in FIRST_MONTHS if row["timestamp"] >= month)


def rounding(mebibytes: float) -> int:
    """Half the value of the last bit of a 32-bit float of this size, in bytes; 0 if every byte count is exact."""
    _, exponent = math.frexp(mebibytes)
    half_bit = 2.0 ** (exponent - FLOAT_DIGITS - 1) * MIB
    return int(half_bit) if half_bit >= 1 else 0


def explain(case: Case, measured: dict[str, int]) -> Optional[str]:
    """Causes that lie in the published process, not in the operation."""
    op, provider, _, _, timestamp, _ = case.id.split("/")
    if op == "embedding" and provider == "torch_compile" and timestamp < EMBEDDING_WITHOUT_COMPILED:
        return "how many modules of earlier sizes lived on depends on when Python collected them"
    if op in COMPILED_LOSSES and timestamp < "2025-03":
        return "tensors of the first call of Liger's own compiled loss stayed alive: a constant over the sweep"
    if op == "fused_neighborhood_attention":
        return "weights of 2.25 MiB lie in larger blocks of 20 MiB segments; which ones, the whole process decided"
    if op == "fused_moe":
        return "the number of tokens per expert is a computed value"
    return None


@lru_cache(maxsize=None)
def operations() -> frozenset[str]:
    """The operations in bench/truth, read without importing them, which would need PyTorch."""
    tree = ast.parse((REPOSITORY / "bench" / "truth" / "liger" / "ops.py").read_text(encoding="utf-8"))
    tables = [node.value for node in tree.body if isinstance(node, ast.AnnAssign) and isinstance(node.value, ast.Dict)]
    return frozenset(key.value for table in tables for key in table.keys if isinstance(key, ast.Constant))


def cannot(row: Fields) -> Optional[str]:
    if row["gpu"] not in CARDS:
        return f"{row['gpu']} is not in the catalogue"
    if row["op"] not in operations():
        return f"the operation {row['op']} is not implemented"
    return None
