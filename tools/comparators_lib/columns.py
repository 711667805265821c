# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Finished columns of predictions, one file each, so that none is computed twice.

A column is reused as long as its key stays the same: a digest of the feature table, the contestant and the version of
its library.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass
from importlib import metadata
from pathlib import Path
from typing import Callable, Optional, Sequence

from .contestants import SEED, Contestant
from .files import write_whole


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
    """None if there is none, or only one for other inputs."""
    try:
        stored = json.loads(path_of(folder, name).read_text(encoding="utf-8"))
    except (FileNotFoundError, json.JSONDecodeError):
        return None
    if stored.get("key") != key:
        return None
    return Column(name, stored["seconds"], {int(row): value for row, value in stored["predicted"].items()})


def store(folder: Path, key: str, column: Column) -> None:
    write_whole(path_of(folder, column.name), json.dumps({"key": key, **asdict(column)}))


def write_predictions(path: Path, columns: Sequence[Column]) -> None:
    """The table that dryfit-evaluate reads: rows, and a column per contestant."""
    lines = [",".join(["row", *(column.name for column in columns)])]
    for row in columns[0].predicted:
        lines.append(",".join([str(row), *(repr(column.predicted[row]) for column in columns)]))
    write_whole(path, "\n".join(lines) + "\n")
