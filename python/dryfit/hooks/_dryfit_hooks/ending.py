# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""The end of the run: the last reports, and leaving after the requested number of steps.

Leaving means os._exit: we do not cause any finally block, atexit handler or checkpoint of the program to run.
"""

from __future__ import annotations

import atexit
import ctypes
import os
import sys
from typing import Callable, List

from . import guest, temporary_folders
from .patching import quietly

_LONGEST_TEXT = 300


class Ending:
    def __init__(self, reports: List[Callable[[], None]], wait_for_autograd: Callable[[], None]) -> None:
        """A backward pass that takes no time may end the program while its thread is still cleaning up, and the
        interpreter aborts when that thread then requests the lock. So we wait for it."""
        self.reports = reports
        self.before_end: List[Callable[[], None]] = []  # if the program ends by itself
        self._wait_for_autograd = wait_for_autograd

    def install(self) -> None:
        """Reports on a program that ends by itself too, by an exception or not."""
        atexit.register(self._ended_by_itself)

    def stop(self, reason: str = "steps") -> None:
        """Ends this process with code 0. Does not return."""
        self._leave("stop.reason", reason, 0)

    def give_up(self, where: str) -> None:
        """Ends this process with code 1: it waits there for a value that only a GPU computes. Does not return."""
        self._leave("program.waits_at", where, 1)

    def _leave(self, key: str, text: str, code: int) -> None:
        try:
            guest.note(key, text)
            self._report()
            _release_semaphores()
            temporary_folders.remove()
            _flush()
            guest.finish()
        finally:
            os._exit(code)

    def _ended_by_itself(self) -> None:
        _note_exception()
        for each in self.before_end:
            quietly(each)()
        self._report()
        quietly(self._wait_for_autograd)()

    def _report(self) -> None:
        for report in self.reports:
            quietly(report)()


@quietly
def _note_exception() -> None:
    """The exception that ends the program, if Python has printed one."""
    error = getattr(sys, "last_value", None)
    if not isinstance(error, Exception):
        return
    text = f"{type(error).__name__}: {error}".strip().splitlines()[0]
    guest.note("program.error", text[:_LONGEST_TEXT])
    where = _innermost_line(error)
    if where:
        guest.note("program.error_at", where)


def _innermost_line(error: Exception) -> str:
    """Outside PyTorch and these hooks, as "train.py:42"."""
    own = (os.path.dirname(os.path.dirname(__file__)), os.path.dirname(sys.modules["torch"].__file__ or "?"))
    where, place = "", error.__traceback__
    while place is not None:
        name = place.tb_frame.f_code.co_filename
        if not name.startswith((*own, "<")):
            where = f"{os.path.basename(name)}:{place.tb_lineno}"
        place = place.tb_next
    return where


@quietly
def _flush() -> None:
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            quietly(stream.flush)()
    ctypes.CDLL(None).fflush(None)


@quietly
def _release_semaphores() -> None:
    """Named semaphores (spawned DataLoader workers) outlive a process that leaves early, and Python's resource tracker
    would complain about them on the program's stderr."""
    synchronize = sys.modules.get("multiprocessing.synchronize")
    util = sys.modules.get("multiprocessing.util")
    if synchronize is None or util is None:
        return
    for finalizer in list(util._finalizer_registry.values()):
        if getattr(finalizer, "_callback", None) is synchronize.SemLock._cleanup:
            finalizer()
