# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""The hooks' interface to the stand-in libcuda.so.1 (include/dryfit/guest.h). Without it every call does nothing."""

from __future__ import annotations

import ctypes
from typing import Any, Optional

_SIGNATURES = {
    "dryfit_phase": [ctypes.c_char_p],
    "dryfit_step": [ctypes.c_uint64],
    "dryfit_note": [ctypes.c_char_p, ctypes.c_char_p],
    "dryfit_value": [ctypes.c_char_p, ctypes.c_int, ctypes.c_uint64],
    "dryfit_out_of_memory": [ctypes.c_int, ctypes.c_uint64, ctypes.c_uint64],
    "dryfit_assumed": [ctypes.c_char_p, ctypes.c_char_p, ctypes.c_uint64, ctypes.c_uint64],
    "dryfit_answer": [ctypes.c_int64],
    "dryfit_finish": [],
}

_library: Optional[Any] = None


def connect() -> bool:
    """Finds the library; false if this process runs on something else, for example a real driver."""
    global _library
    try:
        library = ctypes.CDLL("libcuda.so.1")
        for name, arguments in _SIGNATURES.items():
            function = getattr(library, name)
            function.argtypes = arguments
            function.restype = None
    except (OSError, AttributeError):
        return False
    _library = library
    return True


def report_to(library: Any) -> None:
    """Reports to an object with the same functions instead, if there is no stand-in driver."""
    global _library
    _library = library


def phase(name: str) -> None:
    if _library is not None:
        _library.dryfit_phase(name.encode())


def step(completed: int) -> None:
    if _library is not None:
        _library.dryfit_step(completed)


def note(key: str, text: str) -> None:
    if _library is not None:
        _library.dryfit_note(key.encode(), text.encode("utf-8", "replace"))


def value(key: str, device: int, number: int) -> None:
    if _library is not None:
        _library.dryfit_value(key.encode(), device, number)


def out_of_memory(device: int, requested: int, device_free: int) -> None:
    if _library is not None:
        _library.dryfit_out_of_memory(device, requested, device_free)


def assumed(what: str, where: str, elements: int, of: int) -> None:
    if _library is not None:
        _library.dryfit_assumed(what.encode(), where.encode("utf-8", "replace"), elements, of)


def answer(count: Optional[int]) -> None:
    """Sets the value of the counts that this thread reads back from now on; None ends it."""
    if _library is not None:
        _library.dryfit_answer(-1 if count is None else count)


def finish() -> None:
    if _library is not None:
        _library.dryfit_finish()
