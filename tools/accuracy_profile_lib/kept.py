# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Earlier estimates: one line of JSON per row, in the order of the rows, so that a change shows as one line.

The file is part of the repository: profiling all rows takes hours, printing the table a second.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Iterable, Optional

from accuracy_lib.case import Case
from accuracy_lib.outcome import Outcome
from dryfit_command import REPOSITORY

KEPT = REPOSITORY / "data" / "accuracy" / "profile.jsonl"
Key = tuple[str, str]


class Kept:
    def __init__(self, path: Path) -> None:
        self._path = path
        self._estimates: dict[Key, Outcome] = {}
        self._runs: dict[Key, Outcome] = {}
        if path.exists():
            for line in path.read_text(encoding="utf-8").splitlines():
                self._load(json.loads(line))

    def estimate(self, case: Case) -> Optional[Outcome]:
        return self._estimates.get((case.source, case.id))

    def run(self, case: Case) -> Optional[Outcome]:
        """The same row through `dryfit run`."""
        return self._runs.get((case.source, case.id))

    def keep_estimate(self, case: Case, outcome: Outcome) -> None:
        self._estimates[case.source, case.id] = outcome

    def keep_run(self, case: Case, outcome: Outcome) -> None:
        self._runs[case.source, case.id] = outcome

    def write(self, cases: Iterable[Case]) -> None:
        lines = [self._line(case) for case in cases if self.estimate(case) or self.run(case)]
        self._path.parent.mkdir(parents=True, exist_ok=True)
        temporary = self._path.with_suffix(".tmp")
        temporary.write_text("".join(lines), encoding="utf-8")
        temporary.replace(self._path)

    def _line(self, case: Case) -> str:
        parts = {"estimate": self.estimate(case), "run": self.run(case)}
        outcomes = {name: _short(outcome) for name, outcome in parts.items() if outcome}
        return json.dumps({"source": case.source, "id": case.id, **outcomes}) + "\n"

    def _load(self, entry: dict) -> None:
        key = entry["source"], entry["id"]
        for name, where in (("estimate", self._estimates), ("run", self._runs)):
            if name in entry:
                where[key] = Outcome(**entry[name])


def _short(outcome: Outcome) -> dict:
    return {name: value for name, value in asdict(outcome).items() if value not in (None, {}, False)}
