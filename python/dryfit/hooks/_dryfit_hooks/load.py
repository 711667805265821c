# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""How much PyTorch holds on each device once the model is there and before it is first used."""

from __future__ import annotations

import threading
from typing import Any, List

from . import guest
from .memory import MemoryStatistics
from .patching import Patch, around, quietly

KEY = "torch.reserved_after_load_bytes"


class LoadWatch:
    def __init__(self, torch: Any, memory: MemoryStatistics) -> None:
        self._torch = torch
        self._memory = memory
        self._local = threading.local()
        self._reported = False
        self._patches: List[Patch] = []

    def install(self) -> None:
        for name in ("to", "cuda"):
            patch = Patch(
                self._torch.nn.Module, name, lambda original: around(original, self._move_begins, self._move_ends)
            )
            self._patches.append(patch)

    def end(self, late: bool) -> None:
        """The first forward pass begins or, when it is late, has gone by."""
        for patch in self._patches:
            patch.restore()
        if not self._reported and not late:
            self._report()

    @quietly
    def _move_begins(self, module: Any, *_: Any, **__: Any) -> Any:
        self._local.depth = getattr(self._local, "depth", 0) + 1
        return module

    @quietly
    def _move_ends(self, module: Any, failed: bool) -> None:
        self._local.depth -= 1
        if self._local.depth == 0 and any(parameter.is_cuda for parameter in module.parameters()):
            self._report()

    def _report(self) -> None:
        for device, statistics in self._memory.used_devices():
            self._reported = True
            guest.value(KEY, device, statistics["reserved_bytes"]["all"]["current"])
