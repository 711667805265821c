# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Annotates the forward pass of every module with its path, and finds the program's models: modules that no other
module calls."""

from __future__ import annotations

import weakref
from typing import Any, Dict, List, Tuple

from _dryfit_hooks.patching import quietly

from .annotations import Annotations


class ModuleNames:
    def __init__(self, torch: Any, annotations: Annotations) -> None:
        self._torch = torch
        self._annotations = annotations
        self._open: List[Tuple[Any, Any]] = []
        self._names: "weakref.WeakKeyDictionary[Any, Dict[int, str]]" = weakref.WeakKeyDictionary()
        self._current: Dict[int, str] = {}

    def install(self) -> None:
        module = self._torch.nn.modules.module
        module.register_module_forward_pre_hook(self._begins)
        module.register_module_forward_hook(self._ends, always_call=True)

    def models(self) -> List[Any]:
        return list(self._names.keys())

    @quietly
    def _begins(self, module: Any, args: Any) -> None:
        if not self._open:
            self._current = self._names_in(module)
        name = self._current.get(id(module), type(module).__name__)
        window = self._annotations.around(f"dryfit::module#{name}")
        window.__enter__()
        self._open.append((module, window))

    @quietly
    def _ends(self, module: Any, args: Any, result: Any) -> None:
        """If an exception left a forward pass before its hook, it is closed with the one around it."""
        if not any(entered is module for entered, _ in self._open):
            return
        while self._open:
            entered, window = self._open.pop()
            window.__exit__(None, None, None)
            if entered is module:
                return

    def _names_in(self, model: Any) -> Dict[int, str]:
        if model not in self._names:
            root = type(model).__name__
            paths = model.named_modules(remove_duplicate=True)
            self._names[model] = {id(each): f"{root}.{path}" if path else root for path, each in paths}
        return self._names[model]
