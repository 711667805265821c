# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""What a truth job hands back: measured.json, the memory in bytes by the name of the field."""

from __future__ import annotations

import json
import re
import traceback
from pathlib import Path

Fields = dict[str, int]

_UNITS = {"bytes": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}
_SIZE = r"([\d.]+) (bytes|KiB|MiB|GiB)"
# PyTorch's message when a GPU is full, torch 2.1 and later. "has"/"have" and the order are the same since then.
_OOM_PARTS = {
    "oom_requested": rf"Tried to allocate {_SIZE}",
    "oom_total": rf"total capacity of {_SIZE}",
    "oom_free": rf"of which {_SIZE} is free",
    "oom_process": rf"this process has {_SIZE} memory in use",
    "oom_allocated": rf"Of the allocated memory {_SIZE} is allocated by PyTorch",
    "oom_reserved_unallocated": rf"{_SIZE} is reserved by PyTorch but unallocated",
}


def read_oom_message(message: str) -> Fields:
    """The sizes in PyTorch's own words, as exact as it prints them: two decimals of the unit."""
    found = {name: re.search(pattern, message) for name, pattern in _OOM_PARTS.items()}
    return {name: round(float(match[1]) * _UNITS[match[2]]) for name, match in found.items() if match}


def failing_place(error: BaseException) -> str:
    frames = traceback.extract_tb(error.__traceback__)
    return " < ".join(f"{Path(frame.filename).name}:{frame.lineno}:{frame.name}" for frame in reversed(frames))


def write(folder: Path, fields: Fields) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "measured.json").write_text(json.dumps(fields, indent=1) + "\n", encoding="utf-8")
