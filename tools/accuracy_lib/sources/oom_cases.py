# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Runs of the 2026 course Transformer that ended out of memory: the failed request and the state at that moment.

The sizes were read off PyTorch's message, which prints two decimals of MiB below 1 GiB and of GiB above.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Optional

from ..case import Case
from ..published import Size, course_machine, find_card, read_csv

NAME = "oom-cases"
FILE = "ground-truth/oom-cases/oom.csv"

_MIB = 1 << 20
_GIB = 1 << 30


def cases(path: Path) -> list[Case]:
    return [_case(row) for row in read_csv(path)]


def _case(row: dict[str, str]) -> Case:
    sizes = {
        "oom_requested": _printed(float(row["tried_MiB"]) * _MIB),
        "oom_allocated": _printed(float(row["allocated_GiB"]) * _GIB),
        "oom_reserved_unallocated": _printed(float(row["reserved_unallocated_GiB"]) * _GIB),
    }
    card = find_card(row["gpu"])
    job = _job(row)
    return Case(
        source=NAME,
        id=f"{row['gpu']}: {row['config']}",
        group=row["gpu"],
        card=card or "",
        venv="torch-2.11.0",
        job=job or (),
        options=course_machine(row["gpu"]),
        truth={name: size.bytes for name, size in sizes.items()},
        tolerance={name: size.tolerance for name, size in sizes.items()},
        main="oom_allocated",
        truth_oom=True,
        cannot=None if card and job else "unknown GPU or configuration",
    )


def _printed(size: float) -> Size:
    """Half of the last printed digit, plus the table's loss from converting MiB to GiB with six decimals."""
    return Size(round(size), round(0.005 * _GIB if size >= _GIB else 0.005 * _MIB + 0.5e-6 * _GIB))


def _find(pattern: str, text: str) -> Optional[str]:
    match = re.search(pattern, text)
    return match[1] if match else None


def _job(row: dict[str, str]) -> Optional[tuple[str, ...]]:
    """From words such as "xl model, batch 4, seq 512, bf16 autocast, train; first warm-up step"."""
    config = row["config"].partition(";")[0]
    size, batch = _find(r"(\w+) model", config), _find(r"batch (\d+)", config)
    seq = _find(r"(?:ctx|seq) (\d+)", config)
    mode = next((mode for mode in ("train", "backward", "forward") if mode in config), None)
    if not (size and batch and seq and mode):
        return None
    run = "torch-adamw" if "torch AdamW" in config or row["source"].startswith("LINYUN") else "stages"
    precision = "bf16" if "bf16" in config else "fp32"
    job = ("course_peaks_job.py", "--run", run, "--size", size, "--seq", seq, "--batch", batch)
    job += ("--precision", precision, "--mode", mode, "--warmup", "2")
    segments = _find(r"checkpoint\D*(\d+)", config) or _find(r"(\d+) (?:checkpoint )?segment", config)
    return job + (("--segments", segments) if segments else ())
