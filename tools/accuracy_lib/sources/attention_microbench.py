# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Eager and compiled attention from four authors. Each sweep ran in one process, so all its rows are one job."""

from __future__ import annotations

from itertools import groupby
from pathlib import Path
from typing import Optional

from ..case import Case
from ..published import course_machine, find_card, read_csv, read_size

NAME = "attention-microbench"
FILE = "ground-truth/attention-microbench/attention.csv"

_AUTHORS = ("MAGMA27", "silmont2000", "bolongcheng", "Wedsonlin")
# Unnamed cards: any card with the workspaces of its generation gives the same bytes.
_HOPPER, _BEFORE_HOPPER = "h100-80gb", "rtx-3060-12gb"
# Inductor's tuning copies what a kernel overwrites to the host: 8 GiB, in 16 GiB of pinned memory, from 16384 on.
_LONGEST_COMPILED = 8192


def cases(path: Path) -> list[Case]:
    rows = sorted(read_csv(path), key=_sweep)
    return [case for _, sweep in groupby(rows, key=_sweep) for case in _cases(list(sweep))]


def _sweep(row: dict[str, str]) -> tuple[str, str]:
    return row["source"], row["variant"]


def _cases(sweep: list[dict[str, str]]) -> list[Case]:
    """All rows have the same job: it runs once and has a field for each."""
    job = _job(sweep)
    return [_case(row, job) for row in sweep]


def _case(row: dict[str, str], job: tuple[str, ...]) -> Case:
    field = f"seq{row['seq_len']}_d{row['d_model']}"
    size = read_size(row["value"], row["unit"]) if row["value"] else None
    author = row["source"].split("/")[0]
    return Case(
        source=NAME,
        id=f"{author} {row['variant']} {field}",
        group=f"{author} {row['variant']}",
        card=_card(row["gpu"]),
        venv="torch-2.6.0" if row["torch"].startswith("2.6.") else "torch-2.11.0",
        job=job,
        options=course_machine(row["gpu"]),
        truth={field: size.bytes} if size else {},
        tolerance={field: size.tolerance} if size and size.tolerance else {},
        main=field,
        cannot=_obstacle(row, author),
    )


def _card(gpu: str) -> str:
    return find_card(gpu) or (_HOPPER if "Hopper" in gpu else _BEFORE_HOPPER)


def _obstacle(row: dict[str, str], author: str) -> Optional[str]:
    if author not in _AUTHORS:
        return f"unknown how {author} measured"
    if row["status"] == "OOM":
        return "ran out of memory: the GPU, or what the failure left behind for the rest of the sweep, is not published"
    if not _is_run(row):
        return "autotuning would copy 8 GiB to host memory"
    return None


def _is_run(row: dict[str, str]) -> bool:
    """Nothing of a longer sequence affects the following rows: each is compiled anew."""
    if row["status"] != "ok":
        return False
    return "compile" not in row["variant"] or int(row["seq_len"]) <= _LONGEST_COMPILED


def _job(sweep: list[dict[str, str]]) -> tuple[str, ...]:
    first = sweep[0]
    author = first["source"].split("/")[0] + ("-older" if "older" in first["variant"] else "")
    flags = (("--compiled",) if "compile" in first["variant"] else ()) + (
        ("--backward",) if first["variant"].startswith("bwd") else ()
    )
    sizes = [f"{row['seq_len']}x{row['d_model']}" for row in sweep if _is_run(row)]
    return ("attention_job.py", "--author", author, "--batch", first["batch"], *flags, "--sweep", *sizes)
