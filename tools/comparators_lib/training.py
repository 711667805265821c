# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Trains one contestant without each fold in turn and predicts that fold."""

from __future__ import annotations

from typing import Callable

from .contestants import SEED, Contestant, Learner
from .feature_table import FeatureTable
from .learners import Regressor, regressor
from .targets import AMOUNTS, TARGETS

Build = Callable[[Learner, int], Regressor]


def out_of_fold(contestant: Contestant, table: FeatureTable, build: Build = regressor) -> dict[int, float]:
    """Predictions by row, in the order of the rows."""
    predicted: dict[int, float] = {}
    for number, fold in enumerate(table.folds):
        model = build(contestant.learner, 1000 * SEED + number)
        model.fit(fold.train.inputs, TARGETS[contestant.target](fold.train))
        answers = model.predict(fold.test.inputs)
        predicted.update(zip(fold.test.rows, AMOUNTS[contestant.target](answers, fold.train, fold.test)))
    return dict(sorted(predicted.items()))
