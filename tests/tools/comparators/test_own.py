# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""What is trained by dryfit-train: which, whether again, and what is put together from it."""

from __future__ import annotations

import os
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from comparators_lib import own
from comparators_lib.ablation import ablation
from comparators_lib.own import OwnTask, Trainer, blends_of, own_tasks_of, seeds_of, write_own
from comparators_lib.studies import Study, StudyError, held_out
from comparators_lib.tasks import train_missing

SCHEDTUNE = Study("schedtune", "model12", "physics")
LAYERS = Study("timm-memory", "module5_s0", "layers")
DRY_RUN = Study("timm-memory", "module5_s0", "dry-run")

# Predicts the seed plus one everywhere, and notes every training.
TRAIN = """#!/usr/bin/env python3
import sys
from pathlib import Path

arguments = dict(zip(sys.argv[1::2], sys.argv[2::2]))
if sys.argv[-1] == "--recipe":
    print(Path(__file__).with_name("recipe").read_text())
    sys.exit()
network, features, seed = (arguments[name] for name in ("--network", "--features", "--seeds"))
with Path(__file__).with_name("trained").open("a") as trained:
    trained.write(f"{network} {seed}\\n")
suffix = " channels" if network.startswith("paper") else ""
rows = "".join(f"{row},{int(seed) + 1}\\n" for row in (3, 5, 8))
Path(arguments["--out"]).write_text(f"row,{network} {features}{suffix} seed {seed}\\n{rows}")
"""


@pytest.fixture
def trainer(tmp_path: Path) -> Trainer:
    command = tmp_path / "dryfit-train"
    command.write_text(TRAIN)
    os.chmod(command, 0o755)
    (tmp_path / "recipe").write_text("epochs 2, batch 3")
    (tmp_path / "splits").mkdir()
    (tmp_path / "splits" / "timm-blocks16.csv").write_text("model\n")
    return Trainer(command, tmp_path)


def trained(tmp_path: Path) -> list[str]:
    return sorted((tmp_path / "trained").read_text().splitlines())


def tasks_in(tmp_path: Path, study: Study, table: Path, trainer: Trainer, networks: set[str]) -> list[OwnTask]:
    tasks = own_tasks_of(study, trainer, table, tmp_path / "out", seeds=2)
    return [task for task in tasks if task.own.network in networks]


def train(tasks: list[OwnTask]) -> None:
    with ThreadPoolExecutor(2) as pool:
        train_missing(tasks, pool)


def test_networks_over_blocks_are_trained_where_there_are_blocks(tmp_path: Path, tiny: Path, trainer: Trainer) -> None:
    def networks(study: Study) -> set[str]:
        return {task.own.network for task in own_tasks_of(study, trainer, tiny, tmp_path, seeds=1)}

    blocks = {"sequence", "bigru", "transformer"}
    assert networks(SCHEDTUNE) == {"flat", "flat-bigru", "flat-transformer", "trees", "paper1", "paper2"}
    assert networks(LAYERS) == {"trees", "paper1", "paper2"}
    assert networks(DRY_RUN) == blocks | {"trees"}


def test_ours_with_dry_runs_stand_in_the_tables_of_those_without() -> None:
    known = [SCHEDTUNE, LAYERS, DRY_RUN, Study("timm-memory", "model5_s0", "dry-run")]
    assert own.stronger_than(LAYERS, known) == [DRY_RUN]
    assert not own.stronger_than(DRY_RUN, known)
    assert not own.stronger_than(SCHEDTUNE, known)


def test_the_last_test_is_of_the_folds_that_are_said() -> None:
    studies = held_out([LAYERS, DRY_RUN, SCHEDTUNE], "timm-memory", "module5_s2")
    assert [study.name for study in studies] == ["timm-memory-module5_s2-layers", "timm-memory-module5_s2-dry-run"]
    with pytest.raises(StudyError, match="give --set and --folds"):
        held_out([LAYERS], "timm-memory", None)


def test_every_network_has_all_seeds_and_paper_1_is_the_longest(tmp_path: Path, tiny: Path, trainer: Trainer) -> None:
    tasks = list(own_tasks_of(SCHEDTUNE, trainer, tiny, tmp_path, seeds=5))
    seeds = Counter(task.own.network for task in tasks)
    assert seeds["paper1"] == 5 and set(seeds.values()) == {5}
    assert max(tasks, key=lambda task: task.work).own.network == "paper1"


