# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Python environments in .venv: which one runs a cell, and what is installed in it."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Mapping

from compat_lib.programs import Cell
from dryfit_command import REPOSITORY


def normalized(name: str) -> str:
    """The name of a distribution as PEP 503 compares it."""
    return re.sub(r"[-_.]+", "-", name).lower()


class Environment:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.bin = folder / "bin"

    @property
    def python(self) -> Path:
        return self.bin / "python"

    def versions(self) -> Mapping[str, str]:
        """Installed distributions by normalized name; empty: there is no such environment."""
        return _versions(self.folder)

    def missing(self, packages: tuple[str, ...]) -> list[str]:
        return [name for name in packages if normalized(name) not in self.versions()]


@cache
def _versions(folder: Path) -> Mapping[str, str]:
    names = (path.name.removesuffix(".dist-info") for path in folder.glob("lib/python3*/site-packages/*.dist-info"))
    return {normalized(name): version for name, _, version in (each.rpartition("-") for each in names)}


def environment_of(cell: Cell, root: Path = REPOSITORY / ".venv") -> Environment:
    return Environment(root / f"{cell.program.environment}-{cell.torch}")
