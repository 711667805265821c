# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Where blocks lie: segment and offset, without regard to what the segments' addresses are."""

from __future__ import annotations

import bisect
from collections import Counter
from typing import Optional

from .recording import SEGMENT_ALLOC, SEGMENT_FREE, Block, Event, Segment

Layout = Counter  # of (size, pool, ((offset, size, requested), ...)), one per segment


class SegmentMap:
    """The segments that exist at one moment of a recording."""

    def __init__(self, segments: list[Segment]):
        self._by_address = {segment.address: segment for segment in segments}
        self._addresses = sorted(self._by_address)

    def follow(self, event: Event) -> None:
        if event.kind == SEGMENT_ALLOC and event.address not in self._by_address:
            bisect.insort(self._addresses, event.address)
            self._by_address[event.address] = Segment(event.address, event.size, "")
        elif event.kind == SEGMENT_FREE and event.address in self._by_address:
            self._addresses.remove(event.address)
            del self._by_address[event.address]

    def find(self, address: int) -> Optional[Segment]:
        index = bisect.bisect_right(self._addresses, address) - 1
        if index < 0:
            return None
        segment = self._by_address[self._addresses[index]]
        return segment if segment.holds(address) else None


class Correspondence:
    """Which segment of ours is which of the truth's.

    Segments made at the same event belong together. Older ones, whose order nobody recorded, are paired when first used
    at the same event, if their sizes agree.
    """

    def __init__(self) -> None:
        self._ours: dict[int, int] = {}
        self._truth: dict[int, int] = {}

    def pair(self, truth: Segment, ours: Segment) -> None:
        self._ours[truth.address] = ours.address
        self._truth[ours.address] = truth.address

    def agree(self, truth: Optional[Segment], ours: Optional[Segment]) -> bool:
        if truth is None or ours is None:
            return truth is ours
        if truth.address not in self._ours and ours.address not in self._truth and truth.size == ours.size:
            self.pair(truth, ours)
        return self._ours.get(truth.address) == ours.address and self._truth.get(ours.address) == truth.address


def events_elsewhere(
    truth_segments: list[Segment], truth: list[Event], our_segments: list[Segment], ours: list[Event]
) -> list[int]:
    """Indices of events that touch another place. Both sides must have the same kinds of events in the same order."""
    truth_map, our_map, correspondence = SegmentMap(truth_segments), SegmentMap(our_segments), Correspondence()
    elsewhere = []
    for index, (theirs, own) in enumerate(zip(truth, ours)):
        if theirs.kind == SEGMENT_ALLOC:
            truth_map.follow(theirs)
            our_map.follow(own)
            correspondence.pair(Segment(theirs.address, theirs.size, ""), Segment(own.address, own.size, ""))
            continue
        left, right = truth_map.find(theirs.address), our_map.find(own.address)
        same = correspondence.agree(left, right) and _offset(left, theirs) == _offset(right, own)
        if not same:
            elsewhere.append(index)
        truth_map.follow(theirs)
        our_map.follow(own)
    return elsewhere


def layout(segments: list[Segment], blocks: list[Block]) -> Layout:
    inside: dict[int, list[tuple[int, int, int]]] = {segment.address: [] for segment in segments}
    places = SegmentMap(segments)
    for block in sorted(blocks):
        segment = places.find(block.address)
        if segment is not None:
            inside[segment.address].append((block.address - segment.address, block.size, block.requested))
    return Counter((segment.size, segment.pool, tuple(inside[segment.address])) for segment in segments)


def _offset(segment: Optional[Segment], event: Event) -> int:
    return event.address - segment.address if segment else 0
