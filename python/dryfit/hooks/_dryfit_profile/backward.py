# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Backward passes: annotates them, and treats tensors that autograd hands out meanwhile as the GPU's."""

from __future__ import annotations

import functools
from typing import Any, Callable, List

from _dryfit_hooks.patching import Patch, around, quietly

from .annotations import Annotations
from .device_mode import DeviceMode


class BackwardPasses:
    def __init__(self, mode: DeviceMode, annotations: Annotations) -> None:
        self._mode = mode
        self._annotations = annotations
        self._open: List[Any] = []

    def install(self, torch: Any) -> None:
        for name in ("backward", "grad"):
            Patch(torch.autograd, name, lambda original: around(original, self._begins, self._ends))

        Patch(torch.autograd.graph.saved_tensors_hooks, "__init__", self._with_hooks)

    def _with_hooks(self, original: Callable[..., Any]) -> Callable[..., Any]:
        """The program's hooks on tensors that an operator saves (checkpointing, offloading)."""

        @functools.wraps(original)
        def construct(manager: Any, pack_hook: Any, unpack_hook: Any) -> None:
            original(manager, self._called_back(pack_hook), self._called_back(unpack_hook))

        return construct

    def _called_back(self, hook: Callable[[Any], Any]) -> Callable[[Any], Any]:
        def call(value: Any) -> Any:
            with self._mode.called_back():
                return hook(value)

        return call

    @quietly
    def _begins(self, *_: Any, **__: Any) -> None:
        window = self._annotations.around("dryfit::backward")
        window.__enter__()
        self._open.append(window)
        self._mode.state.in_backward = True

    @quietly
    def _ends(self, token: Any, failed: bool) -> None:
        self._open.pop().__exit__(None, None, None)
        self._mode.state.in_backward = bool(self._open)
