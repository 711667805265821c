# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""The comparison of allocator recordings, on recordings of a few events."""
from __future__ import annotations

import lzma
import pickle
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))

from accuracy_lib.events import (  # noqa: E402
    Block,
    Event,
    Recording,
    Segment,
    compare,
    read_header,
    read_snapshot,
    read_trace,
    segment_order,
    write_segments,
)

MIB = 1 << 20
EXIT = "autocast_mode.py:390:__exit__;train.py:40:main"


def recording(events: list[Event], segments: list[Segment] = [], blocks: list[Block] = []) -> Recording:
    return Recording(list(segments), list(blocks), events, [], [])


def alloc(address: int, size: int) -> Event:
    return Event("a", address, size, "train.py:1:main")


def free(address: int, size: int, where: str = "train.py:2:main") -> Event:
    return Event("f", address, size, where)


def cuda_malloc(address: int, size: int = 2 * MIB) -> Event:
    return Event("+", address, size, "train.py:1:main")


def two_blocks(base: int) -> list[Event]:
    return [cuda_malloc(base), alloc(base, 512), alloc(base + 512, 512), free(base, 512)]


def test_the_same_run_in_another_address_space_is_equal_in_everything() -> None:
    result = compare(recording(two_blocks(0x1000000)), recording(two_blocks(0x7F0000000)))
    assert result.operations and result.segments and result.elsewhere == 0 and result.first_difference is None


def test_a_free_of_another_block_of_the_same_size_is_a_difference() -> None:
    ours = two_blocks(0)
    ours[-1] = free(512, 512)
    result = compare(recording(two_blocks(0)), recording(ours))
    assert not result.operations
    assert result.first_difference.index == 3
    assert result.first_difference.truth == "free 512 of alloc 0 at train.py:2:main"
    assert result.first_difference.ours == "free 512 of alloc 1 at train.py:2:main"


def test_a_late_cuda_malloc_differs_in_segments_but_not_in_operations() -> None:
    base = [cuda_malloc(0), alloc(0, 512)]
    truth = base + [cuda_malloc(4 * MIB), alloc(4 * MIB, MIB), alloc(1024, 512)]
    ours = base + [alloc(MIB, MIB), cuda_malloc(4 * MIB), alloc(4 * MIB, 512)]
    result = compare(recording(truth), recording(ours))
    assert result.operations and not result.segments and result.elsewhere is None
    assert result.first_difference.level == "segments"
    assert result.first_difference.ours.startswith("alloc 1048576")


def test_a_block_at_another_offset_is_counted_as_elsewhere() -> None:
    truth = [cuda_malloc(0), alloc(0, 512), alloc(512, 512)]
    ours = [cuda_malloc(0), alloc(0, 512), alloc(1024, 512)]
    result = compare(recording(truth), recording(ours))
    assert result.segments and result.elsewhere == 1
    assert result.first_difference.level == "placement" and result.first_difference.index == 2


def test_older_segments_correspond_when_first_used_and_must_stay_so() -> None:
    truth_segments = [Segment(0, 2 * MIB, "small"), Segment(4 * MIB, 2 * MIB, "small")]
    our_segments = [Segment(8 * MIB, 2 * MIB, "small"), Segment(16 * MIB, 2 * MIB, "small")]
    truth = [alloc(0, 512), alloc(4 * MIB, 512), alloc(512, 512)]
    swapped = [alloc(16 * MIB, 512), alloc(8 * MIB, 512), alloc(16 * MIB + 512, 512)]
    assert compare(recording(truth, truth_segments), recording(swapped, our_segments)).elsewhere == 0
    mixed = swapped[:2] + [alloc(8 * MIB + 512, 512)]
    assert compare(recording(truth, truth_segments), recording(mixed, our_segments)).elsewhere == 1


def test_blocks_older_than_the_window_are_known_by_their_size() -> None:
    truth = recording([free(0, 512)], [Segment(0, 2 * MIB, "small")], [Block(0, 512, 512)])
    ours = recording([free(64, 512)], [Segment(0, 2 * MIB, "small")], [Block(64, 512, 512)])
    assert compare(truth, ours).operations


def test_the_order_in_which_autocast_drops_its_copies_does_not_count() -> None:
    allocs = [alloc(0, 512), alloc(512, 512)]
    forwards = allocs + [free(0, 512, EXIT), free(512, 512, EXIT)]
    backwards = allocs + [free(512, 512, EXIT), free(0, 512, EXIT)]
    assert compare(recording(forwards), recording(backwards)).operations
    elsewhere = allocs + [free(512, 512), free(0, 512)]
    assert not compare(recording(forwards), recording(elsewhere)).operations


def test_missing_and_extra_allocs_are_counted_by_size() -> None:
    result = compare(recording([alloc(0, 512), alloc(512, 1024)]), recording([alloc(0, 512), alloc(512, 2048)]))
    assert (result.allocs_missing, result.allocs_extra) == (1, 1)
    assert compare(recording([alloc(0, 512)]), recording([])).first_difference.ours == "end of the recording"


def test_layouts_are_compared_segment_by_segment_wherever_they_lie() -> None:
    def at(base: int, offset: int) -> Recording:
        return Recording([], [], [], [Segment(base, 2 * MIB, "small")], [Block(base + offset, 512, 500)])

    assert compare(at(0, 512), at(4 * MIB, 512)).end_layout
    assert not compare(at(0, 512), at(4 * MIB, 1024)).end_layout


