# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Fine-tuning runs of PEFT's method comparison on one L40S: image generation and MetaMathQA.

Next to the runs of one commit, a second table has older ones without their hyperparameters; those are taken from
the run of the same experiment in the first table. A run in both tables is one row.
All values are above what the first tensor reserved.
"""

from __future__ import annotations

from pathlib import Path
from typing import Optional

from ..case import Case
from ..published import read_csv

NAME = "peft"
FILE = "ground-truth/peft-method-comparison/results-head.csv"
OLDER = "results-all-versions.csv"

CARDS = {"NVIDIA L40S": "l40s-48gb"}
IMAGES, TEXTS = "image-gen", "MetaMathQA"
GROUPS = {IMAGES: "image generation", TEXTS: "MetaMathQA"}
IMAGE_MODEL = "FLUX.2-klein-base-4B"
# The published program moved the transformer to the card later from this day on, and encoded prompts once.
OTHER_PROGRAM = "2026-08-14"

Fields = dict[str, str]


def cases(path: Path) -> list[Case]:
    rows = read_csv(path)
    older = path.with_name(OLDER)
    if older.exists() and older != path:
        rows += unknown_rows(rows, read_csv(older))
    known = {row["experiment"]: row["peft_hyperparameters"] for row in rows if row.get("peft_hyperparameters")}
    return [case(row, row.get("peft_hyperparameters") or known.get(row["experiment"])) for row in rows]


def unknown_rows(rows: list[Fields], older: list[Fields]) -> list[Fields]:
    known = {run_of(row) for row in rows}
    return [row for row in older if run_of(row) not in known]


def run_of(row: Fields) -> tuple[str, ...]:
    return row["task"], row["experiment"], row["torch"], row["created"][:10], row["memory_max"]


def case(row: Fields, hyperparameters: Optional[str]) -> Case:
    truth = truth_of(row)
    return Case(
        source=NAME,
        id="/".join((row["task"], row["experiment"], row["torch"], row["created"])),
        group=GROUPS.get(row["task"], row["task"]),
        card=CARDS.get(row["gpu"], ""),
        venv="peft",
        job=job_of(row, hyperparameters or "{}"),
        truth=truth,
        tolerance={name: 1 for name in truth if name != "reserved_max"},
        main="reserved_max",
        truth_oom=False if row["status"] == "success" else None,
        cannot=obstacle(row, hyperparameters),
        facts={"peft_type": row["peft_type"], "torch": row["torch"], "peft": row["peft"]},
    )


def truth_of(row: Fields) -> dict[str, int]:
    """The averages are over the steps before the first validation and were rounded to bytes."""
    columns = {
        "reserved_max": row["memory_max"],
        "reserved_first_interval": row.get("reserved_avg_first250") or row.get("reserved_avg_first"),
        "allocated_first_interval": row.get("allocated_avg_first250") or row.get("allocated_avg_first"),
    }
    return {name: int(value) for name, value in columns.items() if value}


def obstacle(row: Fields, hyperparameters: Optional[str]) -> Optional[str]:
    if row["task"] == TEXTS:
        return "the lengths of its texts are not published"
    if row["task"] != IMAGES or IMAGE_MODEL not in row["model"]:
        return f"the task {row['task']} with {row['model']} is not implemented"
    if row["gpu"] not in CARDS:
        return f"{row['gpu']} is not in the catalogue"
    if row["peft_type"] != "FULL" and hyperparameters is None:
        return "its hyperparameters are not published"
    if row["use_amp"] == "True" or row.get("compile") == "True":
        return "autocast and compiled models are not implemented"
    return None


def job_of(row: Fields, hyperparameters: str) -> tuple[str, ...]:
    job = ("peft_image_job.py", "--peft-type", row["peft_type"], "--hyperparameters", hyperparameters)
    job += ("--batch", row["batch"], "--resolution", row["max_seq_or_res"], "--dtype", row["dtype"])
    job += ("--optimizer", row["optimizer"], "--optimizer-options", row.get("optimizer_kwargs") or "{}")
    job += ("--clip", row.get("grad_norm_clip") or "1.0")
    job += ("--steps", row["max_steps"])
    flags = {"--checkpointing": row["use_gc"], "--autocast-adapter-dtype": row.get("autocast_adapter_dtype", "True")}
    return job + tuple(flag for flag, value in flags.items() if value == "True")


def explain(case: Case, measured: dict[str, int]) -> Optional[str]:
    if case.id.rsplit("/", 1)[-1] >= OTHER_PROGRAM:
        return "since then the published program has moved the transformer to the GPU at another time"
    if case.facts["peft_type"] == "HRA":
        return "fills the GPU: PyTorch releases its cache, and when it does depends on every earlier step"
    if not str(case.facts["torch"]).startswith("2.12."):
        return f"measured with torch {case.facts['torch']}, run with 2.12"
    if all(abs(measured.get(name, 0) - case.truth[name]) <= case.tolerance[name] for name in case.tolerance):
        return "equal until the first validation; later ones are run only in part, so what they leave free differs"
    return None
