# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Memory outside PyTorch's allocator. The programs are known only by a few words, so a small one of the same
kind is run: an idle context, elementwise kernels, training or inference of a Transformer, a convolutional network.

The catalogue's own numbers were taken from some of these rows (docs/cards.md). They are in groups of their own: they
cannot be missed.
"""

from __future__ import annotations

import re
import tomllib
from functools import lru_cache
from pathlib import Path
from typing import Any, Optional

from dryfit_command import REPOSITORY

from ..case import Case
from ..published import read_csv

NAME = "context-overhead"
FILE = "ground-truth/context-overhead/overhead.csv"
FIELD = "outside_torch"

_MIB = 1 << 20

CARDS = {
    "B200": "b200-180gb",
    "RTX PRO 6000": "rtx-pro-6000-96gb",
    "RTX 6000 Ada": "rtx-6000-ada-48gb",
    "RTX 5090": "rtx-5090-32gb",
    "RTX 4090": "rtx-4090-24gb",
    "RTX 4060 Ti": "rtx-4060-ti-8gb",
    "RTX 3090": "rtx-3090-24gb",
    "A100-40GB": "a100-40gb",
    "A6000": "rtx-a6000-48gb",
    "A10G": "a10g-24gb",
    "H200": "h200-141gb",
    "T4": "t4-16gb",
    "V100-SXM2-16GB": "v100-16gb",
}
SHARED = re.compile(r"\w/\w.* class")  # "RTX 3090/4090 class": the capacity matches two cards

# The first that the description contains; None: what such a program loads is not known.
WORKLOADS: dict[str, Optional[str]] = {
    "eager module loading": None,
    "NCCL": None,
    "STFT": None,
    "GPTQ": None,
    "quantisation": None,
    "TensorRT": None,
    "idle context": "idle",
    "context only": "idle",
    "no kernels": "idle",
    "randn": "elementwise",
    "elementwise": "elementwise",
    "conv": "convolution",
    "CNN": "convolution",
    "batch norm": "convolution",
    "U-Net": "convolution",
    "YOLO": "convolution",
    "3D medical volumes": "convolution",
    "training": "training",
    "Trainer": "training",
    "inference": "inference",
}
BLACKWELL = ("b200-180gb", "rtx-pro-6000-96gb", "rtx-5090-32gb")  # torch 2.6 has no code for them
USUAL, RECENT = "torch-2.6.0", "torch-2.11.0"

Fields = dict[str, str]


def cases(path: Path) -> list[Case]:
    return [case(number, row) for number, row in enumerate(read_csv(path), start=1)]


def case(number: int, row: Fields) -> Case:
    card, workload = card_of(row["gpu"]), workload_of(row["workload"])
    return Case(
        source=NAME,
        id=f"{number}: {row['gpu']}, {row['workload']}",
        group=group_of(row, card, workload),
        card=card or "",
        venv=RECENT if row["torch"].startswith("2.11") or card in BLACKWELL else USUAL,
        job=("context_job.py", "--workload", workload) if workload else (),
        truth={FIELD: int(row["overhead_MiB"]) * _MIB},
        tolerance={FIELD: int(row["uncertainty_MiB"]) * _MIB},
        main=FIELD,
        cannot=obstacle(row, card, workload),
        facts={"spread": size_of(card, "context_spread"), "kind": row["kind"]} if card else {},
    )


def card_of(gpu: str) -> Optional[str]:
    if SHARED.search(gpu):
        return None
    return next((card for name, card in CARDS.items() if name in gpu), None)


def workload_of(words: str) -> Optional[str]:
    return next((workload for part, workload in WORKLOADS.items() if part in words), None)


def obstacle(row: Fields, card: Optional[str], workload: Optional[str]) -> Optional[str]:
    if card is None:
        shared = SHARED.search(row["gpu"])
        return "two GPUs have this capacity" if shared else "the GPU is not named or not in the catalogue"
    if "eager module loading" in row["workload"]:
        return "measured with CUDA before 11.7, which loads all code at once"
    return None if workload else "the description does not say which libraries were loaded"


def group_of(row: Fields, card: Optional[str], workload: Optional[str]) -> str:
    if card is None or workload is None:
        return "other"
    return f"{workload}, in the catalogue" if is_in_catalogue(row["overhead_MiB"], card, workload) else workload


def is_in_catalogue(overhead: str, card: str, workload: str) -> bool:
    """Whether the card's file has this row for its source: it quotes the value, or it is the value."""
    field = read_card(card)["context_memory" if workload == "idle" else "launch_memory"]
    source = field["source"]
    return source.startswith("measured") and (
        f"{overhead} MiB" in source or field["value"] == int(overhead) * _MIB
    )


def size_of(card: str, name: str) -> int:
    return int(read_card(card).get(name, {"value": 0})["value"])


@lru_cache(maxsize=None)
def read_card(card: str) -> dict[str, Any]:
    return tomllib.loads((REPOSITORY / "cards" / f"{card}.toml").read_text(encoding="utf-8"))


def explain(case: Case, measured: dict[str, int]) -> Optional[str]:
    if FIELD not in measured:
        return None
    off = measured[FIELD] - case.truth[FIELD]
    if abs(off) <= case.facts["spread"] + case.tolerance[FIELD]:
        return "within the uncertainty stated for this GPU's context"
    if off < 0 and "global" in case.facts["kind"]:
        return "NVML's reading for the whole GPU includes other processes and the driver"
    return "it loaded more than a program of its kind does here; what it loaded is not published" if off < 0 else None
