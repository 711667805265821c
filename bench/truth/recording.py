# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Records PyTorch's allocator from a given moment on and leaves the recording where tools/accuracy looks for it.

    recording = Recording(Path(options.out))   # takes note of the state, then records
    ...                                        # the window that was recorded on the real GPU
    recording.finish()                         # start.pickle, snapshot.pickle and measured.json
"""

from __future__ import annotations

import json
import pickle
from pathlib import Path
from typing import Any

import torch

MAX_EVENTS = 400_000


class Recording:
    """Peaks count from the beginning of the recording."""

    def __init__(self, folder: Path):
        self._folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        torch.cuda.init()
        self._start = torch.cuda.memory._snapshot()
        self._start_reserved = torch.cuda.memory_reserved()
        self._start_allocated = torch.cuda.memory_allocated()
        torch.cuda.reset_peak_memory_stats()
        torch.cuda.memory._record_memory_history(max_entries=MAX_EVENTS, stacks="python")

    def finish(self) -> None:
        torch.cuda.memory._dump_snapshot(str(self._folder / "snapshot.pickle"))
        torch.cuda.memory._record_memory_history(enabled=None)
        with open(self._folder / "start.pickle", "wb") as file:
            pickle.dump(self._start, file)
        (self._folder / "measured.json").write_text(json.dumps(self._measured()))

    def _measured(self) -> dict[str, Any]:
        return {
            "start_reserved": self._start_reserved,
            "start_allocated": self._start_allocated,
            "peak_reserved": torch.cuda.max_memory_reserved(),
            "peak_allocated": torch.cuda.max_memory_allocated(),
            "end_reserved": torch.cuda.memory_reserved(),
            "end_allocated": torch.cuda.memory_allocated(),
        }
