# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""The strings of a C++ file."""
from __future__ import annotations

import re
from typing import Iterator

from .expressions import Found, Literal, Token, strings

TOKEN = re.compile(
    r"""(?P<skip>//[^\n]*|/\*.*?\*/|^[ \t]*\#[ \t]*(?:include|if|ifdef|ifndef|elif|endif|error|pragma)\b[^\n]*|\[\[.*?\]\])
      | (?P<raw>(?:u8|[LuU])?R"(?P<mark>[^()\\\s]{0,16})\((?P<rawtext>.*?)\)(?P=mark)")
      | (?:u8|[LuU])?"(?P<text>(?:[^"\\\n]|\\.)*)"(?:sv?\b)?
      | (?P<character>'(?:[^'\\\n]|\\.)+')
      | (?P<word>\d(?:'?[\w.])*|[A-Za-z_]\w*)
      | (?P<mark_of_code><<=?|\+=|==|!=|<=|>=|&&|\|\||::|->|[^\s])""",
    re.VERBOSE | re.DOTALL | re.MULTILINE,
)
ESCAPE = re.compile(r"\\(?:x([0-9a-fA-F]+)|u([0-9a-fA-F]{4})|([0-7]{1,3})|(.))", re.DOTALL)
SIMPLE = {"n": "\n", "t": "\t", "r": "\r", "0": "\0", "a": "\a", "b": "\b", "f": "\f", "v": "\v", "e": "\x1b", "\n": ""}
# What is in these calls is for developers.
IGNORED_CALLS = frozenset({"static_assert", "assert", "DRYFIT_CHECK", "__asm__", "asm", "extern"})


def unescaped(text: str) -> str:
    """A literal's text; bytes that \\x gives are taken together as UTF-8."""
    if "\\" not in text:
        return text

    def meaning(match: re.Match[str]) -> bytes:
        hexadecimal, unicode, octal, simple = match.groups()
        if hexadecimal:
            return bytes([int(hexadecimal, 16) & 0xFF])
        if unicode:
            return chr(int(unicode, 16)).encode("utf-8", "replace")
        if octal:
            return bytes([int(octal, 8) & 0xFF])
        return SIMPLE.get(simple, simple).encode()

    parts: list[bytes] = []
    at = 0
    for match in ESCAPE.finditer(text):
        parts += [text[at : match.start()].encode(), meaning(match)]
        at = match.end()
    return b"".join([*parts, text[at:].encode()]).decode("utf-8", "replace")


def tokens(source: str) -> Iterator[Token]:
    line, at = 1, 0
    for match in TOKEN.finditer(source):
        kind = match.lastgroup
        if kind == "word" or kind == "mark_of_code":
            yield match.group()
            continue
        if kind == "skip":
            continue
        if kind == "character":
            # Added to a text, a character is a part of it.
            yield Literal(unescaped(match.group()[1:-1]), 0)
            continue
        line += source.count("\n", at, match.start())
        at = match.start()
        yield Literal(match["rawtext"] if kind == "raw" else unescaped(match["text"]), line)


def strings_of(source: str) -> Iterator[Found]:
    return strings(tokens(source), IGNORED_CALLS)
