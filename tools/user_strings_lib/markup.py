# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""The texts of the page's markup: of elements, a paragraph as one text, and of the attributes that are read out or shown."""
from __future__ import annotations

from html.parser import HTMLParser
from typing import Iterator

from .expressions import Found

SHOWN_ATTRIBUTES = ("aria-label", "title", "placeholder", "alt")
# Parts of a sentence, which do not end it.
INLINE = {"a", "b", "code", "em", "kbd", "span", "strong"}
SILENT = {"script", "style"}


class Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.found: list[Found] = []
        self.text, self.line = "", 0
        self.silent = 0

    def end_text(self) -> None:
        if self.text.strip():
            self.found.append(Found(self.text, self.line))
        self.text, self.line = "", 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        line = self.getpos()[0]
        self.found += [Found(value, line) for name, value in attrs if name in SHOWN_ATTRIBUTES and value]
        if tag not in INLINE:
            self.end_text()
        self.silent += tag in SILENT

    def handle_endtag(self, tag: str) -> None:
        if tag not in INLINE:
            self.end_text()
        self.silent -= tag in SILENT

    def handle_data(self, data: str) -> None:
        if self.silent:
            return
        if not self.line and data.strip():
            self.line = self.getpos()[0] + data[: len(data) - len(data.lstrip())].count("\n")
        self.text += data


def strings_of(source: str) -> Iterator[Found]:
    reader = Reader()
    reader.feed(source)
    reader.close()
    reader.end_text()
    return iter(reader.found)
