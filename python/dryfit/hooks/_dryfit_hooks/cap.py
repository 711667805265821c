# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""A cap on PyTorch's allocator, as if the program had set it first: set_per_process_memory_fraction."""

from __future__ import annotations

import functools
from typing import Any, Callable

from .patching import Patch, quietly


class Cap:
    def __init__(self, torch: Any, fraction: float) -> None:
        self._torch = torch
        self._fraction = fraction

    def install(self) -> None:
        self._torch.cuda._lazy_call(self._set)
        Patch(self._torch._C, "_cuda_setMemoryFraction", self._at_most)

    @quietly
    def _set(self) -> None:
        """Only on the current device: on another, it would create a context."""
        self._torch._C._cuda_setMemoryFraction(self._fraction, self._torch.cuda.current_device())

    def _at_most(self, original: Callable[..., Any]) -> Callable[..., Any]:
        """The program may set a smaller cap of its own, not a larger one."""

        @functools.wraps(original)
        def set_fraction(fraction: float, device: int) -> Any:
            return original(min(fraction, self._fraction), device)

        return set_fraction
