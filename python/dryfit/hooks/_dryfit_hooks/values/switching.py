# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Selects the calls that we intercept: those from Python code, and not those of the autograd engine.

Note [The engine's own calls]
A tensor that was once passed to Python keeps its Python object (PyTorch 2.10 and later), and that counts as an owner.
The engine adds up gradients in place, and gives a parameter its gradient without a copy, only if it is the last owner.
If we looked at the gradients that it makes, a backward pass would take more memory than without us. So we intercept
calls in Python's threads only, and not while such a thread is inside the engine, whose threads inherit that. What runs
in Python again from there is intercepted again: a forward pass that is recomputed.
"""

from __future__ import annotations

import threading
from typing import Any, Callable

from ..imports import once_imported
from ..patching import Patch, around, quietly

# A dispatch key before all others, autograd and autocast included. In PyTorch only tests use it; it is on or off per
# thread. Later keys belong to backends, and there composite operators would already be decomposed.
KEY = "TESTING_ONLY_GenericMode"


class Switch:
    def __init__(self, torch: Any) -> None:
        self._torch = torch
        self._key = torch._C._dispatch_key_parse(KEY)

    def install(self) -> None:
        self._others = self._torch.library.Library("_", "IMPL")
        self._others.fallback(self._torch.library.fallthrough_kernel, KEY)
        self._on()
        Patch(threading.Thread, "_bootstrap_inner", lambda original: around(original, self._on))
        Patch(self._torch.autograd, "_engine_run_backward", lambda original: around(original, self._off, self._back))
        once_imported("torch.utils.checkpoint", quietly(self._watch_recomputation))

    def _watch_recomputation(self, module: Any) -> None:
        Patch(module._CheckpointFrame, "__init__", self._with_recomputation_seen)
        seen = around(module.CheckpointFunction.backward, self._on, self._back)
        module.CheckpointFunction.backward = staticmethod(seen)

    def _with_recomputation_seen(self, original: Callable[..., None]) -> Callable[..., None]:
        def init(frame: Any, recompute: Callable[..., Any], *args: Any, **kwargs: Any) -> None:
            original(frame, around(recompute, self._on, self._back), *args, **kwargs)

        return init

    def _on(self, *_: Any, **__: Any) -> bool:
        return self._set(True)

    def _off(self, *_: Any, **__: Any) -> bool:
        return self._set(False)

    def _back(self, before: bool, failed: bool) -> None:
        self._set(before)

    def _set(self, wanted: bool) -> bool:
        """Returns the state before."""
        before = self._torch._C._dispatch_tls_is_dispatch_key_included(self._key)
        self._torch._C._dispatch_tls_set_dispatch_key_included(self._key, wanted)
        return before
