# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""The list of programs, bench/compat/programs.toml, and the cells of the board: one per program and PyTorch."""

from __future__ import annotations

import shlex
import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Iterator, Mapping, Optional

from dryfit_command import REPOSITORY

LIST = REPOSITORY / "bench" / "compat" / "programs.toml"
SOURCES = LIST.parent / "programs"


@dataclass(frozen=True)
class Program:
    """One entry of the list; its comment says what the keys mean."""

    name: str
    kind: str
    shows: str
    packages: tuple[str, ...]
    command: tuple[str, ...]
    prepare: str = ""
    env: Mapping[str, str] = field(default_factory=dict, hash=False)
    options: tuple[str, ...] = ()
    gpu: str = "a100-80gb"
    environment: str = "compat"
    reasons: Mapping[str, str] = field(default_factory=dict, hash=False)
    repository: str = ""
    commit: str = ""
    folder: str = ""

    @property
    def sources(self) -> list[Path]:
        """The files of ours that it runs."""
        named = [word.removeprefix("programs/") for word in self.command if word.startswith("programs/")]
        return [SOURCES / name for name in (*named, self.prepare) if name]


@dataclass(frozen=True)
class Cell:
    program: Program
    torch: str

    @property
    def name(self) -> str:
        return f"{self.program.name} {self.torch}"

    @property
    def reason(self) -> Optional[str]:
        """Why this program can't run with this PyTorch; None: it can."""
        return self.program.reasons.get(self.torch)


@dataclass(frozen=True)
class ProgramList:
    programs: tuple[Program, ...]
    torch: tuple[str, ...]

    def cells(self) -> Iterator[Cell]:
        for torch in self.torch:
            for program in self.programs:
                yield Cell(program, torch)


def read_list(path: Path = LIST) -> ProgramList:
    """Raises ValueError if an entry can't be used."""
    table = tomllib.loads(path.read_text(encoding="utf-8"))
    programs = tuple(_program(entry) for entry in table["program"])
    names = [program.name for program in programs]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise ValueError(f"{path}: two programs are called {twice[0]}")
    torch = tuple(table["torch"])
    for program in programs:
        _check(program, torch)
    return ProgramList(programs, torch)


def _program(entry: dict) -> Program:
    lists = {key: tuple(entry.get(key, ())) for key in ("packages", "options")}
    try:
        return Program(**{**entry, **lists, "command": tuple(shlex.split(entry["command"]))})
    except (TypeError, KeyError) as error:
        raise ValueError(f"{entry.get('name', 'a program without a name')}: {error}") from None


def _check(program: Program, torch: tuple[str, ...]) -> None:
    if not program.packages:
        raise ValueError(f"{program.name}: it names no package")
    if program.repository and not program.commit:
        raise ValueError(f"{program.name}: a program of a repository needs its commit")
    unknown = set(program.reasons) - set(torch)
    if unknown:
        raise ValueError(f"{program.name}: {sorted(unknown)[0]} isn't one of the versions of PyTorch")
