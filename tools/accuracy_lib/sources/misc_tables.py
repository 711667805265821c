# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Small published tables of training runs: those with Hugging Face's Trainer are run, the others only counted.

Two kinds of rows run. optimum-benchmark: PyTorch's own peaks of five steps. Hugging Face's performance guide of January
2022: NVML's reading for the whole device, from which the row's own statement of the bare context is taken away, since
CUDA then loaded all code at once.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Optional

from ..case import Case
from ..published import Size, read_csv, read_size

NAME = "misc-tables"
FILE = "ground-truth/misc-tables/tables.csv"

CARDS = {"A10G": "a10g-24gb", "V100-SXM2-16GB": "v100-16gb"}
BENCHMARK, GUIDE = "optimum-benchmark", "huggingface/notebooks"
METRICS = {"max_memory_allocated": "peak_allocated", "max_memory_reserved": "peak_reserved", "NVML": "device_peak"}
MODELS = (
    *("bert-base-uncased", "bert-large-uncased", "distilbert-base-uncased", "roberta-base"),
    *("gpt2", "vit-base-patch16-224"),
)
TASKS = (
    *("fill-mask", "text-generation", "text-classification", "token-classification"),
    *("question-answering", "image-classification"),
)
# The first words of a source, and what its rows would need.
NEEDS = {
    "pytorch/ao": "needs timm and torchao",
    "meta-pytorch/torchtune": "needs torchtune and the flags of its recipe",
}

_MIB = 1 << 20
_GUIDE_STEPS = "3"  # later steps make no other tensors than these

Fields = dict[str, str]
Job = tuple[str, ...]


def cases(path: Path) -> list[Case]:
    return [case(row) for row in read_csv(path)]


def case(row: Fields) -> Case:
    name, size = truth_of(row)
    card = card_of(row["gpu"])
    job = job_of(row)
    return Case(
        source=NAME,
        id=f"{row['model']}: {row['config']}: {row['metric']} ({row['gpu']})",
        group=row["source"].split(" ")[0],
        card=card or "",
        venv="torch-2.6.0",
        job=job or (),
        truth={name: size.bytes} if size else {},
        tolerance={name: size.tolerance} if size and size.tolerance else {},
        main=name,
        truth_oom=None if size else True,
        cannot=obstacle(row, card, job),
        facts={"versions": row["versions"]},
    )


def card_of(gpu: str) -> Optional[str]:
    return next((card for name, card in CARDS.items() if name in gpu), None)


def truth_of(row: Fields) -> tuple[str, Optional[Size]]:
    name = next((ours for theirs, ours in METRICS.items() if theirs in row["metric"]), "peak_allocated")
    if row["value"] == "OOM":
        return name, None
    size = read_size(row["value"], "GiB" if row["unit"] == "GB" else row["unit"])
    context = re.search(r"(\d+) MiB context", row["note"])
    if name != "device_peak" or context is None:
        return name, size
    return "device_growth", Size(size.bytes - int(context[1]) * _MIB, size.tolerance)


def obstacle(row: Fields, card: Optional[str], job: Optional[Job]) -> Optional[str]:
    missing = next((need for source, need in NEEDS.items() if row["source"].startswith(source)), None)
    if missing:
        return missing
    if "8bit" in row["config"] or "8-bit" in row["config"]:
        return "needs the 8-bit optimizer of bitsandbytes"
    if card is None:
        return "an AMD GPU" if "AMD" in row["gpu"] else f"{row['gpu']} is not in the catalogue"
    return None if job else "the job doesn't support this model or configuration"


def job_of(row: Fields) -> Optional[Job]:
    if row["source"].startswith(BENCHMARK):
        return benchmark_job(row)
    return guide_job(row) if row["source"].startswith(GUIDE) else None


def benchmark_job(row: Fields) -> Optional[Job]:
    """From "fill-mask bert-base-uncased" and "HF Trainer, ..., fp32, batch 2, seq 16 (...), 5 steps, ..."."""
    task, _, model = row["model"].partition(" ")
    model = model.rsplit("/", 1)[-1]
    patterns = (r"batch (\d+)", r"seq (\d+)", r"(\d+) steps")
    batch, length, steps = (number(pattern, row["config"]) for pattern in patterns)
    if task not in TASKS or model not in MODELS or not (batch and length and steps):
        return None
    return ("trainer_job.py", "--model", model, "--task", task, "--batch", batch, "--length", length, "--steps", steps)


def guide_job(row: Fields) -> Optional[Job]:
    """From "Trainer, batch 1, grad accumulation 4, gradient checkpointing, fp16, Adafactor; seq 512, 512 samples"."""
    how, _, data = row["config"].partition(";")
    length, samples = number(r"seq (\d+)", data), number(r"(\d+) samples", data)
    if row["model"] not in MODELS or not (length and samples):
        return None
    job: Job = ("trainer_job.py", "--model", row["model"], "--task", "text-classification", "--attention", "eager")
    if not how.startswith("Trainer"):
        return job + ("--steps", "0")
    job += ("--of-2022", "--steps", _GUIDE_STEPS, "--length", length, "--samples", samples)
    job += ("--batch", number(r"batch (\d+)", how) or "1", "--accumulation", number(r"accumulation (\d+)", how) or "1")
    job += ("--optimizer", "adafactor" if "Adafactor" in how else "adamw-loop")
    flags = {"--checkpointing": "checkpointing", "--fp16": "fp16"}
    return job + tuple(flag for flag, word in flags.items() if word in how)


def number(pattern: str, text: str) -> Optional[str]:
    match = re.search(pattern, text)
    return match[1] if match else None
