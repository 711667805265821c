# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""The annotations that `docs/estimate.md` names: they stand in the trace beside the operators that they enclose."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import Any, Callable


class Annotations:
    """Costs two microseconds each. None is made before the recording has begun or after it has ended, nor one in itself:
    what a host operation calls is of the host."""

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
