# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import importlib
import inspect
import threading
from typing import Any, Callable, Dict, Iterator, Tuple

from .. import guest
from ..patching import quietly
from ..values.interception import Below, Handler, Interception
from .modules import ModuleWatch
from .traffic import Traffic

# What travels in the trace (docs/trace-format.md). A breakdown has one value for each operator in each module.
STEP = "flops.step"
BREAKDOWN = "flops.last_step"
UNCOUNTED = "flops.uncounted"

LARGEST = (1 << 64) - 1

# Operators that do much arithmetic and have no formula in some version of PyTorch or in all. They are listed, so that a
# count without them is not mistaken for the whole.
WITHOUT_FORMULA = """
_cudnn_rnn _cudnn_rnn_backward addmv addmv_ addbmm addbmm_ addmm_ baddbmm_ dot _cdist_forward _cdist_backward
_scaled_mm _int_mm _grouped_mm _scaled_grouped_mm _weight_int4pack_mm _weight_int8pack_mm
_fft_r2c _fft_c2r _fft_c2c
""".split()

Key = Tuple[str, str]  # operator, module


class Flops:
    """Operators called by other operators are part of these, as for FlopCounterMode, and do not count again."""

    def __init__(self, torch: Any) -> None:
        self._torch = torch
        self._modules = ModuleWatch(torch)
        self._traffic = Traffic(torch, self._modules.current)
        self._local = threading.local()
        self._lock = threading.Lock()
        self._step: Dict[Key, int] = {}  # of the step in progress
        self._last_step: Dict[Key, int] = {}  # of the last one that was completed
        self._uncounted: Dict[str, int] = {}  # operator: times

    def install(self) -> None:
        """If this fails, nothing is counted, and the report says so."""
        if "with_keyset" not in inspect.signature(self._torch.library.Library.impl).parameters:
            guest.note("flops.unavailable", "it needs PyTorch 2.5 or later")
            return
        try:
            self._modules.install()
            interception = Interception(self._torch)
            formulas = dict(self._formulas())
            for packet, formula in formulas.items():
                self._put(interception, packet, self._counting(packet.__name__, formula))
            for packet in self._packets_without(formulas):
                self._put(interception, packet, self._naming(packet.__name__))
            counted = {packet.__name__ for packet in formulas} | set(WITHOUT_FORMULA)
            quietly(self._traffic.install)(interception, counted)
        except Exception:
            guest.note("flops.unavailable", "the hooks failed")
            raise

    def step_completed(self) -> None:
        with self._lock:
            self._last_step, self._step = self._step, {}
        self._traffic.step_completed()
        self._modules.step_completed()
        guest.value(STEP, -1, min(sum(self._last_step.values()), LARGEST))

    def report(self) -> None:
        """The last completed step by operator and module, in the order in which they appeared."""
        for (operator, module), count in self._last_step.items():
            guest.value(f"{BREAKDOWN}/{operator}/{module}", -1, min(count, LARGEST))
        for operator, times in self._uncounted.items():
            guest.value(f"{UNCOUNTED}/{operator}", -1, times)
        self._traffic.report()

    def _formulas(self) -> Iterator[Tuple[Any, Callable[..., int]]]:
        registry = importlib.import_module("torch.utils.flop_counter").flop_registry
        for packet, formula in registry.items():
            if isinstance(packet, self._torch._ops.OpOverloadPacket):
                yield packet, formula

    def _packets_without(self, formulas: "Dict[Any, Any]") -> Iterator[Any]:
        for name in WITHOUT_FORMULA:
            packet = getattr(self._torch.ops.aten, name, None)
            if packet is not None and packet not in formulas:
                yield packet

    def _put(self, interception: Interception, packet: Any, handler: Handler) -> None:
        namespace, _, name = packet._qualified_op_name.partition("::")
        handler = self._traffic.around(name, handler)
        for overload in packet.overloads():
            full = name if overload == "default" else f"{name}.{overload}"
            interception.put(full, handler, always=True, namespace=namespace, engine=True)

    def _counting(self, operator: str, formula: Callable[..., int]) -> Handler:
        @quietly
        def count(args: Tuple[Any, ...], kwargs: Any, outputs: Any) -> None:
            key = (operator, self._modules.current())
            number = int(formula(*args, **kwargs, out_val=outputs))
            with self._lock:
                self._step[key] = self._step.get(key, 0) + number

        return self._outermost(count)

    def _naming(self, operator: str) -> Handler:
        @quietly
        def count(args: Tuple[Any, ...], kwargs: Any, outputs: Any) -> None:
            with self._lock:
                self._uncounted[operator] = self._uncounted.get(operator, 0) + 1

        return self._outermost(count)

    def _outermost(self, count: Callable[[Tuple[Any, ...], Any, Any], None]) -> Handler:
        local = self._local

        def handle(below: Below, args: Tuple[Any, ...], kwargs: Any) -> Any:
            if getattr(local, "inside", False):
                return below(*args, **kwargs)
            local.inside = True
            try:
                outputs = below(*args, **kwargs)
            finally:
                local.inside = False
            if self._is_on_device(args):
                count(args, kwargs, outputs)
            return outputs

        return handle

    def _is_on_device(self, args: Tuple[Any, ...]) -> bool:
        """Tensors without data, which torch.compile uses to run through a program, are on none of our devices."""
        for each in args:
            if isinstance(each, self._torch.Tensor):
                return bool(each.is_cuda)
        return False
