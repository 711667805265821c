# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Notices a program whose model was only called with tensors that have no element, as with a batch size of 0."""

from __future__ import annotations

from typing import Any, Tuple

from . import guest
from .patching import quietly


class EmptyBatches:
    def __init__(self, torch: Any) -> None:
        self._torch = torch
        self._empty = False
        self._full = False

    @quietly
    def pass_begins(self, args: Tuple[Any, ...]) -> None:
        """A forward pass with these arguments."""
        sizes = [each.numel() for each in args if isinstance(each, self._torch.Tensor)]
        self._empty |= bool(sizes) and not any(sizes)
        self._full |= any(sizes)

    def report(self) -> None:
        if self._empty and not self._full:
            guest.note("batch.empty", "1")
