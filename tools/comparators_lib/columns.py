# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Finished columns of predictions, kept one file each so that none is computed twice.

A column is used again as long as its key is the same: a digest of the feature table, the contestant and the version of
its library.
"""

from __future__ import annotations

import csv
import hashlib
import json
from dataclasses import asdict, dataclass
from importlib import metadata
from pathlib import Path
from typing import Callable, Optional, Sequence

from .contestants import SEED, Contestant


@dataclass(frozen=True)
class Column:
    name: str
    seconds: float
    predicted: dict[int, float]  # by row


def key_of(contestant: Contestant, table_digest: str, version_of: Callable[[str], str] = metadata.version) -> str:
    facts = {
        "table": table_digest,
        "contestant": asdict(contestant),
        "seed": SEED,
        "version": version_of(contestant.learner.library),
    }
    for remark in ("reason", "cost"):
        del facts["contestant"]["learner"][remark]
    return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()


def digest_of(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def path_of(folder: Path, name: str) -> Path:
    return folder / (name.replace(" ", "-") + ".json")


def load(folder: Path, name: str, key: str) -> Optional[Column]:
    """None when there is none, or only one of other inputs."""
    try:
        stored = json.loads(path_of(folder, name).read_text(encoding="utf-8"))
    except (FileNotFoundError, json.JSONDecodeError):
        return None
    if stored.get("key") != key:
        return None
    return Column(name, stored["seconds"], {int(row): value for row, value in stored["predicted"].items()})


def store(folder: Path, key: str, column: Column) -> None:
    """Whole or not at all."""
    folder.mkdir(parents=True, exist_ok=True)
    path = path_of(folder, column.name)
    unfinished = path.with_suffix(".unfinished")
    unfinished.write_text(json.dumps({"key": key, **asdict(column)}), encoding="utf-8")
    unfinished.replace(path)


def write_predictions(path: Path, columns: Sequence[Column]) -> None:
    """The table that dryfit-evaluate reads: rows, and a column per contestant."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["row", *(column.name for column in columns)])
        for row in columns[0].predicted:
            writer.writerow([row, *(repr(column.predicted[row]) for column in columns)])
