# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""The file of answers: one JSON line per dry run, written when it ends, so that an interrupted study can continue.

A line is {"source", "id", "digest", "build", "outcome"}. An answer is valid for a case as long as the digest stays the
same: the card, the environment, the job with the scripts it consists of and, if the source compares what the job left,
the source with its modules.
"""

from __future__ import annotations

import ast
import hashlib
import json
import threading
from dataclasses import asdict
from functools import lru_cache
from pathlib import Path
from typing import Any, Iterable, Optional

from dryfit_command import REPOSITORY

from .case import Case
from .catalogue import Source
from .outcome import Outcome


def digest(case: Case, source: Optional[Source], scripts: Path) -> str:
    parts: list[Any] = [case.card, case.venv, list(case.job), list(case.options), _code(scripts / case.job[0])]
    parts += [_code(file) for option in case.options if (file := REPOSITORY / option).is_file()]
    if source and source.compare:
        parts += [case.source, case.id, case.truth, _code(source.module)]
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:16]


def build_digest(dryfit: Path) -> str:
    """The digest of the command and its installed files, by path and content."""
    command = dryfit.resolve()
    root = command.parents[1]
    files = [path for part in ("lib/dryfit", "share/dryfit") for path in (root / part).rglob("*") if path.is_file()]
    whole = hashlib.sha256()
    for path in (command, *sorted(path for path in files if path.suffix != ".pyc")):
        whole.update(f"{path.relative_to(root)}\0".encode() + hashlib.sha256(path.read_bytes()).digest())
    return whole.hexdigest()[:16]


@lru_cache(maxsize=None)
def _code(script: Path) -> str:
    whole = hashlib.sha256()
    for path in sorted(closure(script)):
        whole.update(path.read_bytes())
    return whole.hexdigest()


def closure(script: Path) -> set[Path]:
    """The script and what it imports, directly or indirectly, from its own folder or from the packages around it."""
    found: set[Path] = set()
    waiting = [script]
    while waiting:
        path = waiting.pop()
        if path not in found and path.is_file():
            found.add(path)
            waiting += _imports(path)
    return found


def _imports(path: Path) -> Iterable[Path]:
    if path.suffix != ".py":
        return
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield from _modules(path.parent, alias.name)
        elif isinstance(node, ast.ImportFrom):
            folder = path.parents[max(node.level - 1, 0)]
            for alias in node.names:
                yield from _modules(folder, ".".join(filter(None, (node.module, alias.name))))


def _modules(folder: Path, dotted: str) -> Iterable[Path]:
    """Every module along the dotted name; a package counts as all its modules, since it may import them by name."""
    path = folder
    for part in dotted.split("."):
        path = path / part
        yield path.with_suffix(".py")
        yield from sorted(path.glob("*.py"))


class Answers:
    """Thread-safe. Incomplete lines are skipped; the last line for a digest counts."""

    def __init__(self, path: Path, build: str, use_earlier: bool = True, any_build: bool = False):
        self._path = path
        self._build = build
        self._any_build = any_build
        self._lock = threading.Lock()
        self._outcomes: dict[str, Outcome] = {}
        if use_earlier and path.exists():
            self._load(path.read_text(encoding="utf-8"))

    def find(self, wanted: str) -> Optional[Outcome]:
        return self._outcomes.get(wanted)

    def keep(self, case: Case, key: str, outcome: Outcome) -> None:
        line = {"source": case.source, "id": case.id, "digest": key, "build": self._build, "outcome": asdict(outcome)}
        with self._lock:
            self._outcomes[key] = outcome
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with self._path.open("a+", encoding="utf-8") as file:
                file.write(("" if self._ends_well() else "\n") + json.dumps(line) + "\n")

    def _ends_well(self) -> bool:
        with self._path.open("rb") as file:
            size = file.seek(0, 2)
            file.seek(max(size - 1, 0))
            return file.read(1) in (b"", b"\n")

    def _load(self, text: str) -> None:
        for line in text.splitlines():
            try:
                entry = json.loads(line)
                outcome = Outcome(**entry["outcome"])
            except (ValueError, TypeError, KeyError):
                continue
            if (self._any_build or entry["build"] == self._build) and not outcome.passing:
                self._outcomes[entry["digest"]] = outcome
