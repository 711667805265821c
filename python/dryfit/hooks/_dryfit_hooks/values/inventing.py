# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Values for unknown numbers that the program reads: the same at every reading, until it writes to the tensor.

Note [Invented numbers]
A single number, such as a loss, is positive and a little smaller than the one before. In a tensor each row sums to 1, and
its largest element is the next one in turn: a row can stand for probabilities, a square matrix is symmetric and positive
definite, and both agree with what we assume of the places of the largest values.
"""

from __future__ import annotations

from typing import Any, Optional

from .assumptions import Assumptions
from .mirrors import Mirrors

_LARGEST_SHARE = 0.8


class Inventing:
    def __init__(self, torch: Any, mirrors: Mirrors, assumptions: Assumptions) -> None:
        self._torch = torch
        self._mirrors = mirrors
        self._assumptions = assumptions

    def values_of(self, tensor: Any) -> Optional[Any]:
        """For a tensor with unknown values. None: these are no numbers, or too many."""
        if not tensor.is_floating_point() or not tensor.numel() or not self._mirrors.may_follow(tensor):
            return None
        if tensor.numel() == 1:
            values = self._torch.full(tensor.shape, self._assumptions.number(), dtype=tensor.dtype, device="cpu")
            origin = None
        else:
            values = self._rows(tensor)
            origin = self._assumptions.origin("unknown numbers read as rows that sum to 1")
        self._mirrors.invented(tensor, values, origin)
        return values

    def _rows(self, tensor: Any) -> Any:
        width = tensor.shape[-1]
        values = self._torch.full((tensor.numel(),), (1 - _LARGEST_SHARE) / width, device="cpu")
        rows = self._torch.arange(tensor.numel() // width, device="cpu")
        values[rows * width + rows % width] += _LARGEST_SHARE
        return values.to(tensor.dtype).view(tensor.shape)
