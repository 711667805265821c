# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""In which order a recorded process made its segments, for `dryfit run --address-order recorded:FILE`.

The cudaMallocs of the window are recorded in their order. Segments older than the window are not, but each platform
places segments by a rule that shows in their addresses; and only the order among segments of one size counts.
"""

from __future__ import annotations

from pathlib import Path

from .recording import SEGMENT_ALLOC, Recording, Segment

MIB = 1 << 20
CHUNK = 32 * MIB
LARGE_GAP = 128 * MIB
FIRST_SEGMENT = 256 * MIB  # where WSL2 puts a process's first segment: at a multiple of this
NATIVE_LINUX = 0x7000_0000_0000  # device addresses lie among the host's own


def write_segments(recording: Recording, path: Path) -> None:
    lines = [f"{segment.size} {segment.address:#x}\n" for segment in segment_order(recording)]
    path.write_text("".join(lines), encoding="ascii")


def segment_order(recording: Recording) -> list[Segment]:
    window = [Segment(event.address, event.size, "") for event in recording.events if event.kind == SEGMENT_ALLOC]
    if not recording.start_segments:
        return window
    return _older_than_window(recording.start_segments, window) + window


def _older_than_window(older: list[Segment], window: list[Segment]) -> list[Segment]:
    if min(segment.address for segment in older) < NATIVE_LINUX:
        return _wsl_order(sorted(older))
    # After empty_cache the window's first requests get the places that the same requests of the warm-up had.
    emptied = [segment for segment in window if not any(segment.address == known.address for known in older)]
    return _native_order(sorted({(s.address, s.size): s for s in older + emptied}.values()))


def _native_order(segments: list[Segment]) -> list[Segment]:
    """First the unused ends of chunks, from below; then chunks of their own, from above."""
    in_ends = [segment for segment in segments if segment.address % CHUNK]
    in_chunks = [segment for segment in segments if segment.address % CHUNK == 0]
    return in_ends + in_chunks[::-1]


def _wsl_order(segments: list[Segment]) -> list[Segment]:
    """Upwards from the first segment; what lies below it came when the first large piece of code had been loaded."""
    first = next((s.address for s in segments if s.address % FIRST_SEGMENT == 0), segments[0].address)
    below = [segment for segment in segments if segment.address < first]
    above = [segment for segment in segments if segment.address >= first]
    gap = next((i for i in range(1, len(above)) if _gap(above[i - 1], above[i]) > LARGE_GAP), len(above))
    return above[:gap] + below + above[gap:]


def _gap(lower: Segment, upper: Segment) -> int:
    return upper.address - (lower.address + lower.size)
