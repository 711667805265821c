# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Steps of optimizers that PyTorch does not know: a backward pass, and after it writes to parameters.

Such a step is complete when the next pass begins. As soon as an optimizer of torch.optim steps, only those count.
"""

from __future__ import annotations

import weakref
from typing import Any, Callable, FrozenSet, Optional

from .patching import quietly


class ParameterWrites:
    def __init__(self, on_step: Callable[[], None]) -> None:
        self.armed = False  # a backward pass has ended, and no parameter has been written to since
        self._on_step = on_step
        self._written = False
        self._ended = False
        self._roots: "weakref.WeakSet[Any]" = weakref.WeakSet()
        self._storages: Optional[FrozenSet[int]] = None

    def cease(self) -> None:
        self._ended = True
        self.armed = self._written = False

    def pass_begins(self, module: Any = None) -> None:
        """A forward pass of `module`, or a backward pass."""
        if self._ended:
            return
        if module is not None and module not in self._roots:
            self._roots.add(module)
            self._storages = None
        self.armed = False
        self.complete()

    def complete(self) -> None:
        """Counts the step that is under way, if there is one."""
        if self._written:
            self._written = False
            self._on_step()

    def backward_ended(self) -> None:
        self.armed = not self._ended

    @quietly
    def saw(self, tensor: Any) -> None:
        """An operator is about to write to `tensor`."""
        if tensor.is_leaf and tensor.requires_grad or self._is_parameter(tensor):
            self._written = True
            self.armed = False

    def _is_parameter(self, tensor: Any) -> bool:
        """Also through .data, which is a tensor of its own with the same storage."""
        if self._storages is None:
            parameters = (each for root in list(self._roots) for each in root.parameters())
            self._storages = frozenset(each.untyped_storage()._cdata for each in parameters if _has_storage(each))
        return _has_storage(tensor) and tensor.untyped_storage()._cdata in self._storages


def _has_storage(tensor: Any) -> bool:
    return str(tensor.layout) == "torch.strided" and not tensor.is_nested
