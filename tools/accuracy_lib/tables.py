# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Tables for people: cells of text, aligned for a terminal."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Optional, Sequence

from .metrics import MIB, Share

Cells = Sequence[str]


_NUMBER = re.compile(r"([-+]?[\d.,]+( %|/\d+| / [\d.,]+)?)?")


@dataclass
class Table:
    """Columns of numbers are right-aligned."""

    title: str
    header: Cells
    lines: list[Cells] = field(default_factory=list)
    note: str = ""

    def is_number(self, column: int) -> bool:
        return all(_NUMBER.fullmatch(line[column]) for line in self.lines) and any(line[column] for line in self.lines)

    def text(self) -> str:
        """Columns padded to their widest cell."""
        rows = [self.header, *self.lines]
        columns = range(len(self.header))
        widths = [max(len(row[column]) for row in rows) for column in columns]
        right = [self.is_number(column) for column in columns]
        body = "\n".join(_line(row, widths, right) for row in rows)
        return "\n".join(part for part in (self.title, body, self.note) if part)

    def markdown(self) -> str:
        rule = ["---:" if self.is_number(column) else "---" for column in range(len(self.header))]
        rows = [self.header, rule, *([cell.replace("|", "\\|") for cell in line] for line in self.lines)]
        body = "\n".join(f"| {' | '.join(row)} |" for row in rows)
        return "\n\n".join(part for part in (f"**{self.title}**", body, self.note) if part)


def _line(row: Cells, widths: Sequence[int], right: Sequence[bool]) -> str:
    cells = (cell.rjust(width) if flag else cell.ljust(width) for cell, width, flag in zip(row, widths, right))
    return "  " + "  ".join(cells).rstrip()


def percent(value: Optional[float], digits: int = 2) -> str:
    return "" if value is None else f"{100 * value:.{digits}f} %"


def share(value: Share) -> str:
    """In full: a share without its numbers means little."""
    return f"{value.hits}/{value.rows}" if value.rows else ""


def mebibytes(value: float) -> str:
    return f"{value / MIB:+,.1f}"


def gibibytes(value: float) -> str:
    return f"{value / (1 << 30):.2f}"
