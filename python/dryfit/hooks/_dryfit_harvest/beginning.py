# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""How every job begins, in a process of its own or in one that others are forked from.

The CUDA runtime keeps tables ordered by address, and they decide which of several copies of a kernel it loads. cuDNN
loads the parts for which this matters at the first convolution: to wherever a model has left room, with table entries
wherever the heap has room. So we load them here, before anything that differs from job to job, and in a thread: malloc
gives a new thread an arena of its own, which earlier allocations don't affect.
"""

from __future__ import annotations

import ctypes
import importlib
import os
import threading
from typing import Any, Callable, List, Optional, Tuple

PARTS_OF_CUDNN = ("engines_runtime_compiled", "graph", "engines_precompiled", "heuristic", "ops")
REPORTING = ("phase", "note", "value")


class HookCalls:
    """What the hooks reported to the driver while they were installed."""

    def __init__(self) -> None:
        self._calls: List[Tuple[Callable[..., None], Tuple[Any, ...]]] = []

    def replay(self) -> None:
        """Repeats the calls, for the capture of a child."""
        for function, arguments in self._calls:
            function(*arguments)

    def recording(self, function: Callable[..., None]) -> Callable[..., None]:
        def record(*arguments: Any) -> None:
            self._calls.append((function, arguments))
            function(*arguments)

        return record


def begin() -> HookCalls:
    from _dryfit_hooks import guest

    calls = HookCalls()
    originals = {name: getattr(guest, name) for name in REPORTING}
    for name, original in originals.items():
        setattr(guest, name, calls.recording(original))
    importlib.import_module("torch")
    for name, original in originals.items():
        setattr(guest, name, original)
    loading = threading.Thread(target=_load_parts_of_cudnn)
    loading.start()
    loading.join()
    return calls


def _load_parts_of_cudnn() -> None:
    whole = _loaded("libcudnn.so")
    for part in PARTS_OF_CUDNN if whole else ():
        try:
            ctypes.CDLL(whole.replace("libcudnn.so", f"libcudnn_{part}.so"))
        except OSError:
            pass


def _loaded(name: str) -> Optional[str]:
    """The file of a library, if this process has loaded it."""
    with open("/proc/self/maps", encoding="utf-8") as maps:
        for line in maps:
            path = line.split(maxsplit=5)[-1].strip()
            if os.path.basename(path).startswith(name):
                return path
    return None
