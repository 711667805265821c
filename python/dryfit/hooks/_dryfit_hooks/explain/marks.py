# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""The marks of a process, and their file (docs/explain.md draws it).

Note [When a mark was made]
PyTorch counts the allocations and frees of each device, and its history has an entry for each of them. So their sum
shows exactly between which two entries a mark was made, independently of any clock; and if the history has forgotten
its beginning, we count from its end.
"""

from __future__ import annotations

import json
from typing import Any, Dict, List, Sequence, Tuple

from ..patching import Patch, around, quietly

VERSION = 1
MAX_CALLS = 1_000_000  # more than the history keeps; older marks belong to events that it has forgotten

Row = Tuple[int, ...]


class Clock:
    """How many allocations and frees there have been, by device."""

    def __init__(self, torch: Any) -> None:
        self._torch = torch
        self._statistics = torch._C._cuda_memoryStats
        self._devices = 0  # 0: CUDA is not initialised yet
        self._forgotten: List[int] = []

    def install(self) -> None:
        for name in ("_cuda_resetAccumulatedMemoryStats", "_accelerator_resetAccumulatedStats"):
            if hasattr(self._torch._C, name):
                Patch(self._torch._C, name, lambda original: around(original, self._reset))

    def now(self) -> Sequence[int]:
        if self._devices == 1:
            count = self._statistics(0)["allocation"]["all"]
            return (self._forgotten[0] + count["allocated"] + count["freed"],)
        if self._devices == 0 and not self._begin():
            return ()
        return tuple(self._forgotten[device] + self._count(device) for device in range(self._devices))

    def _begin(self) -> bool:
        if not self._torch.cuda.is_initialized():
            return False
        self._devices = self._torch.cuda.device_count()
        self._forgotten = [0] * self._devices
        return True

    def _count(self, device: int) -> int:
        count = self._statistics(device)["allocation"]["all"]
        return int(count["allocated"] + count["freed"])

    @quietly
    def _reset(self, which: Any = None, *_: Any) -> None:
        """The program resets the counts to zero."""
        self.now()
        for device in range(self._devices):
            if which in (None, device):
                self._forgotten[device] += self._count(device)


class Column:
    """Marks of one kind: time and content."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self.rows: List[Tuple[Sequence[int], Row]] = []

    def add(self, *what: int) -> None:
        self.rows.append((self._clock.now(), what))
        if len(self.rows) > 2 * MAX_CALLS:
            del self.rows[:MAX_CALLS]

    def columns(self, devices: int) -> "Dict[str, Any]":
        """Marks from before CUDA was initialised belong to the very beginning."""
        when = [[at[device] if at else 0 for at, _ in self.rows] for device in range(devices)]
        return {"at": when, "what": [list(each) for each in zip(*(what for _, what in self.rows))]}


class Marks:
    def __init__(self, torch: Any) -> None:
        self.clock = Clock(torch)
        self._names: Dict[str, int] = {"": 0}
        self._texts = [""]
        self.calls = Column(self.clock)  # module on top, flags, bytes of an input's cast
        self.phases = Column(self.clock)  # phase, step, file, line, function or optimizer that began it
        self.outputs = Column(self.clock)  # device, address, type
        self._seen = Column(self.clock)  # index of a set of tensors
        self._sets: Dict[Tuple[Row, ...], int] = {}
        self.casts: Dict[int, List[int]] = {}  # module: bytes of its parameters in a lower precision
        self.operators: List[Tuple[str, int, str]] = []  # file, line, operators that it names
        self.workspaces: List[int] = []

    def name(self, text: str) -> int:
        known = self._names.get(text)
        if known is None:
            known = self._names[text] = len(self._texts)
            self._texts.append(text)
        return known

    def text(self, name: int) -> str:
        return self._texts[name]

    def saw(self, tensors: Sequence[Row]) -> None:
        """(role, device, address, bytes, module, name, type) of tensors that exist now."""
        if tensors:
            self._seen.add(self._sets.setdefault(tuple(tensors), len(self._sets)))

    def write(self, path: str) -> None:
        end = self.clock.now()
        devices = len(end)
        document = {
            "version": VERSION,
            "end": list(end),
            "names": self._texts,
            "calls": self.calls.columns(devices),
            "phases": self.phases.columns(devices),
            "outputs": self.outputs.columns(devices),
            "seen": self._seen.columns(devices),
            "sets": [[list(row) for row in each] for each in self._sets],
            "casts": [[module, *sizes] for module, sizes in self.casts.items()],
            "operators": self.operators,
            "workspaces": self.workspaces,
        }
        with open(path, "w", encoding="utf-8") as file:
            json.dump(document, file, separators=(",", ":"))
