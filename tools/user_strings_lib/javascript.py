# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""The strings of a script of the page. A template literal is a sum of its texts and values."""
from __future__ import annotations

import re
from typing import Iterator

from .cpp import unescaped
from .expressions import Found, Literal, Token, strings

TOKEN = re.compile(
    r"""(?P<skip>//[^\n]*|/\*.*?\*/)
      | "(?P<double>(?:[^"\\\n]|\\.)*)"
      | '(?P<single>(?:[^'\\\n]|\\.)*)'
      | (?P<template>`)
      | (?P<word>[\w$\#]+)
      | (?P<mark>=>|===?|!==?|<=|>=|&&|\|\||\?\?=?|\?\.|\+=|[^\s])""",
    re.VERBOSE | re.DOTALL,
)
REGEX = re.compile(r"/(?:[^/\\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+/[a-z]*")
TEMPLATE_TEXT = re.compile(r"((?:[^`\\$]|\\.|\$(?!\{))*)(`|\$\{)", re.DOTALL)
# Before a regular expression; after anything else a slash divides.
BEFORE_REGEX = set("(,=:[!&|?{};+") | {"&&", "||", "=>", "return", ""}
COMPARISONS = {"===": "==", "!==": "!="}
# A name beside a value that is shown, and the head of a table's column.
LABEL = re.compile(r'\b(?:text|label|title): "([^"\\]+)"|^\s*\["([^"\\]+)"(?:, "number")?\],?$', re.MULTILINE)


class Lexer:
    def __init__(self, source: str) -> None:
        self.source = source
        self.at = 0

    def line(self) -> int:
        return self.source.count("\n", 0, self.at) + 1

    def tokens(self, inside_template: bool = False) -> Iterator[Token]:
        """All tokens, or those up to the bracket that closes a value in a template."""
        before, depth = "", 0
        while match := self.next_token(before):
            line = self.line()
            self.at = match.end()
            kind = match.lastgroup
            if kind == "skip":
                continue
            if kind in ("double", "single"):
                yield Literal(unescaped(match[kind]), line)
            elif kind == "template":
                yield from self.template()
            else:
                depth += {"{": 1, "}": -1}.get(match.group(), 0)
                if inside_template and depth < 0:
                    return
                yield COMPARISONS.get(match.group(), match.group())
            before = match.group()

    def next_token(self, before: str) -> re.Match[str] | None:
        while self.at < len(self.source) and self.source[self.at].isspace():
            self.at += 1
        if before in BEFORE_REGEX and not self.source.startswith(("//", "/*"), self.at):
            if match := REGEX.match(self.source, self.at):
                self.at = match.end()
        return TOKEN.search(self.source, self.at)

    def template(self) -> Iterator[Token]:
        while match := TEMPLATE_TEXT.match(self.source, self.at):
            if match[1] or match[2] == "`":
                yield Literal(unescaped(match[1]), self.line())
            self.at = match.end()
            if match[2] == "`":
                return
            yield from ["+", "(", *self.tokens(inside_template=True), ")", "+"]


def strings_of(source: str) -> Iterator[Found]:
    return strings(Lexer(source).tokens())


def labels_of(source: str) -> Iterator[Found]:
    """What is shown although it is one word."""
    for match in LABEL.finditer(source):
        yield Found(match[1] or match[2], source.count("\n", 0, match.start(1 if match[1] else 2)) + 1)
