# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""How many bytes operators move: each input tensor is read once, each tensor that is returned or changed written once.

That is the least that a device moves if nothing stays in its caches from one operator to the next. Operators that only
return a view move nothing; operators called by other operators are part of these.
"""

from __future__ import annotations

import threading
from typing import Any, Callable, Dict, Iterator, List, Tuple

from .. import guest
from ..patching import quietly
from ..values.interception import Below, Handler, Interception

# What travels in the trace (docs/trace-format.md).
STEP = "traffic.step"
BREAKDOWN = "traffic.last_step"

LARGEST = (1 << 64) - 1


class Traffic:
    def __init__(self, torch: Any, module: Callable[[], str]) -> None:
        """module() returns the module that the calling thread works for."""
        self._torch = torch
        self._module = module
        self._local = threading.local()
        self._lock = threading.Lock()
        self._step: Dict[Tuple[str, str], int] = {}
        self._last_step: Dict[Tuple[str, str], int] = {}

    def install(self, interception: Interception, counted: "set[str]") -> None:
        """Intercepts all operators that have a kernel for the device, except the names in `counted`: their handlers
        call `around` themselves."""
        for name in self._names():
            if name.partition(".")[0] not in counted:
                handler = self.around(name.partition(".")[0], lambda below, args, kwargs: below(*args, **kwargs))
                interception.put(name, handler, always=True, engine=True)

    def around(self, operator: str, handler: Handler) -> Handler:
        local = self._local

        def handle(below: Below, args: Tuple[Any, ...], kwargs: Any) -> Any:
            if getattr(local, "inside", False):
                return handler(below, args, kwargs)
            local.inside = True
            try:
                outputs = handler(below, args, kwargs)
            finally:
                local.inside = False
            self._count(operator, args, kwargs, outputs)
            return outputs

        return handle

    def step_completed(self) -> None:
        with self._lock:
            self._last_step, self._step = self._step, {}
        guest.value(STEP, -1, min(sum(self._last_step.values()), LARGEST))

    def report(self) -> None:
        for (operator, module), count in self._last_step.items():
            guest.value(f"{BREAKDOWN}/{operator}/{module}", -1, min(count, LARGEST))

    @quietly
    def _count(self, operator: str, args: Tuple[Any, ...], kwargs: Any, outputs: Any) -> None:
        read = [] if _only_makes(operator) else list(self._tensors([*args, *kwargs.values()]))
        written = list(self._tensors([outputs]))
        if outputs is None and args:  # changes its first argument in place, as _foreach_add_ does
            written = list(self._tensors([args[0]]))
        moved = sum(map(_size, read)) + sum(map(_size, written))
        if moved:
            key = (operator, self._module())
            with self._lock:
                self._step[key] = self._step.get(key, 0) + moved

    def _tensors(self, values: "List[Any]") -> Iterator[Any]:
        for value in values:
            if isinstance(value, self._torch.Tensor):
                if value.is_cuda:
                    yield value
            elif isinstance(value, (list, tuple)):
                yield from self._tensors(list(value))

    def _names(self) -> Iterator[str]:
        """ "add.Tensor": of operators of tensors that make or change some."""
        has_kernel = self._torch._C._dispatch_has_kernel_for_dispatch_key
        for full in sorted(self._torch._C._dispatch_get_all_op_names()):
            namespace, _, name = full.partition("::")
            if namespace != "aten" or "out" in name.partition(".")[2] or has_kernel(full, "BackendSelect"):
                continue
            if any(has_kernel(full, key) for key in ("CUDA", "CompositeExplicitAutograd")) and self._moves(name):
                yield name

    def _moves(self, name: str) -> bool:
        packet, _, overload = name.partition(".")
        operator = getattr(getattr(self._torch.ops.aten, packet, None), overload or "default", None)
        if operator is None or not any("Tensor" in str(each.type) for each in operator._schema.arguments):
            return False
        shown = [each.alias_info for each in operator._schema.returns if each.alias_info]
        return not any(not each.is_write for each in shown) and packet not in _LOOKS


# Of these no byte is read or written, or one.
_LOOKS = set(
    """
    detach alias _unsafe_view empty_like new_empty new_empty_strided set_ resize_ resize_as_ _local_scalar_dense
    record_stream is_pinned _version
    """.split()
)


def _only_makes(operator: str) -> bool:
    """Whether it takes a tensor as a pattern only, as zeros_like does."""
    return operator.endswith("_like") or operator.startswith("new_")


def _size(tensor: Any) -> int:
    """Of an expanded tensor what there is of it."""
    return int(min(tensor.numel() * tensor.element_size(), tensor.untyped_storage().nbytes()))
