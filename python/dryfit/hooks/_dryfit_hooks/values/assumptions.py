# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""What to assume for unknown values, and how the run learns about it."""

from __future__ import annotations

import math
import os
import sys
from dataclasses import dataclass
from typing import Any, Callable, NamedTuple, Optional

from .. import guest

_DECAY = 0.999


class Origin(NamedTuple):
    """Values that were assumed, and the place in the program that needed them."""

    what: str
    where: str


@dataclass(frozen=True)
class UnknownSizes:
    """How many of `of` elements a selection by unknown values takes: the launcher's --unknown-sizes."""

    fraction: float = 1.0

    @staticmethod
    def parse(text: str) -> "UnknownSizes":
        if text == "none":
            return UnknownSizes(0.0)
        if text.startswith("fraction:"):
            return UnknownSizes(min(1.0, max(0.0, float(text[len("fraction:") :]))))
        return UnknownSizes()

    def of(self, elements: int) -> int:
        return elements if self.fraction >= 1.0 else math.ceil(elements * self.fraction)


class Assumptions:
    """Reports every size that depends on an assumption, and gives unknown numbers a value.

    An unknown number, such as a loss, reads as a positive value that falls a little with every read: a program that
    stops when its loss no longer falls continues, and one that waits for convergence ends.
    """

    def __init__(self, torch: Any, sizes: UnknownSizes) -> None:
        self.sizes = sizes
        self.on_condition: Callable[[str], None] = lambda where: None
        self.on_number: Callable[[str], None] = lambda where: None
        self._own = os.path.join(os.path.dirname(os.path.dirname(__file__)), "")
        self._library = os.path.join(os.path.dirname(torch.__file__), "")
        self._number = 1.0

    def number(self) -> float:
        value = self._number
        self._number *= _DECAY
        return value

    def origin(self, what: str) -> Origin:
        return Origin(what, self.place())

    def report(self, origin: Optional[Origin], assumed: int, of: int) -> None:
        if origin is not None:
            guest.assumed(origin.what, origin.where, assumed, of)

    def report_read(self, origin: Optional[Origin], is_condition: bool = False) -> None:
        """The program has read values that depend on an assumption; whether they become sizes is unknown."""
        self.report(origin, 0, 0)
        if is_condition and origin is not None:
            self.on_condition(origin.where)

    def place(self) -> str:
        """The innermost line outside PyTorch and these hooks, as "train.py:42"."""
        frame: Optional[Any] = sys._getframe(1)
        while frame is not None:
            name = frame.f_code.co_filename
            if not name.startswith((self._own, self._library, "<")):
                return f"{os.path.basename(name)}:{frame.f_lineno}"
            frame = frame.f_back
        return "backward pass"
