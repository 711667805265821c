# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""A study is a data set, folds and features. dryfit-evaluate lists them, makes their inputs, and scores."""

from __future__ import annotations

import os
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Optional, Sequence

from .files import unfinished


class StudyError(Exception):
    """dryfit-evaluate refused, or nothing is left to do."""


@dataclass(frozen=True)
class Study:
    data_set: str
    folds: str
    features: str

    @property
    def name(self) -> str:
        return f"{self.data_set}-{self.folds}-{self.features}"


# The studies in docs/evaluation.md, which are trained by default: data set, folds, features.
TOLD = {
    "timm-memory": (("module5_s0", "module5_s1", "module5_s2", "model5_s0"), ("layers", "dry-run")),
    "schedtune": (("model12",), ("physics",)),
    "llm-foundry": (("model9", "gpu3"), ("physics",)),
    "timm-throughput": (("module5_s0",), ("roofline",)),
}


def is_shown(study: Study) -> bool:
    folds, features = TOLD.get(study.data_set, ((), ()))
    return study.folds in folds and study.features in features


class Evaluator:
    """The command dryfit-evaluate."""

    def __init__(self, command: Path, data: Path, flags: Sequence[str | Path] = ()):
        self._command = command
        self._data = data
        self._flags = flags

    def studies(self) -> list[Study]:
        return [Study(*line.split()) for line in self._run("--list").splitlines()]

    def write_features(self, study: Study, path: Path) -> None:
        """Writes the file only if its content changes."""
        draft = unfinished(path)
        self._run(*self._arguments(study), "--features-out", str(draft))
        if path.exists() and path.read_bytes() == draft.read_bytes():
            draft.unlink()
        else:
            draft.replace(path)

    def table(self, study: Study, predictions: Sequence[Path], blends: Sequence[str] = (), *flags: str) -> str:
        """A blend is "NAME=COLUMN+COLUMN"."""
        added = [argument for blend in blends for argument in ("--blend", blend)]
        return self._run(*self._arguments(study), *flags, *added, *map(str, predictions))

    def _arguments(self, study: Study) -> list[str]:
        chosen = ["--set", study.data_set, "--folds", study.folds, "--features", study.features]
        return ["--data", str(self._data), *map(str, self._flags), *chosen]

    def _run(self, *arguments: str) -> str:
        try:
            done = subprocess.run([self._command, *arguments], capture_output=True, text=True, check=False)
        except OSError as error:
            raise StudyError(f"{self._command}: {error.strerror}; run `make build`") from error
        if done.returncode != 0:
            raise StudyError(done.stderr.strip() or f"{self._command} ended with {done.returncode}")
        return done.stdout


def chosen(
    studies: Sequence[Study], data_set: Optional[str], folds: Optional[str], features: Optional[str]
) -> list[Study]:
    wanted = {"data_set": data_set, "folds": folds, "features": features}
    left = [s for s in studies if all(value in (None, getattr(s, name)) for name, value in wanted.items())]
    if not left:
        raise StudyError("unknown study; run `dryfit-evaluate --list` to list them")
    return left


def held_out(studies: Sequence[Study], data_set: Optional[str], folds: Optional[str]) -> list[Study]:
    """The same features over the folds reserved for the final test."""
    if data_set is None or folds is None:
        raise StudyError("the last test needs one data set and its folds: give --set and --folds")
    features = dict.fromkeys(study.features for study in studies if study.data_set == data_set)
    return [Study(data_set, folds, each) for each in features]


def networks_of(study: Study, folder: Path, studies: Sequence[Study]) -> list[Path]:
    """Tables <set>-<folds>*.csv. A table with features of the set in its name belongs to those only."""
    own = f"{study.data_set}-{study.folds}"
    others = [s.name for s in studies if (s.data_set, s.folds) == (study.data_set, study.folds) and s != study]
    found = sorted(folder.glob("*.csv"), key=lambda path: path.stem)
    return [path for path in found if _is_of(path, [own]) and not _is_of(path, others)]


def _is_of(path: Path, names: Sequence[str]) -> bool:
    """The file's name is one of these, or continues after it with neither a letter nor a digit."""
    return any(re.match(re.escape(name) + r"(?![A-Za-z0-9])", path.stem) for name in names)


def limit_threads() -> None:
    """Call before any library is loaded: one thread each, for the same sums in the same order."""
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ[name] = "1"
