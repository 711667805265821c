# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""What is finished is not computed again, and what changed is."""

from __future__ import annotations

import hashlib
import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Iterator

import pytest
from comparators_lib import columns
from comparators_lib.columns import Column
from comparators_lib.contestants import CONTESTANTS, Contestant
from comparators_lib.studies import Evaluator, Study, StudyError, chosen, networks_of
from comparators_lib.tasks import Task, tasks_of, train_missing, write_finished

STUDY = Study("schedtune", "model12", "physics")
THREE = CONTESTANTS[:3]


class FakeEvaluator(Evaluator):
    def __init__(self, table: Path):
        self.table_to_copy = table

    def write_features(self, study: Study, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(self.table_to_copy.read_bytes())


def fake_key(contestant: Contestant, digest: str) -> str:
    return columns.key_of(contestant, digest, version_of=lambda library: "1.0")


@pytest.fixture
def pool() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(2) as executor:
        yield executor


def tasks_in(out: Path, table: Path) -> list[Task]:
    return list(tasks_of(STUDY, FakeEvaluator(table), out, THREE, fake_key))


def constant(task: Task) -> Column:
    return Column(task.contestant.name, 0.5, {3: 1.0, 5: 2.5, 8: 1 / 3})


def test_a_finished_column_is_not_trained_again(tmp_path: Path, tiny: Path, pool: ThreadPoolExecutor) -> None:
    trained: list[str] = []

    def train_one(task: Task) -> Column:
        trained.append(task.contestant.name)
        return constant(task)

    train_missing(tasks_in(tmp_path, tiny)[:2], pool, train_one)
    train_missing(tasks_in(tmp_path, tiny), pool, train_one)
    assert sorted(trained) == sorted(one.name for one in THREE)


def test_the_quick_ones_come_first(tmp_path: Path, tiny: Path) -> None:
    order: list[float] = []

    def train_one(task: Task) -> Column:
        order.append(task.work)
        return constant(task)

    slow, quick = (replace(task, work=work) for task, work in zip(tasks_in(tmp_path, tiny), (9.0, 1.0)))
    with ThreadPoolExecutor(1) as one_at_a_time:
        train_missing([slow, quick], one_at_a_time, train_one)
    assert order == [1.0, 9.0]


def test_a_change_of_the_table_makes_all_columns_stale(tmp_path: Path, tiny: Path, pool: ThreadPoolExecutor) -> None:
    train_missing(tasks_in(tmp_path, tiny), pool, constant)
    tiny.write_text(tiny.read_text().replace("80", "81"))
    assert [task.finished() for task in tasks_in(tmp_path, tiny)] == [None] * 3


def test_a_key_changes_with_settings_and_version_and_not_with_remarks() -> None:
    one = CONTESTANTS[0]
    remark = replace(one, learner=replace(one.learner, reason="another", cost=9))
    setting = replace(one, learner=replace(one.learner, settings={"min_samples_leaf": 4}))
    assert fake_key(remark, "t") == fake_key(one, "t") != fake_key(setting, "t")
    assert columns.key_of(one, "t", version_of=lambda library: "2.0") != fake_key(one, "t")


def test_what_was_finished_before_a_failure_is_kept(tmp_path: Path, tiny: Path, pool: ThreadPoolExecutor) -> None:
    tasks = tasks_in(tmp_path, tiny)
    train_missing(tasks[:1], pool, constant)

    def fail(task: Task) -> Column:
        raise RuntimeError("no more")

    with pytest.raises(RuntimeError, match="no more"):
        train_missing(tasks, pool, fail)
    assert [task.finished() is not None for task in tasks] == [True, False, False]


def test_a_broken_column_file_counts_as_none(tmp_path: Path, tiny: Path, pool: ThreadPoolExecutor) -> None:
    task = tasks_in(tmp_path, tiny)[0]
    train_missing([task], pool, constant)
    path = columns.path_of(task.folder, task.contestant.name)
    path.write_text(path.read_text()[:-10])
    assert task.finished() is None


def test_predictions_are_written_to_the_last_digit(tmp_path: Path, tiny: Path, pool: ThreadPoolExecutor) -> None:
    tasks = tasks_in(tmp_path, tiny)
    assert write_finished(STUDY, tasks, tmp_path) == []
    train_missing(tasks[:2], pool, constant)
    (path,) = write_finished(STUDY, tasks, tmp_path)
    assert path == tmp_path / "comparators/schedtune-model12-physics.csv"
    header, first, _, last = path.read_text().splitlines()
    assert header == "row,B1 DecisionTree log,B1 DecisionTree raw"
    assert (first, last) == ("3,1.0,1.0", "8,0.3333333333333333,0.3333333333333333")


def test_networks_join_the_table_of_their_folds_and_features(tmp_path: Path) -> None:
    plain, layers = (Study("timm-memory", "module5_s0", features) for features in ("plain", "layers"))
    for name in ("module5_s0", "module5_s0-x2", "module5_s0-plain-flat", "module5_s0-layers", "module5_s01"):
        (tmp_path / f"timm-memory-{name}.csv").write_text("")
    found = [path.stem for path in networks_of(plain, tmp_path, [plain, layers])]
    assert found == ["timm-memory-module5_s0", "timm-memory-module5_s0-plain-flat", "timm-memory-module5_s0-x2"]
    assert "timm-memory-module5_s0-layers" in [p.stem for p in networks_of(layers, tmp_path, [plain, layers])]


def test_studies_are_those_that_the_evaluator_lists(tmp_path: Path) -> None:
    command = tmp_path / "evaluate"
    command.write_text("#!/bin/sh\necho schedtune model12 physics\necho llm-foundry gpu3 physics\n")
    os.chmod(command, 0o755)
    studies = Evaluator(command, tmp_path).studies()
    assert studies[0] == STUDY
    assert chosen(studies, "llm-foundry", None, None) == [Study("llm-foundry", "gpu3", "physics")]
    with pytest.raises(StudyError, match="unknown study"):
        chosen(studies, "llm-foundry", "model12", None)


def test_what_the_evaluator_complains_about_is_passed_on(tmp_path: Path) -> None:
    command = tmp_path / "evaluate"
    command.write_text("#!/bin/sh\necho 'dryfit-evaluate: no such folder' >&2\nexit 1\n")
    os.chmod(command, 0o755)
    with pytest.raises(StudyError, match="no such folder"):
        Evaluator(command, tmp_path).studies()
    with pytest.raises(StudyError, match="make build"):
        Evaluator(tmp_path / "nothing", tmp_path).studies()


def test_an_unchanged_feature_table_keeps_its_file(tmp_path: Path) -> None:
    command = tmp_path / "evaluate"
    command.write_text('#!/bin/sh\nfor last; do :; done\necho same >"$last"\n')
    os.chmod(command, 0o755)
    path = tmp_path / "features" / "t.csv"
    Evaluator(command, tmp_path).write_features(STUDY, path)
    before = path.stat().st_mtime_ns, hashlib.sha256(path.read_bytes()).hexdigest()
    Evaluator(command, tmp_path).write_features(STUDY, path)
    assert (path.stat().st_mtime_ns, hashlib.sha256(path.read_bytes()).hexdigest()) == before
