# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Reads what `dryfit-evaluate --features-out` writes: every example once per fold (src/predictor/feature_table.h)."""

from __future__ import annotations

import csv
from dataclasses import dataclass, field
from pathlib import Path

FIXED = ["fold", "part", "row", "group", "truth", "base"]


class TableError(Exception):
    """The table is not valid."""


@dataclass
class Part:
    """The examples on which a fold is trained or tested."""

    rows: list[int] = field(default_factory=list)
    truth: list[float] = field(default_factory=list)
    base: list[float] = field(default_factory=list)
    inputs: list[list[float]] = field(default_factory=list)


@dataclass
class Fold:
    train: Part = field(default_factory=Part)
    test: Part = field(default_factory=Part)


@dataclass
class FeatureTable:
    input_names: list[str]
    folds: list[Fold]

    @property
    def size(self) -> int:
        """The number of training values over all folds."""
        return len(self.input_names) * sum(len(fold.train.rows) for fold in self.folds)


def read(path: Path) -> FeatureTable:
    with path.open(newline="", encoding="utf-8") as file:
        lines = csv.reader(file)
        header = next(lines, [])
        if header[: len(FIXED)] != FIXED or len(header) == len(FIXED):
            raise TableError(f"{path}: the columns must begin with {', '.join(FIXED)}, followed by inputs")
        folds: dict[int, Fold] = {}
        for line in lines:
            fold = folds.setdefault(int(line[0]), Fold())
            _append(fold.test if line[1] == "test" else fold.train, line)
    if sorted(folds) != list(range(len(folds))) or len(folds) < 2:
        raise TableError(f"{path}: the folds must be numbered from 0 on, and there must be at least two")
    _check_tested_once(path, folds)
    return FeatureTable(header[len(FIXED) :], [folds[number] for number in sorted(folds)])


def _append(part: Part, line: list[str]) -> None:
    part.rows.append(int(line[2]))
    part.truth.append(float(line[4]))
    part.base.append(float(line[5]))
    part.inputs.append([float(value) for value in line[len(FIXED) :]])


def _check_tested_once(path: Path, folds: dict[int, Fold]) -> None:
    tested = [row for fold in folds.values() for row in fold.test.rows]
    if len(tested) != len(set(tested)):
        raise TableError(f"{path}: a row is tested in two folds")
    for number, fold in folds.items():
        if sorted(fold.train.rows + fold.test.rows) != sorted(tested):
            raise TableError(f"{path}: fold {number} doesn't hold every row once")
