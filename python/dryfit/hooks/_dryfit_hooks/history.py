# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""PyTorch's memory history, so that the peak can be explained later: which line requested what.

Recording starts with CUDA and keeps the last MAX_ENTRIES events. A program that records for itself takes over: from
then on the recording is the program's own, starting empty, and none is written for Dryfit.
"""

from __future__ import annotations

import os
import pickle
from typing import Any, Callable, Dict, List

from . import guest
from .patching import Patch, around, quietly

MAX_ENTRIES = 400_000

_OWN_FOLDER = os.path.dirname(__file__)


class History:
    def __init__(self, torch: Any, run_directory: str) -> None:
        self._torch = torch
        self.on_snapshot: List[Callable[[Dict[str, Any]], None]] = []  # called with the snapshot before it is written
        self._run_directory = run_directory
        self._recording = False

    def install(self) -> None:
        patch = Patch(
            self._torch.cuda.memory, "_record_memory_history", lambda original: around(original, self._yield_to_program)
        )
        self._record = patch.original
        self._torch.cuda._lazy_call(self._start)

    @quietly
    def dump(self) -> None:
        """Writes <run directory>/history-<pid>.pickle, completely or not at all, if this process has used CUDA."""
        if not self._recording or not self._torch.cuda.is_initialized():
            return
        snapshot = self._torch.cuda.memory._snapshot()
        _remove_own_frames(snapshot)
        for listener in self.on_snapshot:
            listener(snapshot)
        path = os.path.join(self._run_directory, f"history-{os.getpid()}.pickle")
        unfinished = path + ".part"
        try:
            with open(unfinished, "wb") as file:
                pickle.dump(snapshot, file, protocol=4)
            os.replace(unfinished, path)
        except OSError:
            _remove(unfinished)
            raise

    @quietly
    def _start(self) -> None:
        self._record(enabled="all", context="alloc", stacks="python", max_entries=MAX_ENTRIES)
        self._recording = True

    @quietly
    def _yield_to_program(self, *_: Any, **__: Any) -> None:
        if self._recording:
            self._recording = False
            self._record(enabled=None)
            guest.note("history.owner", "program")


def _remove_own_frames(snapshot: Dict[str, Any]) -> None:
    blocks = [block for segment in snapshot.get("segments", ()) for block in segment.get("blocks", ())]
    entries = [entry for trace in snapshot.get("device_traces", ()) for entry in trace]
    for holder in (*blocks, *entries):
        frames: List[Dict[str, Any]] = holder.get("frames") or []
        if any(frame["filename"].startswith(_OWN_FOLDER) for frame in frames):
            holder["frames"] = [frame for frame in frames if not frame["filename"].startswith(_OWN_FOLDER)]


def _remove(path: str) -> None:
    try:
        os.unlink(path)
    except OSError:
        pass