def test_a_seed_is_trained_once_until_the_recipe_changes(tmp_path: Path, tiny: Path, trainer: Trainer) -> None:
    train(tasks_in(tmp_path, SCHEDTUNE, tiny, trainer, {"trees"}))
    train(tasks_in(tmp_path, SCHEDTUNE, tiny, trainer, {"trees", "paper2"}))
    assert trained(tmp_path) == ["paper2 0", "paper2 1", "trees 0", "trees 1"]
    (tmp_path / "recipe").write_text("epochs 7, batch 3")
    other = Trainer(tmp_path / "dryfit-train", tmp_path)
    assert [task.finished() for task in tasks_in(tmp_path, SCHEDTUNE, tiny, other, {"trees"})] == [None, None]


def test_other_blocks_make_only_networks_over_blocks_stale(tmp_path: Path, tiny: Path, trainer: Trainer) -> None:
    train(tasks_in(tmp_path, DRY_RUN, tiny, trainer, {"bigru", "trees"}))
    (tmp_path / "splits" / "timm-blocks16.csv").write_text("model\nx\n")
    finished = {t.name: t.finished() is not None for t in tasks_in(tmp_path, DRY_RUN, tiny, trainer, {"bigru", "trees"})}
    assert finished == {
        "trees dry-run seed 0": True,
        "trees dry-run seed 1": True,
        "bigru dry-run seed 0": False,
        "bigru dry-run seed 1": False,
    }


def test_seeds_are_blended_and_the_shipped_one_is_a_network_with_the_trees(
    tmp_path: Path, tiny: Path, trainer: Trainer
) -> None:
    tasks = tasks_in(tmp_path, DRY_RUN, tiny, trainer, {"trees", "bigru"})
    train([task for task in tasks if task.own.network == "trees"])
    assert blends_of(tasks, DRY_RUN) == ["trees dry-run x2=trees dry-run seed 0+trees dry-run seed 1"]
    train(tasks)
    assert blends_of(tasks, DRY_RUN)[1:] == [
        "bigru dry-run x2=bigru dry-run seed 0+bigru dry-run seed 1",
        "shipped (bigru dry-run x2 and trees dry-run x2)=bigru dry-run x2+trees dry-run x2",
    ]


def test_where_trees_are_of_no_use_the_shipped_one_is_the_network(tmp_path: Path, tiny: Path, trainer: Trainer) -> None:
    study = Study("llm-foundry", "model9", "physics")
    tasks = tasks_in(tmp_path, study, tiny, trainer, {"trees", "flat"})
    train(tasks)
    assert blends_of(tasks, study)[-1] == "shipped (flat physics x2)=flat physics x2"


def test_tables_are_written_under_the_names_that_dryfit_train_gives(
    tmp_path: Path, tiny: Path, trainer: Trainer
) -> None:
    tasks = tasks_in(tmp_path, SCHEDTUNE, tiny, trainer, {"flat"})
    train(tasks)
    write_own(tasks, SCHEDTUNE, tmp_path / "networks")
    (path,) = (tmp_path / "networks").iterdir()
    assert path.name == "schedtune-model12-physics-flat.csv"
    assert path.read_text().splitlines()[:2] == ["row,flat physics seed 0,flat physics seed 1", "3,1.0,2.0"]
    assert seeds_of(tasks, SCHEDTUNE, own.OVER_FEATURES[0]) == ["flat physics seed 0", "flat physics seed 1"]


def test_what_dryfit_train_complains_about_is_passed_on(tmp_path: Path, tiny: Path, trainer: Trainer) -> None:
    with pytest.raises(StudyError, match="make build-training"):
        list(own_tasks_of(SCHEDTUNE, Trainer(tmp_path / "nothing", tmp_path), tiny, tmp_path, seeds=1))
    (tmp_path / "recipe").write_text("none")
    with pytest.raises(StudyError, match="state its epochs"):
        list(own_tasks_of(SCHEDTUNE, trainer, tiny, tmp_path, seeds=1))


def test_the_ablation_shows_seeds_ensembles_and_intervals() -> None:
    def scores(value: float) -> dict[str, float]:
        return {metric: value for metric in ("MSE", "RMSE", "MAE", "MAPE", "R2")}

    names = {"both seed 0": 1.0, "both seed 1": 3.0, "both x2": 1.5, "alone seed 0": 22860.5}
    interval = {"value": 3.5, "low": 1.25, "high": 4.0}
    report = {
        "contenders": [{"name": name, "scores": scores(value)} for name, value in names.items()],
        "differences": [
            {"name": "alone seed 0", "less": "both x2", "scores": {metric: interval for metric in scores(0)}}
        ],
    }
    cores = [("both x2", ["both seed 0", "both seed 1"]), ("alone seed 0", ["alone seed 0"])]
    text = ablation("Cores", report, cores, "both x2")
    assert text.startswith("Cores: mean and standard deviation of single seeds; all seeds together\n")
    assert "2 ± 1.4" in text
    assert "e+" not in text
    assert "3.5 [1.2, 4]*" in text
