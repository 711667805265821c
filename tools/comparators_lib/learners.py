# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""The libraries. Each is imported on first use, so that the rest of the tool works without them."""

from __future__ import annotations

from typing import Any, Callable, Protocol, Sequence

from .contestants import Learner


class Regressor(Protocol):
    def fit(self, inputs: Any, targets: Any) -> Any: ...

    def predict(self, inputs: Any) -> Sequence[float]: ...


def regressor(learner: Learner, seed: int) -> Regressor:
    """One thread, and the same seed gives the same predictions."""
    return BUILDERS[learner.kind](learner.settings, seed)


def _decision_tree(settings: dict[str, Any], seed: int) -> Regressor:
    from sklearn.tree import DecisionTreeRegressor

    return DecisionTreeRegressor(**settings, random_state=seed)


def _random_forest(settings: dict[str, Any], seed: int) -> Regressor:
    from sklearn.ensemble import RandomForestRegressor

    return RandomForestRegressor(**settings, n_jobs=1, random_state=seed)


def _extra_trees(settings: dict[str, Any], seed: int) -> Regressor:
    from sklearn.ensemble import ExtraTreesRegressor

    return ExtraTreesRegressor(**settings, n_jobs=1, random_state=seed)


def _ada_boost(settings: dict[str, Any], seed: int) -> Regressor:
    from sklearn.ensemble import AdaBoostRegressor
    from sklearn.tree import DecisionTreeRegressor

    boosting = {name: value for name, value in settings.items() if name != "depth"}
    return AdaBoostRegressor(DecisionTreeRegressor(max_depth=settings["depth"]), **boosting, random_state=seed)


def _xgboost(settings: dict[str, Any], seed: int) -> Regressor:
    from xgboost import XGBRegressor

    return XGBRegressor(**settings, tree_method="hist", n_jobs=1, random_state=seed)


def _lightgbm(settings: dict[str, Any], seed: int) -> Regressor:
    from lightgbm import LGBMRegressor

    fixed = {"n_jobs": 1, "deterministic": True, "force_row_wise": True, "verbosity": -1}
    return LGBMRegressor(**settings, **fixed, random_state=seed)


def _catboost(settings: dict[str, Any], seed: int) -> Regressor:
    from catboost import CatBoostRegressor

    return CatBoostRegressor(**settings, thread_count=1, random_seed=seed, verbose=False, allow_writing_files=False)


BUILDERS: dict[str, Callable[[dict[str, Any], int], Regressor]] = {
    "decision_tree": _decision_tree,
    "random_forest": _random_forest,
    "ada_boost": _ada_boost,
    "extra_trees": _extra_trees,
    "xgboost": _xgboost,
    "lightgbm": _lightgbm,
    "catboost": _catboost,
}
