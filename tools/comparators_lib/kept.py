# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Finished columns that travel with the repository, a compressed file per study, so that tables which took hours to
train can be printed and checked in minutes. They go stale by their keys, like columns in a folder."""

from __future__ import annotations

import json
import lzma
from pathlib import Path
from typing import Any, Iterable

from .files import unfinished, write_whole

DIGITS = 9  # of a prediction


def pack(archive: Path, columns: Iterable[Path]) -> None:
    """`columns` are files as columns.store writes them. The same columns give the same bytes."""
    stored = [json.loads(path.read_text(encoding="utf-8")) for path in sorted(columns)]
    if not stored:
        return
    rows = list(stored[0]["predicted"])
    packed = {"rows": [int(row) for row in rows], "columns": [_without_rows(column, rows) for column in stored]}
    text = json.dumps(packed, separators=(",", ":"))
    draft = unfinished(archive)
    draft.write_bytes(lzma.compress(text.encode(), preset=9))
    draft.replace(archive)


def _without_rows(column: dict[str, Any], rows: list[str]) -> dict[str, Any]:
    predicted = [float(f"{column['predicted'][row]:.{DIGITS}g}") for row in rows]
    return {**column, "predicted": predicted}


def unpack(archive: Path, folder: Path) -> int:
    """Writes each column without a file of its name to one. Returns how many were written."""
    if not archive.exists():
        return 0
    packed = json.loads(lzma.decompress(archive.read_bytes()))
    written = 0
    for column in packed["columns"]:
        path = folder / (column["name"].replace(" ", "-") + ".json")
        if path.exists():
            continue
        rows = {str(row): value for row, value in zip(packed["rows"], column["predicted"])}
        write_whole(path, json.dumps({**column, "predicted": rows}))
        written += 1
    return written
