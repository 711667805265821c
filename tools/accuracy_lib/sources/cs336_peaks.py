# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Peaks of the 2026 course Transformer: the memory after every stage of a step, to the byte."""

from __future__ import annotations

from pathlib import Path
from typing import Optional

from ..case import Case
from ..published import course_machine, find_card, read_csv, read_size

NAME = "cs336-peaks"
FILE = "ground-truth/cs336-peaks/peaks.csv"

FIELDS = (
    "init_allocated",
    "init_reserved",
    "after_forward_allocated",
    "after_forward_peak_allocated",
    "after_backward_allocated",
    "after_backward_peak_allocated",
    "after_optimizer_allocated",
    "end_allocated",
    "end_reserved",
    "peak_allocated",
    "peak_reserved",
)

_ADDRESS_SPREAD = 0.01  # the largest observed effect of other segment addresses on a peak
_BY_ADDRESS = (
    "ties between free blocks are broken by the addresses of new segments, which depend on the "
    "platform: the tensors are the same, their places differ"
)
_BY_FREE_MEMORY = "fails at another request: the memory outside PyTorch differs from the author's machine"


def cases(path: Path) -> list[Case]:
    return [_case(row) for row in read_csv(path)]


def _case(row: dict[str, str]) -> Case:
    sizes = {name: read_size(row[name], row["unit"]) for name in FIELDS if row[name]}
    if row["oom_request_MiB"]:
        sizes["oom_requested"] = read_size(row["oom_request_MiB"], "MiB")
    card = find_card(row["gpu"])
    return Case(
        source=NAME,
        id=f"{row['source'].split('/')[0]}/{row['case'] or _name(row)}",
        group=_group(row),
        card=card or "",
        venv="torch-2.11.0",
        job=_job(row),
        options=course_machine(row["gpu"]),
        truth={name: size.bytes for name, size in sizes.items()},
        tolerance={name: size.tolerance for name, size in sizes.items() if size.tolerance},
        main="peak_reserved" if "peak_reserved" in sizes else "peak_allocated",
        truth_oom=_truth_oom(row),
        cannot=None if card else f"unknown GPU: {row['gpu']}",
    )


def explain(case: Case, measured: dict[str, int]) -> Optional[str]:
    wrong = [name for name in case.truth if abs(measured.get(name, 0) - case.truth[name]) > case.tolerance.get(name, 0)]
    if not wrong:
        return None
    if case.truth_oom:
        return _BY_FREE_MEMORY
    near = all(abs(measured.get(name, 0) - case.truth[name]) <= _ADDRESS_SPREAD * case.truth[name] for name in wrong)
    return _BY_ADDRESS if near and not any(name.startswith("init") for name in wrong) else None


def _name(row: dict[str, str]) -> str:
    parts = (row["size"], row["seq"], row["dtype"], row["mode"], row["checkpoint_segments"])
    return "-".join(part for part in parts if part)


def _group(row: dict[str, str]) -> str:
    if row["status"] == "oom":
        return "out of memory"
    if row["checkpoint_segments"]:
        return "checkpointing"
    return row["mode"]


def _truth_oom(row: dict[str, str]) -> Optional[bool]:
    """Dryfit judges training: for a run without an optimizer it can only show that it does not fit."""
    if row["status"] == "oom":
        return True
    return False if row["mode"] == "train" else None


def _job(row: dict[str, str]) -> tuple[str, ...]:
    torch_adamw = row["optimizer"].startswith("torch") or row["source"].startswith("LINYUN")
    arguments = {
        "--run": "torch-adamw" if torch_adamw else "stages",
        "--size": row["size"],
        "--seq": row["seq"],
        "--batch": row["batch"],
        "--precision": row["dtype"],
        "--mode": row["mode"],
        "--segments": row["checkpoint_segments"],
        "--warmup": row["warmup_steps"],
        "--timed": row["timed_steps"],
    }
    given = [part for name, value in arguments.items() if value for part in (name, value)]
    return ("course_peaks_job.py", *given)
