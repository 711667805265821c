# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Which module an operator works for.

In the forward pass that is the innermost module being called. A backward pass calls no modules; but PyTorch numbers the
nodes of its graph, the current node is known, and so is the module that was running when the node was created.

Note [Numbers of nodes]
Each thread numbers the nodes it creates. A pass that begins inside another (reentrant checkpointing) runs through nodes
that the backward thread has created itself; their numbers mean nothing outside, and outside numbers nothing there.

torch.compile would compile the hooks in this file into the program; if it is used, modules are not distinguished.
"""

from __future__ import annotations

import threading
from typing import Any, Dict, List

from ..module_paths import ModulePaths
from ..patching import Patch, around, quietly

NONE = ""


class ModuleWatch:
    def __init__(self, torch: Any) -> None:
        self._torch = torch
        self._local = _Local()
        self._paths = ModulePaths()
        self._made: List[Dict[int, str]] = [{}, {}]  # number of node: path; in this step, in the one before
        self._hooks: List[Any] = []  # none: modules are not distinguished
        self._depth = 0  # of backward passes inside one another
        self._passes = 0  # outermost ones that have ended

    def install(self) -> None:
        module = self._torch.nn.modules.module
        self._hooks.append(module.register_module_forward_pre_hook(self._enter))
        self._hooks.append(module.register_module_forward_hook(self._leave, always_call=True))
        for name in ("backward", "grad"):
            Patch(self._torch.autograd, name, lambda original: around(original, self._pass_begins, self._pass_ends))
        Patch(self._torch, "compile", lambda original: around(original, self._compile_called))

    def current(self) -> str:
        """The path of the module that the calling thread works for; NONE where there is none."""
        stack = self._local.stack if self._hooks else []
        node = self._torch._C._current_autograd_node()
        if stack:
            made = self._made[0] if node is None else self._local.made(self._passes)
            made.setdefault(self._torch.autograd._get_sequence_nr() - 1, stack[-1])
            return stack[-1]
        return NONE if node is None else self._maker_of(node)

    def step_completed(self) -> None:
        self._made = [{}, self._made[0]]

    def _maker_of(self, node: Any) -> str:
        number = node._sequence_nr()
        for made in [self._local.made(self._passes)] if self._depth > 1 else self._made:
            if number in made:
                return made[number]
        return NONE

    def _pass_begins(self, *_: Any, **__: Any) -> None:
        self._depth += 1

    def _pass_ends(self, token: Any, failed: bool) -> None:
        self._depth -= 1
        if self._depth == 0:
            self._passes += 1

    @quietly
    def _compile_called(self, *_: Any, **__: Any) -> None:
        hooks, self._hooks = self._hooks, []
        for hook in hooks:
            hook.remove()

    def _enter(self, module: Any, args: Any) -> None:
        self._local.stack.append(self._path_of(module) or NONE)

    def _leave(self, module: Any, args: Any, output: Any) -> None:
        if self._local.stack:
            self._local.stack.pop()

    @quietly
    def _path_of(self, module: Any) -> str:
        stack = self._local.stack
        return self._paths.of(module, stack[-1] if stack else NONE)


class _Local(threading.local):
    """What each thread has for itself."""

    def __init__(self) -> None:
        self.stack: List[str] = []
        self._made: Dict[int, str] = {}
        self._passes = -1

    def made(self, passes: int) -> Dict[int, str]:
        """Number of node: path, of the nodes made since the outermost backward pass of that number began."""
        if self._passes != passes:
            self._passes, self._made = passes, {}
        return self._made
