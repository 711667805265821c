# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""What we train ourselves with dryfit-train: networks, including those of both papers, and trees; and combinations.

A column is one seed of one network. It is kept like a comparator's, and reused while the inputs and the recipe printed
by dryfit-train stay the same.
"""

from __future__ import annotations

import csv
import hashlib
import json
import re
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Iterator, Sequence

from . import columns, feature_table
from .columns import Column
from .files import unfinished
from .studies import Study, StudyError

BLOCKS = "splits/timm-blocks16.csv"
# Studies with examples that have blocks, and the features that accompany the blocks.
WITH_BLOCKS = {"timm-memory": ("dry-run",), "timm-throughput": ("roofline",)}
START = 3.0  # seconds until the data are read


@dataclass(frozen=True)
class Own:
    network: str  # its name in dryfit-train
    cost: float  # microseconds per example and epoch (or tree), roughly: only for the estimate of the time left
    reads_blocks: bool = False
    per_feature: bool = False  # the cost is per feature, since each is a token
    not_with: tuple[str, ...] = ()  # features that are too many for it
    suffix: str = ""  # of the column's name

    def label(self, study: Study) -> str:
        return f"{self.network} {study.features}{self.suffix}"

    def is_for(self, study: Study) -> bool:
        if self.reads_blocks:
            return study.features in WITH_BLOCKS.get(study.data_set, ())
        return study.features not in self.not_with


# Cores in the order of the ablation: both, then each alone.
OVER_BLOCKS = (Own("sequence", 120, True), Own("bigru", 40, True), Own("transformer", 90, True))
# Over 39 features, one token each, each seed of the three would take an hour.
MANY_FEATURES = ("layers", "dry-run")
OVER_FEATURES = (
    Own("flat", 15, per_feature=True, not_with=MANY_FEATURES),
    Own("flat-bigru", 7, per_feature=True, not_with=MANY_FEATURES),
    Own("flat-transformer", 10, per_feature=True, not_with=MANY_FEATURES),
)
TREES = Own("trees", 0.4)
# Paper 1 has 19 million parameters: a seed of a large table takes a core a quarter of an hour.
PAPERS = (
    Own("paper2", 25, suffix=" channels", not_with=("dry-run",)),
    Own("paper1", 1000, suffix=" channels", not_with=("dry-run",)),
)
# What is shipped next to the trees. Over blocks, the three differ by less than chance; this one is the smallest.
SHIPPED_OVER_BLOCKS = OVER_BLOCKS[1]
SHIPPED_OVER_FEATURES = OVER_FEATURES[0]
# Where trees on the ratio to the base are far behind all other trees (docs/evaluation.md).
SHIPPED_WITHOUT_TREES = ("llm-foundry",)
ALL = (TREES, *OVER_BLOCKS, *OVER_FEATURES, *PAPERS)


class Trainer:
    """The command dryfit-train."""

    def __init__(self, command: Path, data: Path, flags: Sequence[str | Path] = ()):
        self._command = command
        self._data = data
        self._flags = flags
        self._recipes: dict[tuple[str, str], str] = {}

    def recipe(self, study: Study, own: Own) -> str:
        """Requested once per data set: it depends on neither folds nor features."""
        known = (study.data_set, own.network)
        if known not in self._recipes:
            self._recipes[known] = self._run(study, own, "--recipe").strip()
        return self._recipes[known]

    def blocks_digest(self) -> str:
        return columns.digest_of(self._data / BLOCKS)

    def predict(self, study: Study, own: Own, seed: int, draft: Path) -> dict[int, float]:
        self._run(study, own, "--seeds", str(seed), "--out", str(draft))
        with draft.open(newline="", encoding="utf-8") as file:
            header, *lines = csv.reader(file)
        draft.unlink()
        if header != ["row", f"{own.label(study)} seed {seed}"]:
            raise StudyError(f"{self._command}: predicted {header}, which was not requested")
        return {int(row): float(value) for row, value in lines}

    def _run(self, study: Study, own: Own, *arguments: str) -> str:
        chosen = ["--set", study.data_set, "--folds", study.folds, "--features", study.features]
        command = [self._command, "--data", self._data, *self._flags, *chosen, "--network", own.network, *arguments]
        try:
            done = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False)
        except OSError as error:
            raise StudyError(f"{self._command}: {error.strerror}; run `make build-training`") from error
        if done.returncode != 0:
            raise StudyError(done.stderr.strip() or f"{self._command} ended with {done.returncode}")
        return done.stdout


@dataclass(frozen=True)
class OwnTask:
    study: Study
    own: Own
    seed: int
    trainer: Trainer
    key: str
    work: float  # seconds, roughly
    folder: Path  # of the finished column

    @property
    def name(self) -> str:
        return f"{self.own.label(self.study)} seed {self.seed}"

    def finished(self) -> Column | None:
        return columns.load(self.folder, self.name, self.key)

    def train(self) -> Column:
        started = time.monotonic()
        draft = unfinished(self.folder / (self.name.replace(" ", "-") + ".csv"))
        predicted = self.trainer.predict(self.study, self.own, self.seed, draft)
        return Column(self.name, round(time.monotonic() - started, 2), predicted)


def own_tasks_of(study: Study, trainer: Trainer, features: Path, out: Path, seeds: int) -> Iterator[OwnTask]:
    """`features` is the study's feature table."""
    digest = columns.digest_of(features)
    table = feature_table.read(features)
    inputs = len(table.input_names)
    trained = table.size / inputs
    each = trained / len(table.folds)
    for own in ALL:
        if not own.is_for(study):
            continue
        recipe = trainer.recipe(study, own)
        facts = {"table": digest, "recipe": recipe, "blocks": trainer.blocks_digest() if own.reads_blocks else ""}
        rounds = _rounds(recipe, each)
        work = START + own.cost * (inputs if own.per_feature else 1) * trained * rounds / 1e6
        for seed in range(seeds):
            key = hashlib.sha256(json.dumps({**facts, "seed": seed}, sort_keys=True).encode()).hexdigest()
            yield OwnTask(study, own, seed, trainer, key, work, out / "columns" / study.name)


