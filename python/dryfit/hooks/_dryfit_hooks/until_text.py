# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Ends the program when it prints a given text: a server that is ready, an epoch that has begun."""

from __future__ import annotations

import sys
from typing import Callable

from .patching import quietly


class UntilText:
    def __init__(self, text: str, on_seen: Callable[[], None]) -> None:
        self._text = text
        self._on_seen = on_seen

    def install(self) -> None:
        for stream in (sys.stdout, sys.stderr):
            if stream is not None:
                stream.write = self._watching(stream.write)  # type: ignore[method-assign]

    def _watching(self, original: Callable[[str], int]) -> Callable[[str], int]:
        end = ""  # of what was written before: the text may come in pieces

        def write(text: str) -> int:
            nonlocal end
            written = original(text)
            if isinstance(text, str):
                recent = end + text
                if self._text in recent:
                    quietly(self._on_seen)()
                end = recent[-len(self._text) :]
            return written

        return write
