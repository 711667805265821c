# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""The program's tensors "on the GPU" are tensors on the CPU. Every call of a PyTorch function or method from Python
goes through here: a device "cuda" in its arguments becomes the CPU, results of work on the GPU are remembered as the
GPU's, and attributes such as `tensor.device` answer accordingly.

A copy to the GPU is a real copy, as on a GPU, so that the profiler sees a block for it. What happens on the host alone
is annotated `dryfit::host`: its memory is not the GPU's.
"""

from __future__ import annotations

import contextlib
import functools
import threading
from typing import Any, Callable, Dict, Iterator, NamedTuple, Optional, Tuple

from torch.overrides import TorchFunctionMode

from _dryfit_hooks.patching import Patch

from .annotations import Annotations
from .residency import Residency

Arguments = Tuple[Any, ...]
Keywords = Dict[str, Any]
Handler = Callable[[Any, Arguments, Keywords], Any]

UNTOUCHED = frozenset(("__get__", "__set__", "__delete__", "size", "stride", "dim", "numel", "element_size", "data_ptr"))
# Calls that begin and end an annotation must not be inside one of ours, or the two would not nest.
ANNOTATING = "_record_function"


class Target(NamedTuple):
    """The arguments of Tensor.to."""

    device: Any
    dtype: Any
    copy: bool
    layout: Keywords


class State(threading.local):
    """The state of a thread."""

    handling = 0  # functions that are being handled
    in_backward = False  # if so, tensors that autograd hands out are not marked, but are the GPU's


class DeviceMode(TorchFunctionMode):
    """A mode belongs to one thread; this one is entered in every Python thread and never left."""

    def __init__(self, torch: Any, residency: Residency, annotations: Annotations) -> None:
        super().__init__()
        self._torch = torch
        self._residency = residency
        self._annotations = annotations
        self._device = torch.device("cuda", 0)
        self._handlers: Dict[Any, Handler] = {}
        self.state = State()
        self.casting: Optional[Callable[[Any, Arguments, Keywords], Tuple[Arguments, Keywords]]] = None
        self._register()

    def __torch_function__(self, func: Any, types: Any, args: Arguments = (), kwargs: Optional[Keywords] = None) -> Any:
        kwargs = kwargs or {}
        self.state.handling += 1
        try:
            handler = self._handlers.get(func)
            if handler is not None:
                return handler(func, args, kwargs)
            name = getattr(func, "__name__", "")
            if name in UNTOUCHED or name.startswith(ANNOTATING):
                return func(*args, **kwargs)
            return self.call(func, args, kwargs)
        finally:
            self.state.handling -= 1

    @contextlib.contextmanager
    def called_back(self) -> Iterator[None]:
        """For code of the program that an operator calls: a mode is off while it handles a function. The tensors passed
        to such code, which may be new, are the GPU's."""
        state = self.state
        handling, backward = state.handling, state.in_backward
        state.handling, state.in_backward = 0, True
        try:
            with self if handling else contextlib.nullcontext():
                yield
        finally:
            state.handling, state.in_backward = handling, backward

    def install(self) -> None:
        self.__enter__()
        Patch(threading.Thread, "_bootstrap_inner", self._in_thread)

    def _in_thread(self, original: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(original)
        def run(thread: Any) -> Any:
            with self:
                return original(thread)

        return run

    def replace(self, function: Any, handler: Handler) -> None:
        self._handlers[function] = handler

    def is_on_device(self, tensor: Any) -> bool:
        return self.state.in_backward or self._residency.includes(tensor)

    def call(self, func: Any, args: Arguments, kwargs: Keywords) -> Any:
        """Calls any function: on the GPU if the device is given so, or if one of its arguments is there."""
        if "pin_memory" in kwargs:
            kwargs = {name: value for name, value in kwargs.items() if name != "pin_memory"}
        place = self._place_of(kwargs.get("device"))
        if place == "cuda":
            kwargs = {**kwargs, "device": "cpu"}
        if place == "cpu" or place is None and not self._works_on_device(args, kwargs):
            with self._annotations.host():
                return func(*args, **kwargs)
        if self.casting is not None:
            args, kwargs = self.casting(func, args, kwargs)
        if place == "cuda" and not self._works_on_device(args, kwargs):
            with self._annotations.to_device():
                result = func(*args, **kwargs)
        else:
            result = func(*args, **kwargs)
        if not (args and result is args[0]):
            self._residency.add_all_in(result)
        return result

    def move(self, tensor: Any, place: Optional[str], convert: Callable[[bool], Any]) -> Any:
        """Moves a tensor to the GPU, to the host, or leaves it where it is: convert(copy) returns the result."""
        here = "cuda" if self.is_on_device(tensor) else "cpu"
        place = place or here
        if (here, place) == ("cpu", "cuda"):
            with self._annotations.to_device():
                moved = convert(True)
        elif (here, place) == ("cuda", "cpu"):
            with self._annotations.to_host():
                return convert(True)
        elif here == "cpu":
            with self._annotations.host():
                return convert(False)
        else:
            moved = convert(False)
        self._residency.add_all_in(moved)
        return moved

    def _works_on_device(self, args: Arguments, kwargs: Keywords) -> bool:
        return self.state.in_backward or self._residency.any_in(args) or self._residency.any_in(kwargs.values())

    def _place_of(self, device: Any) -> Optional[str]:
        """ "cuda", "cpu", or None for no device and for all other devices, such as "meta"."""
        if device is None:
            return None
        if isinstance(device, int) and not isinstance(device, bool):
            return "cuda"
        name = device.type if isinstance(device, self._torch.device) else str(device).partition(":")[0]
        return name if name in ("cuda", "cpu") else None

    def _register(self) -> None:
        tensor = self._torch.Tensor
        self._handlers = {
            tensor.device.__get__: self._answer(lambda on, real: self._device if on else real),
            tensor.is_cuda.__get__: self._answer(lambda on, real: on or real),
            tensor.is_cpu.__get__: self._answer(lambda on, real: real and not on),
            tensor.get_device: self._answer(lambda on, real: 0 if on else real),
            tensor.grad.__get__: self._grad,
            tensor.to: self._to,
            tensor.cuda: self._cuda,
            tensor.cpu: self._cpu,
            tensor.pin_memory: lambda func, args, kwargs: args[0],
            tensor.is_pinned: lambda func, args, kwargs: False,
            tensor.record_stream: lambda func, args, kwargs: None,
            tensor.type: self._type,
            self._torch.as_tensor: self._from_data,
            self._torch.asarray: self._from_data,
        }

    def _answer(self, answer: Callable[[bool, Any], Any]) -> Handler:
        return lambda func, args, kwargs: answer(self.is_on_device(args[0]), func(*args, **kwargs))

    def _grad(self, func: Any, args: Arguments, kwargs: Keywords) -> Any:
        grad = func(*args, **kwargs)
        if grad is not None and self.is_on_device(args[0]):
            self._residency.add(grad)
        return grad

    def _to(self, func: Any, args: Arguments, kwargs: Keywords) -> Any:
        tensor = args[0]
        wanted = self._parse_target(args[1:], dict(kwargs))
        place = self._place_of(wanted.device)
        if place is None and wanted.device is not None:
            return func(*args, **kwargs)
        dtype = wanted.dtype or tensor.dtype
        return self.move(tensor, place, lambda copy: func(tensor, dtype, copy=copy or wanted.copy, **wanted.layout))

    def _parse_target(self, rest: Arguments, kwargs: Keywords) -> "Target":
        """The arguments of Tensor.to: (dtype, …), (device, dtype, …) or (other, …), then non_blocking and copy."""
        plain = list(rest)
        device = dtype = None
        first = kwargs.pop("other", None)
        if first is None and plain and not isinstance(plain[0], bool):
            first = plain.pop(0)
        if isinstance(first, self._torch.Tensor):
            device, dtype = ("cuda" if self.is_on_device(first) else "cpu"), first.dtype
        elif isinstance(first, self._torch.dtype):
            dtype = first
        else:
            device = first
            if plain and not isinstance(plain[0], bool):
                dtype = plain.pop(0)
        copy = bool(kwargs.pop("copy", plain[1] if len(plain) > 1 else False))
        layout = {name: value for name, value in kwargs.items() if name == "memory_format"}
        return Target(kwargs.get("device", device), kwargs.get("dtype", dtype), copy, layout)

    def _cuda(self, func: Any, args: Arguments, kwargs: Keywords) -> Any:
        memory_format = {key: value for key, value in kwargs.items() if key == "memory_format"}
        to = self._torch.Tensor.to
        return self.move(args[0], "cuda", lambda copy: to(args[0], args[0].dtype, copy=copy, **memory_format))

    def _cpu(self, func: Any, args: Arguments, kwargs: Keywords) -> Any:
        to = self._torch.Tensor.to
        return self.move(args[0], "cpu", lambda copy: to(args[0], args[0].dtype, copy=copy, **kwargs))

    def _type(self, func: Any, args: Arguments, kwargs: Keywords) -> Any:
        """Without an argument it returns the type: "torch.cuda.FloatTensor"."""
        if len(args) == 1 and not kwargs:
            name = func(*args)
            return name.replace("torch.", "torch.cuda.", 1) if self.is_on_device(args[0]) else name
        wanted = args[1] if len(args) > 1 else kwargs.get("dtype")
        if isinstance(wanted, str) and wanted.startswith("torch.cuda."):
            plain = wanted.replace("torch.cuda.", "torch.", 1)
            return self.move(args[0], "cuda", lambda copy: func(args[0].clone() if copy else args[0], plain))
        return self.call(func, args, kwargs)

    def _from_data(self, func: Any, args: Arguments, kwargs: Keywords) -> Any:
        """These share memory with their source if they can; the GPU never shares memory with a source on the host."""
        if self._place_of(kwargs.get("device")) != "cuda":
            return self.call(func, args, kwargs)
        with self._annotations.host():
            made = func(*args, **{**kwargs, "device": "cpu"})
        return self._cuda(None, (made,), {})

