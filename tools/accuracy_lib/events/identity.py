# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Events with names instead of addresses, so that recordings made in different address spaces can be compared."""

from __future__ import annotations

from typing import NamedTuple, Optional, Union

from .recording import ALLOC, FREE, FREE_COMPLETED, FREE_REQUESTED, Event, Recording

_FREES = (FREE, FREE_REQUESTED, FREE_COMPLETED)
_RELEASES = (FREE, FREE_COMPLETED)

# Which alloc of the window a free releases; for blocks older than the window their requested size is all there is.
Released = Union[int, str]


class NamedEvent(NamedTuple):
    kind: str
    size: int
    releases: Optional[Released]


def named(recording: Recording, events: list[Event]) -> list[NamedEvent]:
    owners: dict[int, Released] = {block.address: f"older {block.requested}" for block in recording.start_blocks}
    allocs = 0
    result = []
    for event in events:
        releases = owners.get(event.address, "unknown") if event.kind in _FREES else None
        if event.kind == ALLOC:
            owners[event.address] = allocs
            allocs += 1
        elif event.kind in _RELEASES:
            owners.pop(event.address, None)
        result.append(NamedEvent(event.kind, event.size, releases))
    return result


def canonical(events: list[Event]) -> list[Event]:
    """Frees at the end of an autocast region, sorted by the age of what they release.

    PyTorch keeps the region's copies of weights in a hash map keyed by host addresses, so the order in which it drops
    them changes from run to run on any machine. They are freed at one instant: nothing else can depend on the order.
    """
    born: dict[int, int] = {}
    result: list[Event] = []
    dropped: list[Event] = []
    for index, event in enumerate(events):
        if event.kind == ALLOC:
            born[event.address] = index
        if _drops_autocast_cache(event):
            dropped.append(event)
            continue
        result += sorted(dropped, key=lambda free: born.get(free.address, -1))
        dropped = []
        result.append(event)
    return result + sorted(dropped, key=lambda free: born.get(free.address, -1))


def _drops_autocast_cache(event: Event) -> bool:
    innermost = event.where.partition(";")[0]
    return event.kind == FREE and innermost.startswith("autocast_mode.py:") and innermost.endswith(":__exit__")