def _rounds(recipe: str, examples: float) -> float:
    """Epochs of a network over this many examples, or the number of trees."""
    found = re.search(r"(?:epochs|trees) (\d+)", recipe)
    if not found:
        raise StudyError(f"the recipe '{recipe}' doesn't state its epochs")
    limit = re.search(r"batch (\d+).* most updates (\d+)", recipe)
    most = int(limit.group(2)) * int(limit.group(1)) / examples if limit else float("inf")
    return min(int(found.group(1)), most)


def write_own(tasks: Sequence[OwnTask], study: Study, folder: Path) -> None:
    """A table per network, under its name in dryfit-train."""
    for own in ALL:
        found = [task.finished() for task in tasks if (task.study, task.own) == (study, own)]
        finished = [column for column in found if column is not None]
        if finished:
            columns.write_predictions(folder / f"{study.name}-{own.network}.csv", finished)


def stronger_than(study: Study, known: Sequence[Study]) -> list[Study]:
    """The studies with features that hold more than any comparator of this one gets: ours are in its table too."""
    if study.features == "dry-run":
        return []
    return [other for other in known if other == Study(study.data_set, study.folds, "dry-run")]


def seeds_of(tasks: Sequence[OwnTask], study: Study, own: Own) -> list[str]:
    """Names of the finished columns."""
    mine = [task for task in tasks if (task.study, task.own) == (study, own)]
    return [task.name for task in mine if task.finished() is not None]


def together(own: Own, study: Study, seeds: Sequence[str]) -> str:
    """The name of all seeds together; for one seed, its own name."""
    return seeds[0] if len(seeds) == 1 else f"{own.label(study)} x{len(seeds)}"


def blends_of(tasks: Sequence[OwnTask], study: Study) -> list[str]:
    """All seeds of a network together, and the shipped ones: a network's, usually with the trees'."""
    blends = []
    for own in ALL:
        seeds = seeds_of(tasks, study, own)
        if len(seeds) > 1:
            blends.append(f"{together(own, study, seeds)}={'+'.join(seeds)}")
    network = SHIPPED_OVER_BLOCKS if SHIPPED_OVER_BLOCKS.is_for(study) else SHIPPED_OVER_FEATURES
    members = (network,) if study.data_set in SHIPPED_WITHOUT_TREES else (network, TREES)
    parts = {own: seeds_of(tasks, study, own) for own in members}
    if all(parts.values()):
        names = [together(own, study, seeds) for own, seeds in parts.items()]
        blends.append(f"shipped ({' and '.join(names)})={'+'.join(names)}")
    return blends
