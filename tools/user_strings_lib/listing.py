# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""The list of strings as a page: a section per folder, a block per file, a line per string."""
from __future__ import annotations

from itertools import groupby
from pathlib import PurePosixPath
from typing import Iterable, Iterator

from .expressions import Found

INTRODUCTION = """\
# What Dryfit says

Every text that Dryfit, its Python package, its page and its set-up show to people, so that a change of words is seen in review and
read as a whole. `make strings` writes this page from the sources; `make check` fails if it is out of date, or if a text uses a
word that the glossary in `tools/plain_words.py` has a plainer one for.

`{}` stands for a value. A text that is put together from parts may be on several lines. After a merge that touches this page,
run `make strings`.
"""


def line_of(text: str) -> str:
    """A string on one line, without the space around it; paragraphs and tables keep a mark for their line ends."""
    lines = [" ".join(line.split()) for line in text.strip().splitlines()]
    return "\\n".join(lines)


def blocks(strings: Iterable[tuple[str, Found]]) -> Iterator[str]:
    for folder, in_folder in groupby(strings, key=lambda each: str(PurePosixPath(each[0]).parent)):
        yield f"\n## {'the top folder' if folder == '.' else folder}\n"
        for name, in_file in groupby(in_folder, key=lambda each: PurePosixPath(each[0]).name):
            lines = sorted({line_of(found.text) for _, found in in_file}, key=lambda line: (line.casefold(), line))
            yield "\n".join([f"\n{name}", "````text", *lines, "````\n"])


def page(strings: Iterable[tuple[str, Found]]) -> str:
    ordered = sorted(strings, key=lambda each: (str(PurePosixPath(each[0]).parent), each[0]))
    return INTRODUCTION + "".join(blocks(ordered))
