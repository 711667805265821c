# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""From a feature table to out-of-fold predictions."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Sequence

import pytest
from comparators_lib import feature_table
from comparators_lib.contestants import ABSOLUTE, CONTESTANTS, SQUARED, Contestant, Learner
from comparators_lib.learners import BUILDERS
from comparators_lib.training import out_of_fold


def contestant(target: str) -> Contestant:
    return Contestant("B1", SQUARED[0], target)


def test_a_fold_has_its_own_base_and_inputs(tiny: Path) -> None:
    table = feature_table.read(tiny)
    assert table.input_names == ["x", "log base"]
    assert (table.folds[0].train.rows, table.folds[0].train.base) == ([5, 8], [20, 20])
    assert (table.folds[1].test.rows, table.folds[1].test.base) == ([5, 8], [10, 40])
    assert table.folds[1].train.inputs == [[1, 2]]
    assert table.size == 2 * (2 + 1)


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        (("0,train,8", "0,train,5"), "fold 0 doesn't hold every row once"),
        (("1,train,3", "1,test,3"), "a row is tested in two folds"),
        (("fold,part", "part,fold"), "the columns must begin with fold"),
    ],
)
def test_a_table_that_is_not_whole_is_refused(tiny: Path, change: tuple[str, str], complaint: str) -> None:
    tiny.write_text(tiny.read_text().replace(*change))
    with pytest.raises(feature_table.TableError, match=complaint):
        feature_table.read(tiny)


def test_a_learner_predicts_only_the_fold_it_has_not_seen(tiny: Path, mean_regressor: Any) -> None:
    predicted = out_of_fold(contestant("raw"), feature_table.read(tiny), lambda learner, seed: mean_regressor())
    assert predicted == {3: 60, 5: 10, 8: 10}


def test_logarithms_are_fitted_and_amounts_given_back(tiny: Path, mean_regressor: Any) -> None:
    predicted = out_of_fold(contestant("log"), feature_table.read(tiny), lambda learner, seed: mean_regressor())
    assert predicted[3] == pytest.approx((40 * 80) ** 0.5)


def test_what_is_fitted_on_the_ratio_is_multiplied_by_the_base_of_the_fold(tiny: Path, mean_regressor: Any) -> None:
    predicted = out_of_fold(contestant("res"), feature_table.read(tiny), lambda learner, seed: mean_regressor())
    assert predicted[3] == pytest.approx(20 * (2 * 4) ** 0.5)
    assert (predicted[5], predicted[8]) == (pytest.approx(10), pytest.approx(40))


def test_an_amount_below_all_that_was_seen_is_raised_to_the_least(tiny: Path) -> None:
    class Negative:
        def fit(self, inputs: Sequence[Any], targets: Sequence[float]) -> None: ...

        def predict(self, inputs: Sequence[Any]) -> list[float]:
            return [-1.0] * len(inputs)

    predicted = out_of_fold(contestant("raw"), feature_table.read(tiny), lambda learner, seed: Negative())
    assert predicted == {3: 40, 5: 10, 8: 10}


def test_every_fold_has_a_seed_of_its_own(tiny: Path, mean_regressor: Any) -> None:
    seeds: list[int] = []

    def build(learner: Learner, seed: int) -> Any:
        seeds.append(seed)
        return mean_regressor()

    out_of_fold(contestant("log"), feature_table.read(tiny), build)
    assert len(set(seeds)) == 2


def test_the_bars_hold_whom_they_must() -> None:
    names = [one.name for one in CONTESTANTS]
    assert len(set(names)) == len(names) == 27
    assert {n for n in names if n.startswith("B2")} == {f"B2 {one.name} log" for one in ABSOLUTE}
    assert "B1 AdaBoost raw" in names and "B3 AdaBoost res" in names and "B3 LightGBM l1 res" in names
    assert all(one.learner.kind in BUILDERS and one.learner.reason for one in CONTESTANTS)
