# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""One task per study and contestant: missing columns are trained, finished ones are kept."""

from __future__ import annotations

import time
from concurrent.futures import Executor, as_completed
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Callable, Iterable, Iterator, Sequence, Union

from accuracy_lib.progress import Progress

from . import columns, feature_table
from .columns import Column
from .contestants import CONTESTANTS, Contestant
from .own import OwnTask
from .studies import Evaluator, Study
from .training import out_of_fold

START = 2.0  # seconds to load a library and read a table


@dataclass(frozen=True)
class Task:
    study: Study
    contestant: Contestant
    features: Path
    key: str
    work: float  # seconds, roughly
    folder: Path  # of the finished column

    @property
    def name(self) -> str:
        return self.contestant.name

    def finished(self) -> Column | None:
        return columns.load(self.folder, self.name, self.key)

    def train(self) -> Column:
        table = table_of(self.features)
        started = time.monotonic()
        predicted = out_of_fold(self.contestant, table)
        return Column(self.name, round(time.monotonic() - started, 2), predicted)


AnyTask = Union[Task, OwnTask]


@lru_cache(maxsize=1)
def table_of(path: Path) -> feature_table.FeatureTable:
    return feature_table.read(path)


def tasks_of(
    study: Study,
    evaluator: Evaluator,
    out: Path,
    contestants: Iterable[Contestant] = CONTESTANTS,
    key_of: Callable[[Contestant, str], str] = columns.key_of,
) -> Iterator[Task]:
    """Writes the study's feature table first."""
    features = out / "features" / f"{study.name}.csv"
    evaluator.write_features(study, features)
    digest = columns.digest_of(features)
    size = table_of(features).size
    for contestant in contestants:
        work = START + contestant.learner.cost * size / 1e6
        yield Task(study, contestant, features, key_of(contestant, digest), work, out / "columns" / study.name)


def train(task: AnyTask) -> Column:
    return task.train()


def train_missing(tasks: Sequence[AnyTask], pool: Executor, train_one: Callable[[Any], Column] = train) -> None:
    """The quick ones first. Each column is stored as soon as it is finished, so an interrupted run can continue."""
    missing = sorted((task for task in tasks if task.finished() is None), key=lambda task: task.work)
    progress = Progress(len(missing), sum(task.work for task in missing))
    futures = {pool.submit(train_one, task): task for task in missing}
    try:
        for future in as_completed(futures):
            task, column = futures[future], future.result()
            columns.store(task.folder, task.key, column)
            progress.advance(f"{task.study.name} {column.name}, {column.seconds:.1f} s", task.work)
    except BaseException:
        pool.shutdown(wait=False, cancel_futures=True)
        raise


def write_finished(study: Study, tasks: Sequence[Task], out: Path) -> list[Path]:
    """The study's finished columns as a table of predictions; none if there are none."""
    found = [task.finished() for task in tasks if task.study == study]
    finished = [column for column in found if column is not None]
    if not finished:
        return []
    path = out / "comparators" / f"{study.name}.csv"
    columns.write_predictions(path, finished)
    return [path]
