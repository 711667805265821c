# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Published measurements: one row of the CSV files is one job with its measured peak and what other tools estimated."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, Optional

PEERS = ("xmem", "dnnmem", "schedtune", "llmem")
REQUIRED_COLUMNS = ("model", "optimizer", "batch_size", "gpu_name", "zero_grad_mode", "ground", "real_oom")


class RowsError(Exception):
    """The file cannot be used; the message says why."""


class JobKey(NamedTuple):
    """What decides a job: rows with equal keys need one dry run."""

    model: str
    optimizer: str
    batch_size: int
    gpu_name: str
    zero_grad_mode: Optional[int]  # None: an older era that did not write it down; runs as mode 0


class Estimate(NamedTuple):
    """What a peer said. Both None: the peer does not support the model."""

    bytes: Optional[int]
    oom: Optional[bool]


@dataclass(frozen=True)
class Row:
    source: str
    key: JobKey
    truth_bytes: int
    truth_oom: bool
    peers: dict[str, Optional[Estimate]]


def read_rows(path: Path) -> list[Row]:
    try:
        with path.open(newline="", encoding="utf-8") as file:
            reader = csv.DictReader(file)
            missing = [name for name in REQUIRED_COLUMNS if name not in (reader.fieldnames or [])]
            if missing:
                raise RowsError(f"{path} has no column {', '.join(missing)}")
            return [_row(path, line, fields) for line, fields in enumerate(reader, start=2)]
    except OSError as error:
        raise RowsError(f"cannot read {path}: {error.strerror}") from error


def _row(path: Path, line: int, fields: dict[str, str]) -> Row:
    try:
        mode = fields["zero_grad_mode"]
        key = JobKey(
            fields["model"],
            fields["optimizer"],
            int(fields["batch_size"]),
            fields["gpu_name"],
            int(mode) if mode else None,
        )
        truth = int(float(fields["ground"]))
        peers = {peer: _estimate(fields.get(peer + "_memory"), fields.get(peer + "_oom")) for peer in PEERS}
    except (ValueError, TypeError) as error:
        raise RowsError(f"{path}, line {line}: {error}") from error
    return Row(path.stem, key, truth, fields["real_oom"] == "true", peers)


def _estimate(memory: Optional[str], oom: Optional[str]) -> Optional[Estimate]:
    if not memory:
        return None
    if float(memory) < 0:
        return Estimate(None, None)
    return Estimate(int(float(memory)), oom == "true")
