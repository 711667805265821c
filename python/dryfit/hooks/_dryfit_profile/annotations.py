# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""The annotations of `docs/estimate.md`: they appear in the trace around the operators that they enclose."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import Any, Callable


class Annotations:
    """Two microseconds each. There are none before the recording begins or after it has ended, and none inside one
    another: what a host operation calls belongs to the host."""

    def __init__(self, torch: Any) -> None:
        fast = getattr(torch._C._profiler, "_RecordFunctionFast", None)
        self._make: Callable[[str], Any] = fast or torch.autograd.profiler.record_function
        self.active = False

    def around(self, name: str) -> "AbstractContextManager[Any]":
        return self._make(name) if self.active else nullcontext()

    def host(self) -> "AbstractContextManager[Any]":
        return self.around("dryfit::host")

    def to_device(self) -> "AbstractContextManager[Any]":
        return self.around("dryfit::to_device")

    def loaded(self) -> bool:
        """The model is on the GPU."""
        with self.around("dryfit::loaded"):
            return self.active

    def to_host(self) -> "AbstractContextManager[Any]":
        return self.around("dryfit::to_host")
