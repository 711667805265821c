# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Notices a program that waits for a value that only a GPU computes: a solver's error, a line search, a sampler."""

from __future__ import annotations

from typing import Callable, Dict

# A condition that is assumed, read at one line without a training step in between. An evaluation may read one in every
# batch, and a text generator one for every token.
PATIENCE = 20_000
# A number that is invented, which the program may compare itself, or print: the loss of every batch of an evaluation.
PATIENCE_WITH_NUMBERS = 100_000


class Waiting:
    def __init__(self, on_stuck: Callable[[str], None]) -> None:
        self._on_stuck = on_stuck
        self._readings: Dict[str, int] = {}

    def read(self, where: str, patience: int = PATIENCE) -> None:
        count = self._readings[where] = self._readings.get(where, 0) + 1
        if count >= patience:
            self._on_stuck(where)

    def read_number(self, where: str) -> None:
        self.read(where, PATIENCE_WITH_NUMBERS)

    def step_completed(self) -> None:
        self._readings.clear()
