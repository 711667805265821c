# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Results of earlier runs, so that an interrupted `make compat` goes on: one line of JSON per cell that was run.

A result holds for the same program, the same environment and the same build of Dryfit.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict
from functools import cache
from pathlib import Path
from threading import Lock
from typing import Optional

from compat_lib.environments import Environment
from compat_lib.outcome import Outcome
from compat_lib.programs import Cell


class Results:
    """Safe to use from several threads."""

    def __init__(self, path: Path, build: str) -> None:
        self._path = path
        self._build = build
        self._lock = Lock()
        self._outcomes: dict[str, Outcome] = {}
        for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else []:
            entry = _parsed(line)
            if entry:
                self._outcomes[entry["key"]] = Outcome(**entry["outcome"])

    def find(self, cell: Cell, environment: Environment) -> Optional[Outcome]:
        return self._outcomes.get(key_of(cell, environment, self._build))

    def keep(self, cell: Cell, environment: Environment, outcome: Outcome) -> None:
        key = key_of(cell, environment, self._build)
        line = json.dumps({"cell": cell.name, "key": key, "outcome": asdict(outcome)})
        with self._lock:
            self._outcomes[key] = outcome
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with self._path.open("a", encoding="utf-8") as file:
                file.write(f"\n{line}")


def _parsed(line: str) -> Optional[dict]:
    """None: an empty line, or one that was cut off when the tool was killed."""
    try:
        return json.loads(line)
    except json.JSONDecodeError:
        return None


def key_of(cell: Cell, environment: Environment, build: str) -> str:
    """Of everything that the outcome depends on."""
    sources = [path.read_text(encoding="utf-8") for path in cell.program.sources]
    program = {key: value for key, value in asdict(cell.program).items() if key not in ("shows", "kind", "reasons")}
    parts = [program, cell.torch, sources, dict(environment.versions()), build]
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:20]


@cache
def build_of(dryfit: Path) -> str:
    """The hash of an installed Dryfit: the command, its libraries and its hooks."""
    digest = hashlib.sha256()
    root = dryfit.resolve().parents[1]
    for path in sorted(path for path in root.rglob("*") if path.is_file() and "__pycache__" not in path.parts):
        digest.update(f"{path.relative_to(root)}\n".encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:12]
