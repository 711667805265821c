# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""What set-up prints: shell scripts, the Makefile and CMake."""
from __future__ import annotations

import re
from typing import Iterator

from .expressions import Found

QUOTED = r"""(?:"((?:[^"\\]|\\.)*)"|'([^']*)')"""
PRINTED = re.compile(rf"\b(?:echo|printf)\s+{QUOTED}")
HERE_DOCUMENT = re.compile(r"\bcat <<'?(\w+)'?\n(.*?)^\1$", re.MULTILINE | re.DOTALL)
TARGET_HELP = re.compile(r"^[\w.%-][\w .%-]*:.*?## (.*)$", re.MULTILINE)
STAGE_TITLE = re.compile(r'\$\(STAGE\) \S+ "([^"]*)"')
CMAKE = re.compile(rf"\b(?:option\(\w+|message\(\w+)\s+{QUOTED}")


def matches(pattern: re.Pattern[str], source: str) -> Iterator[Found]:
    for match in pattern.finditer(source):
        group = match.lastindex or 0
        yield Found(match[group], source.count("\n", 0, match.start(group)) + 1)


def without_comments(source: str) -> str:
    return re.sub(r"^\s*#.*$", "", source, flags=re.MULTILINE)


def shell_strings(source: str) -> Iterator[Found]:
    source = without_comments(source)
    yield from matches(PRINTED, source)
    for block in matches(HERE_DOCUMENT, source):
        for number, line in enumerate(block.text.splitlines()):
            yield Found(line, block.line + number)


def make_strings(source: str) -> Iterator[Found]:
    for pattern in (TARGET_HELP, STAGE_TITLE, PRINTED):
        yield from matches(pattern, source)


def cmake_strings(source: str) -> Iterator[Found]:
    return matches(CMAKE, without_comments(source))
