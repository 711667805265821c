# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""The strings of a program's expressions, each as a reader meets it.

Adjacent literals are one string. Literals added to values, or streamed with them, are one string too, with {} for each
value: `"no GPU '" + name + "' is known"` is "no GPU '{}' is known".
"""
from __future__ import annotations

from dataclasses import dataclass
from typing import Iterable, Iterator, Union

VALUE = "{}"
OPENING = {"(": ")", "[": "]", "{": "}"}
CLOSING = set(OPENING.values())
# A token that ends an expression, or a part of one that stands for itself.
SEPARATORS = {",", ";", "?", ":", "=", "+=", "==", "!=", "<", ">", "<=", ">=", "&&", "||", "=>", "return", "??"}
JOINTS = {"+", "<<"}
# What makes a text of a literal, and so means the literal: std::string("x").
CONVERSIONS = {"string", "string_view"}


@dataclass(frozen=True)
class Literal:
    text: str  # escapes resolved
    line: int


Token = Union[Literal, str]


@dataclass(frozen=True)
class Found:
    """A string at its place."""

    text: str
    line: int
    call: str = ""  # what it is an argument of, such as "Error"
    argument: int = 0  # its place there, from 0


class Expression:
    """An expression as far as it has been read."""

    def __init__(self) -> None:
        self.pieces: list[str] = []
        self.line = 0  # of the first literal; 0 without one
        self.in_value = False

    def literal(self, literal: Literal) -> None:
        self.line = self.line or literal.line
        self.pieces.append(literal.text)
        self.in_value = False

    def value(self) -> None:
        if not self.in_value:
            self.pieces.append(VALUE)
        self.in_value = True

    def joint(self, token: str) -> None:
        if token == "<<" and self.pieces == [VALUE]:
            self.pieces.clear()  # the stream
        self.in_value = False

    def is_one_literal(self) -> bool:
        return len(self.pieces) == 1 and self.line > 0

    def found(self, bracket: Bracket | None) -> Iterator[Found]:
        if self.line:
            call = bracket.before if bracket and isinstance(bracket.before, str) else ""
            yield Found("".join(self.pieces), self.line, call, bracket.commas if bracket else 0)


@dataclass
class Bracket:
    """A bracket that is open."""

    opening: str
    around: Expression
    ignored: bool
    before: Token  # such as the name of the function that is called
    commas: int = 0  # so far

    def is_subscript(self) -> bool:
        """A literal alone in it is a key."""
        return self.opening == "[" and isinstance(self.before, str) and (self.before[-1:].isalnum() or self.before in CLOSING)


def strings(tokens: Iterable[Token], ignored_calls: frozenset[str] = frozenset()) -> Iterator[Found]:
    """The strings of a program, in the order in which they end; without keys, and those in a call of ignored_calls."""
    brackets: list[Bracket] = []
    expression, ignored = Expression(), False
    before: Token = ""
    for token in tokens:
        inner = brackets[-1] if brackets else None
        if isinstance(token, Literal):
            expression.literal(token)
        elif token in OPENING:
            brackets.append(Bracket(token, expression, ignored, before))
            expression, ignored = Expression(), ignored or before in ignored_calls
        elif token in CLOSING:
            bracket = brackets.pop() if brackets else Bracket("", Expression(), False, "")
            if bracket.before in CONVERSIONS and expression.is_one_literal():
                bracket.around.pieces.pop()  # the name of the conversion
                bracket.around.literal(Literal(expression.pieces[0], expression.line))
            else:
                if not ignored and not (bracket.is_subscript() and expression.is_one_literal()):
                    yield from expression.found(bracket)
                bracket.around.value()
            expression, ignored = bracket.around, bracket.ignored
            if token == "}":  # a body of statements, most often
                yield from expression.found(brackets[-1] if brackets else None)
                expression = Expression()
        elif token in SEPARATORS:
            if not ignored:
                yield from expression.found(inner)
            expression = Expression()
            if inner and token == ",":
                inner.commas += 1
        elif token in JOINTS:
            expression.joint(token)
        else:
            expression.value()
        before = token
    yield from expression.found(None)
