# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""How far two recordings are equal, and where they first differ."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass
from typing import Any, Optional, Sequence

from .identity import NamedEvent, canonical, named
from .placement import events_elsewhere, layout
from .recording import ALLOC, SEGMENT_ALLOC, SEGMENT_FREE, Event, Recording

_NOUNS = {
    "a": "alloc",
    "f": "free",
    "q": "free requested",
    "c": "free completed",
    "+": "cudaMalloc",
    "-": "cudaFree",
    "o": "out of memory",
}


@dataclass(frozen=True)
class Difference:
    """`truth` and `ours` say what happens at event `index` on each side, with the Python lines."""

    level: str  # "operations", "segments" or "placement"
    index: int
    truth: str
    ours: str


@dataclass(frozen=True)
class Comparison:
    """Levels, each including the ones before.

    operations: allocs and frees have the same sizes and order, and each free releases the block of the same alloc
    segments:   cudaMallocs and cudaFrees have the same sizes and stand at the same places among them
    elsewhere:  how many events touch another segment or offset; None unless the levels before are reached
    """

    truth_events: int
    our_events: int
    truth_allocs: int
    our_allocs: int
    allocs_missing: int  # of the truth's sizes, regardless of order
    allocs_extra: int
    operations: bool
    segments: bool
    truth_segment_events: int
    our_segment_events: int
    elsewhere: Optional[int]
    start_layout: bool
    end_layout: bool
    first_difference: Optional[Difference]

    def record(self) -> dict[str, Any]:
        return asdict(self)


def compare(truth: Recording, ours: Recording) -> Comparison:
    truth_events, our_events = canonical(truth.events), canonical(ours.events)
    truth_named, our_named = named(truth, truth_events), named(ours, our_events)
    operations = _first_difference(_operations(truth_named), _operations(our_named))
    segments = _first_difference(truth_named, our_named)
    elsewhere = None
    if segments is None:
        elsewhere = events_elsewhere(truth.start_segments, truth_events, ours.start_segments, our_events)
    if operations is not None:
        level, place = "operations", segments
    elif segments is not None:
        level, place = "segments", segments
    else:
        level, place = "placement", elsewhere[0] if elsewhere else None
    difference = None
    if place is not None:
        difference = Difference(
            level, place, _describe(truth_named, truth_events, place), _describe(our_named, our_events, place)
        )
    truth_sizes, our_sizes = _alloc_sizes(truth_events), _alloc_sizes(our_events)
    return Comparison(
        truth_events=len(truth_events),
        our_events=len(our_events),
        truth_allocs=truth_sizes.total(),
        our_allocs=our_sizes.total(),
        allocs_missing=(truth_sizes - our_sizes).total(),
        allocs_extra=(our_sizes - truth_sizes).total(),
        operations=operations is None,
        segments=segments is None,
        truth_segment_events=_segment_events(truth_events),
        our_segment_events=_segment_events(our_events),
        elsewhere=None if elsewhere is None else len(elsewhere),
        start_layout=layout(truth.start_segments, truth.start_blocks) == layout(ours.start_segments, ours.start_blocks),
        end_layout=layout(truth.end_segments, truth.end_blocks) == layout(ours.end_segments, ours.end_blocks),
        first_difference=difference,
    )


def describe_around(recording: Recording, index: int, before: int = 3, after: int = 6) -> list[str]:
    """The events about one place, in the order in which compare() numbers them."""
    events = canonical(recording.events)
    names = named(recording, events)
    return [_describe(names, events, i) for i in range(max(0, index - before), min(len(events), index + after))]


def _operations(events: list[NamedEvent]) -> list[NamedEvent]:
    return [event for event in events if event.kind not in (SEGMENT_ALLOC, SEGMENT_FREE)]


def _segment_events(events: list[Event]) -> int:
    return sum(event.kind in (SEGMENT_ALLOC, SEGMENT_FREE) for event in events)


def _alloc_sizes(events: list[Event]) -> Counter:
    return Counter(event.size for event in events if event.kind == ALLOC)


def _first_difference(left: Sequence[NamedEvent], right: Sequence[NamedEvent]) -> Optional[int]:
    for index, (one, other) in enumerate(zip(left, right)):
        if one != other:
            return index
    return None if len(left) == len(right) else min(len(left), len(right))


def _describe(names: list[NamedEvent], events: list[Event], index: int) -> str:
    if index >= len(events):
        return "end of the recording"
    name = names[index]
    of = "" if name.releases is None else f" of alloc {name.releases}"
    return f"{_NOUNS[name.kind]} {name.size}{of} at {events[index].where or 'no Python line'}"
