# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Selects the calls that we intercept: those from Python code, and not those of the autograd engine.

Note [The engine's own calls]
A tensor that was once passed to Python keeps its Python object (PyTorch 2.10 and later), and that counts as an owner.
The engine adds up gradients in place, and gives a parameter its gradient without a copy, only if it is the last owner.
If we looked at the gradients that it makes, a backward pass would take more memory than without us. So we intercept
calls in Python's threads only, and not while such a thread is inside the engine, whose threads inherit that. What runs
in Python again from there is intercepted again: a forward pass that is recomputed, a backward written in Python, hooks.

Note [Below a subclass]
PyTorch calls __torch_dispatch__, of a subclass of Tensor or of a mode, with every key before the one of Python
excluded. Ours is one of them, so we let it in again there. Classes that only trace a program stay as they are.
"""

from __future__ import annotations

import functools
import inspect
import threading
from typing import Any, Callable, Iterator

from ..imports import once_imported
from ..patching import Patch, around, quietly

# A dispatch key before all others, autograd and autocast included. In PyTorch only tests use it; it is on or off per
# thread. Later keys belong to backends, and there composite operators would already be decomposed.
KEY = "TESTING_ONLY_GenericMode"

# Packages whose subclasses and modes run programs on tensors without data.
_TRACING = ("torch._", "torch.fx.", "torch.export.")


class Switch:
    def __init__(self, torch: Any) -> None:
        self._torch = torch
        self._key = torch._C._dispatch_key_parse(KEY)

    def install(self) -> None:
        torch = self._torch
        self._others = torch.library.Library("_", "IMPL")
        self._others.fallback(torch.library.fallthrough_kernel, KEY)
        self._pass_by_higher_order_operators(torch._ops)
        self._on()
        Patch(threading.Thread, "_bootstrap_inner", lambda original: around(original, self._on))
        Patch(torch.autograd, "_engine_run_backward", lambda original: around(original, self._off, self._back))
        Patch(torch.autograd.function.BackwardCFunction, "apply", self._seen)
        for name in ("register_hook", "register_post_accumulate_grad_hook"):
            Patch(torch.Tensor, name, self._with_hook_seen)
        self._watch_subclasses(torch.Tensor)
        self._watch_subclasses(torch.utils._python_dispatch.TorchDispatchMode)
        once_imported("torch.utils.checkpoint", quietly(self._watch_recomputation))

    def _pass_by_higher_order_operators(self, operators: Any) -> None:
        """They keep their own list of the keys that they ignore."""
        operators._HIGHER_ORDER_OP_DEFAULT_FALLTHROUGH_DISPATCH_KEYS.append(self._key)
        for operator in operators._higher_order_ops.values():
            operator.fallthrough(self._key)

    def _watch_recomputation(self, module: Any) -> None:
        Patch(module._CheckpointFrame, "__init__", self._with_recomputation_seen)
        module.CheckpointFunction.backward = staticmethod(self._seen(module.CheckpointFunction.backward))

    def _with_recomputation_seen(self, original: Callable[..., None]) -> Callable[..., None]:
        def init(frame: Any, recompute: Callable[..., Any], *args: Any, **kwargs: Any) -> None:
            original(frame, self._seen(recompute), *args, **kwargs)

        return init

    def _with_hook_seen(self, original: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(original)
        def register(tensor: Any, hook: Callable[..., Any]) -> Any:
            return original(tensor, self._seen(hook) if inspect.isfunction(hook) else hook)

        return register

    def _watch_subclasses(self, base: type) -> None:
        """See Note [Below a subclass]."""
        original = base.__init_subclass__

        @functools.wraps(original.__func__ if inspect.ismethod(original) else original)
        def init_subclass(made: type, **kwargs: Any) -> None:
            if inspect.ismethod(original):
                original.__func__(made, **kwargs)
            else:
                super(base, made).__init_subclass__(**kwargs)
            self._watch_dispatch(made)

        for each in _subclasses(base):
            self._watch_dispatch(each)
        base.__init_subclass__ = classmethod(init_subclass)  # type: ignore[assignment]

    @quietly
    def _watch_dispatch(self, made: type) -> None:
        dispatch = vars(made).get("__torch_dispatch__")
        if made.__module__.startswith(_TRACING):
            return
        if isinstance(dispatch, (classmethod, staticmethod)) and inspect.isfunction(dispatch.__func__):
            made.__torch_dispatch__ = type(dispatch)(around(dispatch.__func__, self._let_in, self._keep_out))
        elif inspect.isfunction(dispatch):
            made.__torch_dispatch__ = around(dispatch, self._let_in, self._keep_out)

    def _let_in(self, *_: Any, **__: Any) -> bool:
        before: bool = self._torch._C._dispatch_tls_is_dispatch_key_excluded(self._key)
        self._torch._C._dispatch_tls_set_dispatch_key_excluded(self._key, False)
        return before

    def _keep_out(self, before: bool, failed: bool) -> None:
        self._torch._C._dispatch_tls_set_dispatch_key_excluded(self._key, before)

    def _seen(self, original: Callable[..., Any]) -> Callable[..., Any]:
        return around(original, self._on, self._back)

    def _on(self, *_: Any, **__: Any) -> bool:
        return self._set(True)

    def _off(self, *_: Any, **__: Any) -> bool:
        return self._set(False)

    def _back(self, before: bool, failed: bool) -> None:
        self._set(before)

    def _set(self, wanted: bool) -> bool:
        """Returns the state before."""
        before: bool = self._torch._C._dispatch_tls_is_dispatch_key_included(self._key)
        self._torch._C._dispatch_tls_set_dispatch_key_included(self._key, wanted)
        return before


def _subclasses(base: type) -> Iterator[type]:
    for each in base.__subclasses__():
        yield each
        yield from _subclasses(each)
