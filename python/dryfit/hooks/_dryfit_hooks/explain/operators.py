# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""The operator that a line of Python calls, from its text.

The history has the lines that led to an allocation, and the innermost of them called an operator: `F.linear(…)` names
it, `a + b` implies it. If a line names several, all of them are reported.
"""

from __future__ import annotations

import linecache
import re
from typing import Any, Dict, List, Tuple

_TEXT = re.compile(r"(\"[^\"]*\"|'[^']*'|#.*$)")
_CALL = re.compile(r"([A-Za-z_]\w*)\s*\(")
_SIGNS = (
    ("matmul", re.compile(r"[\w)\]]\s*@=?\s*[\w(\[]")),
    ("pow", re.compile(r"[\w)\]]\s*\*\*\s*[\w(-]")),
    ("mul", re.compile(r"[\w)\]]\s*\*=?\s*[\w(]")),
    ("div", re.compile(r"[\w)\]]\s*/=?\s*[\w(]")),
    ("add", re.compile(r"[\w)\]]\s+\+=?\s*[\w(]")),
    ("sub", re.compile(r"[\w)\]]\s+-=?\s+[\w(]")),
    ("compare", re.compile(r"[\w)\]]\s*(==|!=|<=?|>=?)\s*[\w(]")),
)
_SAME = {name: "to" for name in ("cuda", "float", "half", "bfloat16", "double", "long", "int", "type", "type_as")}
_MAY_COPY = {"to", "contiguous", "reshape", "flatten", "index", "getitem"}


class Operators:
    def __init__(self, torch: Any) -> None:
        self._torch = torch
        self._known: Dict[str, int] = {}

    def of_lines(self, snapshot: Dict[str, Any]) -> List[Tuple[str, int, str]]:
        """For each line that called an allocating operator: its file, number and operators."""
        lines: Dict[Tuple[str, int], None] = {}
        for trace in snapshot.get("device_traces", ()):
            for entry in trace:
                frames = entry.get("frames")
                if frames and entry["action"] in ("alloc", "oom"):
                    lines[frames[0]["filename"], frames[0]["line"]] = None
        found = [(file, line, self.of(linecache.getline(file, line))) for file, line in lines]
        return [each for each in found if each[2]]

    def of(self, line: str) -> str:
        """ "linear"; "mul, sigmoid"; "" if the line names none."""
        text = _TEXT.sub("''", line)
        calls = [_SAME.get(name, name) for name in _CALL.findall(text)]
        kinds = [(name, self._kind(name)) for name in dict.fromkeys(calls)]
        found = [name for name, kind in kinds if kind == 2]
        found += [name for name, sign in _SIGNS if sign.search(text) and name not in found and not _is_default(text)]
        if not found:
            found = [name for name, kind in kinds if kind == 1 and name in _MAY_COPY]
        if not found and len(kinds) == 1:
            found = [kinds[0][0]]
        return ", ".join(found[:3])

    def _kind(self, name: str) -> int:
        """0: no operator; 1: one that returns a view of a tensor, and may copy it; 2: one that makes a new tensor."""
        known = self._known.get(name)
        if known is None:
            known = self._known[name] = self._look_up(name)
        return known

    def _look_up(self, name: str) -> int:
        if name in _MAY_COPY:
            return 1
        try:
            packet = getattr(self._torch.ops.aten, name)
            schema = getattr(packet, packet.overloads()[0])._schema
        except (AttributeError, RuntimeError, IndexError):
            return 0
        if not any("Tensor" in str(each.type) for each in schema.returns):
            return 0
        aliases = [each.alias_info for each in schema.returns if each.alias_info]
        return 1 if aliases and not aliases[0].is_write else 2


def _is_default(text: str) -> bool:
    """Signs in a function's signature are not operators."""
    return text.lstrip().startswith(("def ", "class ", "@"))
