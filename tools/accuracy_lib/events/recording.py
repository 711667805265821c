# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""What a recording of PyTorch's CUDA allocator holds, whoever made it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

# Kinds of events, in the letters of the text traces.
ALLOC = "a"
FREE = "f"  # asked for and done at once
FREE_REQUESTED = "q"  # a block that another stream still uses ...
FREE_COMPLETED = "c"  # ... and its release later on
SEGMENT_ALLOC = "+"  # cudaMalloc, or memory mapped into an expandable segment
SEGMENT_FREE = "-"
OUT_OF_MEMORY = "o"


class Event(NamedTuple):
    kind: str
    address: int
    size: int  # of ALLOC and the frees: as requested by the program
    where: str  # innermost Python frames and operators, for people


class Segment(NamedTuple):
    address: int
    size: int
    pool: str  # "small" or "large"

    def holds(self, address: int) -> bool:
        return self.address <= address < self.address + self.size


class Block(NamedTuple):
    address: int
    size: int
    requested: int


@dataclass(frozen=True)
class Recording:
    """The state before the first event, the events, and the state after the last. Blocks are the ones in use."""

    start_segments: list[Segment]
    start_blocks: list[Block]
    events: list[Event]
    end_segments: list[Segment]
    end_blocks: list[Block]

    def start_reserved(self) -> int:
        return sum(segment.size for segment in self.start_segments)

    def start_allocated(self) -> int:
        return sum(block.size for block in self.start_blocks)

    def end_reserved(self) -> int:
        return sum(segment.size for segment in self.end_segments)

    def end_allocated(self) -> int:
        return sum(block.size for block in self.end_blocks)

    def peak_reserved(self) -> int:
        changes = {SEGMENT_ALLOC: 1, SEGMENT_FREE: -1}
        return self._peak(self.start_reserved(), changes)

    def peak_requested(self) -> int:
        changes = {ALLOC: 1, FREE: -1, FREE_COMPLETED: -1}
        return self._peak(sum(block.requested for block in self.start_blocks), changes)

    def _peak(self, now: int, changes: dict[str, int]) -> int:
        peak = now
        for event in self.events:
            now += changes.get(event.kind, 0) * event.size
            peak = max(peak, now)
        return peak