def test_peaks_follow_from_the_events() -> None:
    result = recording(two_blocks(0), [Segment(8 * MIB, 2 * MIB, "small")], [Block(8 * MIB, 512, 100)])
    assert (result.start_reserved(), result.peak_reserved()) == (2 * MIB, 4 * MIB)
    assert (result.start_allocated(), result.peak_requested()) == (512, 1124)


TEXT = """# torch: 2.6.0
# note:
K	0	model.py:3:forward;train.py:9:main	mul_Tensor	-	-
S	a00000	2097152	small
B	a00000	512	4
+	7f0000000000	20971520	0	0
a	7f0000000000	2048	0	0
f	a00000	4	0	0
N	START	step
E	7f0000000000	20971520	large
F	7f0000000000	2048	2048	active_allocated
"""


def test_a_text_trace_is_read(tmp_path: Path) -> None:
    path = tmp_path / "trace.txt.xz"
    with lzma.open(path, "wt") as file:
        file.write(TEXT)
    assert read_header(path) == {"torch": "2.6.0", "note": ""}
    trace = read_trace(path)
    assert trace.start_segments == [Segment(0xA00000, 2 * MIB, "small")]
    assert trace.start_blocks == [Block(0xA00000, 512, 4)]
    assert [event.kind for event in trace.events] == ["+", "a", "f"]
    assert trace.events[1].where == "model.py:3:forward;train.py:9:main | mul_Tensor"
    assert (trace.end_reserved(), trace.end_allocated()) == (20 * MIB, 2048)


def test_segments_are_written_in_the_order_of_their_cuda_mallocs(tmp_path: Path) -> None:
    events = [cuda_malloc(0x7F0000A00000), alloc(0x7F0000A00000, 512), cuda_malloc(0x502000000, 20 * MIB)]
    write_segments(recording(events), tmp_path / "segments.txt")
    assert (tmp_path / "segments.txt").read_text() == "2097152 0x7f0000a00000\n20971520 0x502000000\n"


def addresses(older: list[tuple[int, int]], window: list[Event] = []) -> list[int]:
    segments = [Segment(address, size * MIB, "large") for address, size in older]
    return [segment.address for segment in segment_order(recording(list(window), segments))]


def test_on_native_linux_ends_of_chunks_come_first_from_below_then_chunks_from_above() -> None:
    base = 0x7F0000000000
    older = [(base, 20), (base + 20 * MIB, 2), (base + 32 * MIB, 20), (base + 52 * MIB, 2)]
    assert addresses(older) == [older[1][0], older[3][0], older[2][0], older[0][0]]


def test_after_empty_cache_the_window_repeats_places_of_the_warm_up() -> None:
    base = 0x7F0000000000
    window = [cuda_malloc(base + 20 * MIB, 2 * MIB)]
    assert addresses([(base + 52 * MIB, 2)], window) == [base + 20 * MIB, base + 52 * MIB, base + 20 * MIB]


def test_on_wsl_segments_below_the_first_came_after_the_first_large_gap() -> None:
    first = 0x710000000
    older = [(first - 20 * MIB, 20), (first, 40), (first + 40 * MIB, 20), (first + 300 * MIB, 20)]
    assert addresses(older) == [first, first + 40 * MIB, first - 20 * MIB, first + 300 * MIB]


def entry(action: str, address: int, size: int = 512) -> dict:
    frames = [
        {"filename": "/site/torch/nn/modules/module.py", "line": 7, "name": "_call_impl"},
        {"filename": "/jobs/train.py", "line": 9, "name": "main"},
    ]
    return {"action": action, "addr": address, "size": size, "frames": frames}


def test_a_snapshot_is_read_and_a_free_done_at_once_is_one_event(tmp_path: Path) -> None:
    block = {"address": 64, "size": 512, "requested_size": 500, "state": "active_allocated"}
    idle = {"address": 576, "size": 512, "requested_size": 0, "state": "inactive"}
    segment = {"address": 64, "total_size": 2 * MIB, "segment_type": "small", "blocks": [block, idle]}
    actions = [("segment_alloc", 64), ("alloc", 64), ("free_requested", 64), ("free_completed", 64)]
    actions += [("free_requested", 128), ("alloc", 192), ("free_completed", 128), ("snapshot", 0)]
    start = {"segments": [], "device_traces": [[]]}
    end = {"segments": [segment], "device_traces": [[entry(*action) for action in actions]]}
    for name, snapshot in (("start.pickle", start), ("snapshot.pickle", end)):
        (tmp_path / name).write_bytes(pickle.dumps(snapshot))
    ours = read_snapshot(tmp_path)
    assert [event.kind for event in ours.events] == ["+", "a", "f", "q", "a", "c"]
    assert ours.events[0].where == "train.py:9:main"
    assert ours.start_segments == [] and ours.end_blocks == [Block(64, 512, 500)]


@pytest.mark.parametrize("empty", [recording([]), recording([], [Segment(0, MIB, "small")])])
def test_a_recording_equals_itself(empty: Recording) -> None:
    assert compare(empty, empty).first_difference is None
