# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Names of modules: `GPT2.h.0.attn` begins with the class of the module that contains all the others.

That one need not be what the program calls: a constructor may call its own forward to learn a size, and a loop may call
the parts one by one. So a module that the program calls by itself is looked for in others.
"""

from __future__ import annotations

import gc
import weakref
from typing import Any, Dict, Iterator, List, NamedTuple, Optional, Set, Tuple

# How often to look through all objects for what contains a module. Some programs make small ones in every step.
_MOST_SEARCHES = 64


class _Place(NamedTuple):
    module: Any  # weakly
    path: str
    root: Any  # the outermost module, weakly


class ModulePaths:
    def __init__(self) -> None:
        self._places: Dict[int, _Place] = {}  # by id
        self._searches = 0

    def of(self, module: Any, caller: str) -> str:
        """The path of a module. A new module was called by the one with the path `caller`, "" for none."""
        path = self.known(module)
        if path is None:
            root = module if caller else self._outermost(module)
            name = type(root).__name__
            self.learn(root, f"{caller}.{name}" if caller else name)
        return path or self.known(module) or type(module).__name__

    def known(self, module: Any) -> Optional[str]:
        place = self._places.get(id(module))
        return place.path if place is not None and place.module() is module else None

    def root_of(self, module: Any) -> Any:
        """The outermost module of the path; the module itself if it has none."""
        place = self._places.get(id(module))
        root = place.root() if place is not None and place.module() is module else None
        return module if root is None else root

    def learn(self, root: Any, path: str) -> None:
        """Names a module and all modules below it. Those that have a name keep it, unless it begins with another of
        them, which was called before it became a part of this one."""
        parts = list(submodules(root))
        below = {id(module) for _, module in parts if module is not root}
        for name, module in parts:
            if self.known(module) is None or id(self.root_of(module)) in below:
                own = f"{path}.{name}" if name else path
                self._places[id(module)] = _Place(weakref.ref(module), own, weakref.ref(root))

    def _outermost(self, module: Any) -> Any:
        if self._searches == _MOST_SEARCHES:
            return module
        self._searches += 1
        parents: Dict[int, Any] = {}
        for each in all_modules():
            for _, child in table(each, "_modules"):
                parents.setdefault(id(child), each)
        seen: Set[int] = set()
        while id(module) in parents and id(module) not in seen:
            seen.add(id(module))
            module = parents[id(module)]
        return module


def all_modules() -> List[Any]:
    """That there are in the process."""
    import torch

    return [each for each in gc.get_objects() if issubclass(type(each), torch.nn.Module)]


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
