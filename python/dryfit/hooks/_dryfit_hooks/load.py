# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Notices when the model is on the device and not yet used, and reports how much PyTorch holds there then."""

from __future__ import annotations

import threading
from typing import Any, Callable, List

from . import guest
from .memory import MemoryStatistics
from .patching import Patch, around, quietly

KEY = "torch.reserved_after_load_bytes"


class LoadWatch:
    def __init__(self, torch: Any, is_on_device: Callable[[Any], bool], report: Callable[[], bool]) -> None:
        """`report` is called each time a module has been moved to the device, and the last call counts; it returns
        whether there was something to report."""
        self._torch = torch
        self._is_on_device = is_on_device
        self._report = report
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
        """The first forward pass begins or, if late, is over."""
        for patch in self._patches:
            patch.restore()
        if not self._reported and not late:
            self._reported = self._report()

    @quietly
    def _move_begins(self, module: Any, *_: Any, **__: Any) -> Any:
        self._local.depth = getattr(self._local, "depth", 0) + 1
        return module

    @quietly
    def _move_ends(self, module: Any, failed: bool) -> None:
        self._local.depth -= 1
        if self._local.depth == 0 and any(map(self._is_on_device, module.parameters())):
            self._reported = self._report()


def report_reserved(memory: MemoryStatistics) -> bool:
    reported = False
    for device, statistics in memory.used_devices():
        reported = True
        guest.value(KEY, device, statistics["reserved_bytes"]["all"]["current"])
    return reported
