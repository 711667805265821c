# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""The strings of a Python file, without docstrings."""
from __future__ import annotations

import ast
from typing import Iterator

from .expressions import VALUE, Found


def text_of(node: ast.expr) -> str | None:
    """A string with {} for its values, or None for an expression that is not one."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else None
    if isinstance(node, ast.JoinedStr):
        return "".join(text_of(part) or VALUE for part in node.values)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        left, right = text_of(node.left), text_of(node.right)
        return None if left is None and right is None else (left or VALUE) + (right or VALUE)
    return None


def inside(node: ast.expr) -> Iterator[ast.expr]:
    """The values in a string, which may have strings of their own."""
    if isinstance(node, ast.JoinedStr):
        yield from (part.value for part in node.values if isinstance(part, ast.FormattedValue))
    elif isinstance(node, ast.BinOp):
        for operand in (node.left, node.right):
            yield from [operand] if text_of(operand) is None else inside(operand)


def walk(node: ast.AST) -> Iterator[Found]:
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        return  # a docstring
    text = text_of(node) if isinstance(node, ast.expr) else None
    if text is not None:
        yield Found(text, node.lineno)
    for child in ast.iter_child_nodes(node) if text is None else inside(node):
        yield from walk(child)


def strings_of(source: str) -> Iterator[Found]:
    return walk(ast.parse(source))
