# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""The kept board, bench/compat/board.json: the last known outcome of every cell that was ever run.

It is part of the repository. A cell that becomes worse is reported and keeps its old outcome until somebody accepts the new
one.
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Iterable, Mapping, Optional

from compat_lib.outcome import NOT_RUN, Outcome, is_worse
from compat_lib.programs import LIST, Cell

BOARD = LIST.with_name("board.json")


class Board:
    def __init__(self, path: Path = BOARD) -> None:
        self._path = path
        kept = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
        self._outcomes = {name: Outcome(**entry) for name, entry in kept.items()}

    def outcome(self, cell: Cell) -> Outcome:
        return self._outcomes.get(cell.name, NOT_RUN)

    def worse(self, now: Mapping[Cell, Outcome]) -> list[Cell]:
        """The cells that were better before."""
        return [cell for cell, outcome in now.items() if is_worse(outcome, self.outcome(cell))]

    def record(self, now: Mapping[Cell, Outcome], accept: bool = False) -> None:
        """Takes over what was run. With `accept`, cells that became worse as well."""
        refused = set() if accept else set(self.worse(now))
        for cell, outcome in now.items():
            if outcome.was_run and cell not in refused:
                self._outcomes[cell.name] = replace(outcome, seconds=0)

    def write(self, cells: Iterable[Cell]) -> None:
        """In the order of the list, one cell per line; programs that left the list are dropped."""
        names = [cell.name for cell in cells if cell.name in self._outcomes]
        lines = [f"  {json.dumps(name)}: {json.dumps(_short(self._outcomes[name]))}" for name in names]
        temporary = self._path.with_suffix(".tmp")
        temporary.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
        temporary.replace(self._path)


def shown(cell: Cell, now: Optional[Outcome], board: Board) -> Outcome:
    """What the page says about a cell: the outcome of this run, otherwise the kept one."""
    kept = board.outcome(cell)
    if now is None or (now.state in ("not-installed", "not-run") and kept.was_run):
        return kept
    return now


def _short(outcome: Outcome) -> dict:
    return {key: value for key, value in vars(outcome).items() if value not in (None, "", 0)}
