# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""A progress line on stderr: a bar with the time left on a terminal, one plain line per job elsewhere."""

from __future__ import annotations

import shutil
import sys
import threading
import time
from typing import Optional

BAR_WIDTH = 24


class Progress:
    """Thread-safe. Unequal jobs may say how much work each is, out of how much in total."""

    def __init__(self, total: int, work: Optional[float] = None):
        self._total = total
        self._done = 0
        self._work = total if work is None else work
        self._work_done = 0.0
        self._started = time.monotonic()
        self._lock = threading.Lock()
        self._terminal = sys.stderr.isatty()

    def advance(self, label: str, work: float = 1) -> None:
        with self._lock:
            self._done += 1
            self._work_done += work
            line = f"{self._bar()} {self._done}/{self._total}, {self._time_left()}: {label}"
            if self._terminal:
                end = "\n" if self._done == self._total else ""
                width = shutil.get_terminal_size().columns - 1
                print(f"\r\033[K{line[:width]}", end=end, file=sys.stderr, flush=True)
            else:
                print(line, file=sys.stderr, flush=True)

    def _bar(self) -> str:
        filled = BAR_WIDTH * self._done // self._total
        return "[" + "#" * filled + "." * (BAR_WIDTH - filled) + "]"

    def _time_left(self) -> str:
        seconds = (time.monotonic() - self._started) / self._work_done * (self._work - self._work_done)
        minutes, rest = divmod(round(seconds), 60)
        return f"{minutes} min {rest:02d} s left" if minutes else f"{rest} s left"
