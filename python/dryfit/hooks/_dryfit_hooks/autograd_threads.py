# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Waits until PyTorch's autograd threads are idle after a backward pass.

The thread that ran the pass first wakes the program and then cleans up: gradients that nothing else holds are freed a
moment after `backward` has returned. On a GPU, the program's next kernels come later than that. Here nothing takes
time, and on a busy machine the next forward pass may allocate before the last gradients are gone.
"""

from __future__ import annotations

import os
import threading
import time
from typing import List, Set

THREADS = "/proc/self/task"
NAME = "pt_autograd_"  # their name in PyTorch 2.6; those of 2.1 have no name of their own
ROUNDS = 1000  # then give up: the thread works for another part of the program
PAUSE = 50e-6  # seconds; releases the interpreter's lock, for which such a thread may be waiting


class AutogradThreads:
    def __init__(self) -> None:
        self._there_before = _thread_ids()
        self._seen: Set[str] = set()
        self._watched: List[str] = []

    def wait_until_at_rest(self) -> None:
        """Checks twice in a row, as a thread that waits for the interpreter's lock looks idle."""
        rests = 0
        for _ in range(ROUNDS):
            self._find()
            rests = rests + 1 if all(_is_at_rest(thread) for thread in self._watched) else 0
            if rests == 2 or not self._watched:
                return
            time.sleep(PAUSE)

    def _find(self) -> None:
        threads = _thread_ids()
        threads.discard(str(threading.get_native_id()))
        if threads == self._seen:
            return
        self._seen = threads
        named = [thread for thread in threads if _name_of(thread).startswith(NAME)]
        self._watched = named or [thread for thread in threads if thread not in self._there_before]


def _thread_ids() -> Set[str]:
    return set(os.listdir(THREADS))


def _name_of(thread: str) -> str:
    return _read(thread, "comm").strip()


def _is_at_rest(thread: str) -> bool:
    """Also true for a thread that has ended."""
    state = _read(thread, "stat").rpartition(")")[2].strip()[:1]
    return state in ("S", "")


def _read(thread: str, what: str) -> str:
    try:
        with open(f"{THREADS}/{thread}/{what}", encoding="utf-8", errors="replace") as file:
            return file.read()
    except OSError:
        return ""
