# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Reads the data of a page without its script: Note [Page payload] in src/report/page_payload.h, written a second time."""

from __future__ import annotations

import base64
import json
import re
import zlib
from pathlib import Path
from typing import Any, Dict, Iterator, List


def numbers(data: bytes) -> Iterator[int]:
    value = shift = 0
    for byte in data:
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            yield value
            value = shift = 0


class Payload:
    """One card's run."""

    def __init__(self, text: str) -> None:
        data = zlib.decompress(base64.b64decode(text))
        length = int.from_bytes(data[:4], "little")
        self.head: Dict[str, Any] = json.loads(data[4 : 4 + length])
        rest = numbers(data[4 + length :])
        count = self.head["allocations"]

        def column() -> List[int]:
            return [next(rest) for _ in range(count)]

        self.born: List[int] = []
        for more in column():
            self.born.append(more + (self.born[-1] if self.born else 0))
        lived = column()
        never = self.head["events"]
        self.died = [born + each if each else never for born, each in zip(self.born, lived)]
        self.bytes = column()
        self.padding = column()
        self.category = column()
        self.inferred = column()
        self.module, self.operator, self.tensor, self.type = column(), column(), column(), column()
        self.line, self.stack = column(), column()

    def living(self, event: int) -> List[int]:
        return [i for i in range(len(self.born)) if self.born[i] <= event < self.died[i]]

    def allocated(self, event: int) -> int:
        return sum(self.bytes[i] for i in self.living(event))

    def fullest(self) -> int:
        """The first event at which most was allocated."""
        change = [0] * (self.head["events"] + 1)
        for born, died, size in zip(self.born, self.died, self.bytes):
            change[born] += size
            change[died] -= size
        now = most = at = 0
        for event in range(self.head["events"]):
            now += change[event]
            if now > most:
                most, at = now, event
        return at

    def step(self, event: int) -> int:
        return [span["step"] for span in self.head["spans"] if span["at"] <= event][-1]

    def module_of(self, index: int) -> str:
        return self.head["names"][self.module[index]]


def payloads(page: Path) -> Dict[str, Payload]:
    """By card."""
    found = re.findall(r'<script type="application/octet-stream" data-card="([^"]*)">([^<]*)</script>', page.read_text())
    return {card: Payload(text) for card, text in found}


def verdict(page: Path) -> Dict[str, Any]:
    (text,) = re.findall(r'id="verdict-data">([^<]*)</script>', page.read_text())
    return json.loads(text)
