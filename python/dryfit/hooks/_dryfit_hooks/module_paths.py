# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Names of modules: `GPT2.h.0.attn` begins with the class of the module that the program called."""

from __future__ import annotations

import weakref
from typing import Any, Dict, Iterator, Optional, Set, Tuple


class ModulePaths:
    def __init__(self) -> None:
        self._paths: Dict[int, Tuple[Any, str]] = {}  # by id: the module, weakly, and its path

    def of(self, module: Any, caller: str) -> str:
        """The path of a module. A new module was called by the one with the path `caller`, "" for none."""
        path = self.known(module)
        if path is None:
            name = type(module).__name__
            path = f"{caller}.{name}" if caller else name
            self.learn(module, path)
        return path

    def known(self, module: Any) -> Optional[str]:
        found = self._paths.get(id(module))
        return found[1] if found is not None and found[0]() is module else None

    def learn(self, root: Any, path: str) -> None:
        """Names a module and all modules below it; those that have a name keep it."""
        for name, module in submodules(root):
            if self.known(module) is None:
                self._paths[id(module)] = (weakref.ref(module), f"{path}.{name}" if name else path)


def submodules(root: Any, name: str = "", seen: Optional[Set[int]] = None) -> Iterator[Tuple[str, Any]]:
    """Like named_modules, also for modules that never called the constructor of their base class."""
    seen = set() if seen is None else seen
    if id(root) in seen:
        return
    seen.add(id(root))
    yield name, root
    for each, module in table(root, "_modules"):
        yield from submodules(module, f"{name}.{each}" if name else each, seen)


def table(module: Any, name: str) -> "list[Tuple[str, Any]]":
    """The entries of one of a module's dictionaries that hold something: _modules, _parameters, _buffers."""
    try:
        return [(key, value) for key, value in getattr(module, name).items() if value is not None]
    except Exception:
        return []  # what its own __getattr__ raises
