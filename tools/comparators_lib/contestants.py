# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Which learners are compared, and how each is configured: all of it is in this file.

One sensible configuration per learner, the same for every data set; none is tuned. The baselines are those of
Note [Bars] in src/predictor/evaluation.h.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

SEED = 0


@dataclass(frozen=True)
class Learner:
    name: str
    library: str  # its name on the package index
    kind: str  # the function of learners.py that builds it
    settings: dict[str, Any]
    reason: str
    cost: float  # seconds per million numbers of training input, roughly: only for the estimate of the time left


@dataclass(frozen=True)
class Contestant:
    bar: str
    learner: Learner
    target: str  # of targets.py

    @property
    def name(self) -> str:
        return f"{self.bar} {self.learner.name} {self.target}"


SQUARED = (
    Learner(
        "DecisionTree",
        "scikit-learn",
        "decision_tree",
        {"min_samples_leaf": 3},
        "grown out but for leaves of three, so that no leaf is one noisy run",
        3,
    ),
    Learner(
        "RandomForest",
        "scikit-learn",
        "random_forest",
        {"n_estimators": 200, "max_features": 0.5},
        "twice the library's trees; half of the columns per split, between the usual third and all",
        100,
    ),
    Learner(
        "AdaBoost",
        "scikit-learn",
        "ada_boost",
        {"depth": 12, "n_estimators": 60, "learning_rate": 0.5, "loss": "linear"},
        "deep trees, since AdaBoost.R2 answers with a median of its trees and not with their sum",
        50,
    ),
    Learner(
        "ExtraTrees",
        "scikit-learn",
        "extra_trees",
        {"n_estimators": 200, "max_features": 1.0},
        "the library's choice for regression, with twice its trees",
        90,
    ),
    Learner(
        "XGBoost",
        "xgboost-cpu",
        "xgboost",
        {"n_estimators": 600, "max_depth": 6, "learning_rate": 0.05, "subsample": 0.8, "colsample_bytree": 0.8},
        "the library's depth, a slow rate with trees enough for it, and the usual sampling",
        40,
    ),
    Learner(
        "LightGBM",
        "lightgbm",
        "lightgbm",
        {
            "n_estimators": 700,
            "num_leaves": 31,
            "learning_rate": 0.05,
            "min_child_samples": 10,
            "subsample": 0.8,
            "subsample_freq": 1,
            "colsample_bytree": 0.8,
        },
        "the library's leaves, a slow rate with trees enough for it, leaves of ten since tables are small",
        60,
    ),
    Learner(
        "CatBoost",
        "catboost",
        "catboost",
        {"iterations": 1200, "depth": 6, "learning_rate": 0.05},
        "the library's depth; its own rate differs between losses, so it is fixed",
        180,
    ),
)


def _with_loss(name: str, short: str, loss: dict[str, Any]) -> Learner:
    base = next(learner for learner in SQUARED if learner.name == name)
    reason = f"{name} as above with the absolute loss, which is close to the networks'"
    return Learner(f"{name} {short}", base.library, base.kind, {**base.settings, **loss}, reason, base.cost * 1.3)


ABSOLUTE = (
    _with_loss("LightGBM", "l1", {"objective": "regression_l1"}),
    _with_loss("XGBoost", "mae", {"objective": "reg:absoluteerror"}),
    _with_loss("CatBoost", "mae", {"loss_function": "MAE"}),
)

CONTESTANTS = (
    *(Contestant("B1", learner, target) for learner in SQUARED for target in ("log", "raw")),
    *(Contestant("B2", learner, "log") for learner in ABSOLUTE),
    *(Contestant("B3", learner, "res") for learner in SQUARED + ABSOLUTE),
)


def contestants_of(features: str) -> tuple[Contestant, ...]:
    """No baseline uses our dry runs; the strongest also get them, to show what the dry runs are worth."""
    if features != "dry-run":
        return CONTESTANTS
    return tuple(contestant for contestant in CONTESTANTS if contestant.learner in ABSOLUTE)
