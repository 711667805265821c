# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Reads the text traces of real GPU runs; their README describes the format."""

from __future__ import annotations

import lzma
from pathlib import Path
from typing import Iterator

from .recording import Block, Event, Recording, Segment

EVENT_KINDS = frozenset("afqc+-o")


def read_header(path: Path) -> dict[str, str]:
    """The `# key: value` lines at the top."""
    header = {}
    for line in _lines(path):
        if not line.startswith("# "):
            break
        key, _, value = line[2:].partition(":")
        header[key] = value.strip()
    return header


def read_trace(path: Path) -> Recording:
    recording = Recording([], [], [], [], [])
    stacks: dict[str, str] = {}
    for line in _lines(path):
        tag, *fields = line.split("\t")
        if tag == "K":
            stacks[fields[0]] = _stack(fields[1:])
        elif tag == "S":
            recording.start_segments.append(_segment(fields))
        elif tag == "E":
            recording.end_segments.append(_segment(fields))
        elif tag == "B":
            recording.start_blocks.append(_block(fields))
        elif tag == "F":
            recording.end_blocks.append(_block(fields))
        elif tag in EVENT_KINDS:
            where = stacks.get(fields[3], "") if len(fields) > 3 else ""
            recording.events.append(Event(tag, int(fields[0], 16), int(fields[1]), where))
    return recording


def _lines(path: Path) -> Iterator[str]:
    with lzma.open(path, "rt", encoding="utf-8") as file:
        for line in file:
            yield line.rstrip("\n")


def _stack(fields: list[str]) -> str:
    return " | ".join(field for field in fields if field != "-")


def _segment(fields: list[str]) -> Segment:
    return Segment(int(fields[0], 16), int(fields[1]), fields[2])


def _block(fields: list[str]) -> Block:
    return Block(int(fields[0], 16), int(fields[1]), int(fields[2]))
