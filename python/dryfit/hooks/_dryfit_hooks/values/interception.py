# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Stands in front of chosen operators, below autograd and autocast and above the kernels of every device.

PyTorch's dispatcher has a place there, BackendSelect, that all calls pass and that only factory functions use. A
function registered at that place gets the call with what remains to be done, and passes it on by `redispatch`. Public
interface: torch.library, with_keyset (PyTorch 2.5 and later).

torch.compile looks at every Python frame that runs while a compiled function does, and would compile these too: it is
told to leave this file alone, and switched off below it.
"""

from __future__ import annotations

import functools
from typing import Any, Callable, Tuple

from ..imports import once_imported
from ..patching import Patch

Below = Callable[..., Any]
Handler = Callable[[Below, Tuple[Any, ...], Any], Any]

LARGEST_ELEMENTS = 1 << 30


class Interception:
    def __init__(self, torch: Any) -> None:
        self._torch = torch
        self._libraries = {}
        self._widest = {bool: torch.bool, int: torch.int64, float: torch.float64, complex: torch.complex128}
        self._after = torch._C._dispatch_keyset_full_after(torch._C.DispatchKey.BackendSelect)
        once_imported("torch._dynamo.trace_rules", lambda rules: rules.add(__name__))

    def put(self, name: str, handler: Handler, always: bool = False, namespace: str = "aten") -> None:
        """handler(below, args, kwargs) instead of the operator `name`, as "add.Tensor", where PyTorch has it.

        Called for small tensors on a device only, unless `always`. `below(*args, **kwargs)` is the operator itself.
        """
        packet, _, overload = name.partition(".")
        operator = getattr(getattr(getattr(self._torch.ops, namespace), packet, None), overload or "default", None)
        if operator is None:
            return
        library = self._libraries.get(namespace)
        if library is None:
            library = self._libraries[namespace] = self._torch.library.Library(namespace, "IMPL")
        library.impl(name, self._kernel(operator, handler, always), "BackendSelect", with_keyset=True)

    def on_unseen_write(self, forget: Callable[[Any], None]) -> None:
        """Has forget(tensor) called where compiled code or a custom operator says that it has written to a tensor."""
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

    def _kernel(self, operator: Any, handler: Handler, always: bool) -> Callable[..., Any]:
        redispatch = operator._handle.redispatch_boxed
        after = self._after
        tensor_type = self._torch.Tensor
        types = [str(each.type) for each in operator._schema.arguments]
        taken_as_tensors = [i for i, each in enumerate(types) if each == "Tensor"]
        leading = next((i for i, each in enumerate(types) if each.startswith(("Tensor", "List[Tensor"))), 0)
        as_tensors = self._as_tensors
        set_compiler = self._torch._C._dynamo.eval_frame.set_eval_frame

        def kernel(keyset: Any, *args: Any, **kwargs: Any) -> Any:
            compiler = set_compiler(None)
            try:
                for i in taken_as_tensors:
                    if i < len(args) and not isinstance(args[i], tensor_type):
                        args = as_tensors(args, taken_as_tensors)
                        break
                keyset = keyset & after
                first = args[leading] if leading < len(args) else None
                if type(first) is list:
                    first = first[0] if first else None
                if always or (first is not None and first.is_cuda and first.numel() <= LARGEST_ELEMENTS):
                    return handler(lambda *a, **k: redispatch(keyset, *a, **k), args, kwargs)
                return redispatch(keyset, *args, **kwargs)
            except BaseException as error:
                error.__traceback__ = None
                raise
            finally:
                if compiler is not None:
                    set_compiler(compiler)

        return kernel

    def _as_tensors(self, args: Tuple[Any, ...], positions: Any) -> Tuple[Any, ...]:
        """Plain numbers come where the operator takes tensors. They keep the width that PyTorch gives them, and with it
        their value, unless the result would then be of another type."""
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
