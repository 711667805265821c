# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Intercepts chosen operators.

PyTorch's dispatcher has two places for that: one before everything else, which the calls of some threads pass (Note
[The engine's own calls] in switching.py), and BackendSelect, right before the kernels, which all calls pass and only
factory functions use. A function registered at such a place gets the call with the remaining dispatch keys, and passes
it on with `redispatch`. Public interface: torch.library, with_keyset (PyTorch 2.5 and later).

torch.compile looks at every Python frame that runs during a compiled function, and would compile these too: we make it
leave this file alone, and switch it off below it.
"""

from __future__ import annotations

import functools
from typing import Any, Callable, Dict, List, Set, Tuple

from ..imports import once_imported
from ..patching import Patch
from .switching import KEY

Below = Callable[..., Any]
Handler = Callable[[Below, Tuple[Any, ...], Any], Any]


class Interception:
    # PyTorch takes one function at a place. What the count of FLOPs has put there stays, and values are followed above it.
    _at_backend_select: Set[Tuple[str, str]] = set()

    def __init__(self, torch: Any) -> None:
        self._torch = torch
        self._libraries: Dict[str, Any] = {}
        self._taken: Set[Tuple[str, str]] = set()
        self._widest = {bool: torch.bool, int: torch.int64, float: torch.float64, complex: torch.complex128}
        once_imported("torch._dynamo.trace_rules", lambda rules: rules.add(__name__))

    def put(
        self,
        name: str,
        handler: Handler,
        always: bool = False,
        namespace: str = "aten",
        engine: bool = False,
        factory: bool = False,
    ) -> None:
        """Calls handler(below, args, kwargs) instead of the operator `name`, such as "add.Tensor", if PyTorch has it.

        Only for tensors on a device, unless `always`; with `engine` also for the autograd engine's own calls, which is
        for operators that make no gradients; `factory`: it is called without tensors. `below(*args, **kwargs)` is the
        operator itself.
        """
        operator = self._operator(name, namespace)
        if operator is None:
            return
        key = "BackendSelect" if engine and (namespace, name) not in self._at_backend_select else KEY
        if key != KEY:
            self._at_backend_select.add((namespace, name))
        kernel = self._kernel(operator, handler, always, factory, key)
        self._library(namespace).impl(name, kernel, key, with_keyset=True)
        self._taken.add((namespace, name))

    def put_once_called(self, name: str, namespace: str, make: Callable[[], Handler]) -> None:
        """Like put(name, make(), always=True), but nothing is made before the first call: of the many operators that
        exist, a program calls few."""
        first_call = functools.partial(self._first_call, [None, name, namespace, make])
        self._library(namespace).impl(name, first_call, KEY, with_keyset=True)
        self._taken.add((namespace, name))

    def has(self, name: str, namespace: str = "aten") -> bool:
        return (namespace, name) in self._taken

    def _operator(self, name: str, namespace: str) -> Any:
        packet, _, overload = name.partition(".")
        return getattr(getattr(getattr(self._torch.ops, namespace), packet, None), overload or "default", None)

    def _library(self, namespace: str) -> Any:
        library = self._libraries.get(namespace)
        if library is None:
            library = self._libraries[namespace] = self._torch.library.Library(namespace, "IMPL")
        return library

    def _first_call(self, entry: List[Any], keyset: Any, *args: Any, **kwargs: Any) -> Any:
        if entry[0] is None:
            entry[0] = self._kernel_of(*entry[1:])
        return entry[0](keyset, *args, **kwargs)

    def _kernel_of(self, name: str, namespace: str, make: Callable[[], Handler]) -> Callable[..., Any]:
        set_compiler = self._torch._C._dynamo.eval_frame.set_eval_frame
        compiler = set_compiler(None)
        try:
            return self._kernel(self._operator(name, namespace), make(), always=True, factory=False, key=KEY)
        finally:
            if compiler is not None:
                set_compiler(compiler)

    def on_unseen_write(self, forget: Callable[[Any], None]) -> None:
        """Calls forget(tensor) when compiled code or a custom operator reports that it has written to a tensor."""
        set_compiler = self._torch._C._dynamo.eval_frame.set_eval_frame
        tensor_type = self._torch.Tensor

        def wrap(original: Callable[..., None]) -> Callable[..., None]:
            @functools.wraps(original)
            def increment_version(tensor: Any) -> None:
                compiler = set_compiler(None)
                try:
                    written = tensor if isinstance(tensor, tensor_type) else tuple(tensor)
                    original(written)
                    for each in (written,) if isinstance(written, tensor_type) else written:
                        forget(each)
                finally:
                    if compiler is not None:
                        set_compiler(compiler)

            return increment_version

        Patch(self._torch.autograd.graph, "increment_version", wrap)

    def _kernel(self, operator: Any, handler: Handler, always: bool, factory: bool, key: str) -> Callable[..., Any]:
        redispatch = operator._handle.redispatch_boxed
        after = self._torch._C._dispatch_keyset_full_after(self._torch._C._dispatch_key_parse(key))
        tensor_type = self._torch.Tensor
        arguments = operator._schema.arguments
        types = [str(each.type) for each in arguments]
        taken_as_tensors = [i for i, each in enumerate(types) if each == "Tensor"]
        leading = next((i for i, each in enumerate(types) if each.startswith(("Tensor", "List[Tensor"))), 0)
        name = arguments[leading].name if arguments else ""
        as_tensors = self._as_tensors
        set_compiler = self._torch._C._dynamo.eval_frame.set_eval_frame
        is_plain = self._is_plain
        transforms = self._torch._C._functorch.maybe_current_level

        def kernel(keyset: Any, *args: Any, **kwargs: Any) -> Any:
            compiler = set_compiler(None)
            try:
                for i in taken_as_tensors:
                    if i < len(args) and not isinstance(args[i], tensor_type):
                        args = as_tensors(args, taken_as_tensors)
                        break
                keyset = keyset & after
                first = args[leading] if leading < len(args) else kwargs.get(name)
                if type(first) is list:
                    first = first[0] if first else None
                if (factory or is_plain(type(first)) and (always or first.is_cuda)) and transforms() is None:
                    return handler(lambda *a, **k: redispatch(keyset, *a, **k), args, kwargs)
                return redispatch(keyset, *args, **kwargs)
            except BaseException as error:
                error.__traceback__ = None
                raise
            finally:
                if compiler is not None:
                    set_compiler(compiler)

        return kernel

    def _is_plain(self, kind: type) -> bool:
        """False for the tensors without data that compile a program, and for any other class with its own dispatch."""
        return getattr(kind, "__torch_dispatch__", None) is self._torch._C._disabled_torch_dispatch_impl

    def _as_tensors(self, args: Tuple[Any, ...], positions: Any) -> Tuple[Any, ...]:
        """Plain numbers may come in place of tensors. They keep the width that PyTorch gives them, and with it their
        value, unless the result would then have another type."""
        torch = self._torch
        tensors = [args[i] for i in positions if i < len(args) and isinstance(args[i], torch.Tensor)]
        peer = tensors[-1] if tensors else 0
        changed = list(args)
        for i in positions:
            if i < len(args) and not isinstance(args[i], torch.Tensor) and args[i] is not None:
                computed = torch.result_type(peer, args[i])
                number = torch.scalar_tensor(args[i], dtype=self._widest.get(type(args[i]), computed), device="cpu")
                changed[i] = number if torch.result_type(peer, number) == computed else number.to(computed)
        return tuple(changed)
