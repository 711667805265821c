# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Columns travel with the repository and come back as they were."""

from __future__ import annotations

from pathlib import Path

from comparators_lib import columns, kept
from comparators_lib.columns import Column
from comparators_lib.contestants import ABSOLUTE, CONTESTANTS, contestants_of
from comparators_lib.studies import Study, is_shown

TREES = Column("B1 forest log", 1.5, {3: 0.123456789, 8: 2e-7})
NETWORK = Column("flat physics seed 0", 60.0, {3: 12345.678912345, 8: 1.0})


def stored(folder: Path) -> Path:
    columns.store(folder, "key of trees", TREES)
    columns.store(folder, "key of network", NETWORK)
    return folder


def test_columns_come_back_with_their_keys_to_nine_digits(tmp_path: Path) -> None:
    archive = tmp_path / "study.json.xz"
    kept.pack(archive, stored(tmp_path / "a").glob("*.json"))
    assert kept.unpack(archive, tmp_path / "b") == 2
    assert columns.load(tmp_path / "b", TREES.name, "key of trees") == TREES
    network = columns.load(tmp_path / "b", NETWORK.name, "key of network")
    assert network is not None and network.predicted == {3: 12345.6789, 8: 1.0}
    assert columns.load(tmp_path / "b", NETWORK.name, "another key") is None


def test_the_same_columns_give_the_same_bytes(tmp_path: Path) -> None:
    paths = list(stored(tmp_path / "a").glob("*.json"))
    kept.pack(tmp_path / "one", paths)
    kept.pack(tmp_path / "two", reversed(paths))
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()


def test_a_column_that_is_there_is_left_alone(tmp_path: Path) -> None:
    archive = tmp_path / "study.json.xz"
    kept.pack(archive, stored(tmp_path / "a").glob("*.json"))
    columns.store(tmp_path / "b", "newer", Column(TREES.name, 1, {3: 1.0, 8: 2.0}))
    assert kept.unpack(archive, tmp_path / "b") == 1
    assert columns.load(tmp_path / "b", TREES.name, "newer") is not None


def test_without_columns_or_archive_there_is_nothing_to_do(tmp_path: Path) -> None:
    kept.pack(tmp_path / "nothing", [])
    assert not (tmp_path / "nothing").exists()
    assert kept.unpack(tmp_path / "nothing", tmp_path / "b") == 0


def test_the_final_test_is_listed_and_random_folds_are_not() -> None:
    assert is_shown(Study("timm-memory", "module5_s2", "layers"))
    assert not is_shown(Study("timm-memory", "random5_s0", "layers"))
    assert not is_shown(Study("elsewhere", "module5_s0", "layers"))


def test_no_baseline_uses_our_dry_runs() -> None:
    assert contestants_of("layers") == CONTESTANTS
    assert {contestant.learner.name for contestant in contestants_of("dry-run")} == {one.name for one in ABSOLUTE}
