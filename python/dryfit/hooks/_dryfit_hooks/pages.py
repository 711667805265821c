# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Gives the pages of a range of host memory back: it reads as zeros and occupies nothing until it is written again."""

from __future__ import annotations

import ctypes
import mmap

_MADV_DONTNEED = 4

_libc = ctypes.CDLL(None, use_errno=True)
_libc.madvise.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
_libc.madvise.restype = ctypes.c_int


def discard(address: int, size: int) -> bool:
    """False if the system refuses (locked memory); the content is then unchanged."""
    page = mmap.PAGESIZE
    first = -(-address // page) * page
    last = (address + size) // page * page
    if last <= first:
        return False
    if _libc.madvise(first, last - first, _MADV_DONTNEED) != 0:
        return False
    ctypes.memset(address, 0, first - address)
    ctypes.memset(last, 0, address + size - last)
    return True


def are_untouched(address: int, size: int) -> bool:
    """True if no page inside has been written or read since it was discarded, and the edges are zero."""
    page = mmap.PAGESIZE
    first = -(-address // page) * page
    last = (address + size) // page * page
    edges = ctypes.string_at(address, first - address) + ctypes.string_at(last, address + size - last)
    return not any(edges) and not _are_any_present(first // page, last // page)


def _are_any_present(first: int, last: int) -> bool:
    """/proc/self/pagemap has 8 bytes for each page; the two highest bits say present and swapped out."""
    with open("/proc/self/pagemap", "rb", buffering=0) as pagemap:
        pagemap.seek(8 * first)
        left = 8 * (last - first)
        while left > 0:
            entries = pagemap.read(min(left, 1 << 20))
            if not entries or entries[7::8].translate(None, _NOT_PRESENT):
                return True
            left -= len(entries)
    return False


_NOT_PRESENT = bytes(range(64))
