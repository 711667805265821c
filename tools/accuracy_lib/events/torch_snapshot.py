# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Reads what bench/truth/recording.py leaves: PyTorch's memory snapshots before the first event and after the last."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

from .recording import (
    ALLOC,
    FREE,
    FREE_COMPLETED,
    FREE_REQUESTED,
    OUT_OF_MEMORY,
    SEGMENT_ALLOC,
    SEGMENT_FREE,
    Block,
    Event,
    Recording,
    Segment,
)

START = "start.pickle"
END = "snapshot.pickle"

# Actions of torch 2.x `device_traces`; "snapshot" and annotations move no memory.
_KINDS = {
    "alloc": ALLOC,
    "free_requested": FREE_REQUESTED,
    "free_completed": FREE_COMPLETED,
    "segment_alloc": SEGMENT_ALLOC,
    "segment_map": SEGMENT_ALLOC,
    "segment_free": SEGMENT_FREE,
    "segment_unmap": SEGMENT_FREE,
    "oom": OUT_OF_MEMORY,
}
_FRAMES = 3
_CALL_FRAMES = ("_call_impl", "_wrapped_call_impl")


def read_snapshot(folder: Path) -> Recording:
    start, end = _load(folder / START), _load(folder / END)
    return Recording(*_state(start), _events(end["device_traces"][0]), *_state(end))


def _load(path: Path) -> dict[str, Any]:
    with open(path, "rb") as file:
        return pickle.load(file)


def _state(snapshot: dict[str, Any]) -> tuple[list[Segment], list[Block]]:
    segments, blocks = [], []
    for entry in snapshot["segments"]:
        segments.append(Segment(entry["address"], entry["total_size"], entry["segment_type"]))
        blocks += [
            Block(block["address"], block["size"], block["requested_size"])
            for block in entry["blocks"]
            if block["state"] != "inactive"
        ]
    return segments, blocks


def _events(entries: list[dict[str, Any]]) -> list[Event]:
    events: list[Event] = []
    for entry in entries:
        kind = _KINDS.get(entry["action"])
        if kind is None:
            continue
        event = Event(kind, entry.get("addr", 0), entry["size"], _stack(entry.get("frames", ())))
        if kind == FREE_COMPLETED and events and _is_request_of(events[-1], event):
            events[-1] = events[-1]._replace(kind=FREE)
        else:
            events.append(event)
    return events


def _is_request_of(earlier: Event, completion: Event) -> bool:
    return earlier.kind == FREE_REQUESTED and earlier.address == completion.address


def _stack(frames: list[dict[str, Any]]) -> str:
    python = [frame for frame in frames if frame["filename"].endswith(".py") and frame["name"] not in _CALL_FRAMES]
    return ";".join(f"{Path(f['filename']).name}:{f['line']}:{f['name']}" for f in python[:_FRAMES])
