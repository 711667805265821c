# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Counts training steps through PyTorch's public optimizer hooks, and calls back after the requested number.

A program may have several optimizers (the two sides of a GAN). The number of completed steps is that of the optimizer
with the most steps. When it reaches the limit, the others may still catch up, so that their memory is seen too; an
optimizer that never steps delays the end by PATIENCE further steps only.

PyTorch does not call the hooks of an optimizer with a compiled step(). We infer its steps from zero_grad(): gradients
that a backward pass has made are dropped after use. The first call does not count, as it may only prepare. Other
optimizers are recognised by what they write (parameter_writes.py). A step inside a CUDA graph counts at every replay.

Note [Automatic steps]
Unless the user gave a number, the run goes on while PyTorch's reserved peak grew in the last step, up to `most` steps.
"""

from __future__ import annotations

import importlib
import sys
import weakref
from typing import Any, Callable, List, Optional

from . import guest
from .parameter_writes import ParameterWrites
from .patching import Patch, around, compiling_test, quietly
from .phases import Phases

PATIENCE = 16


class StepCounter:
    def __init__(
        self,
        torch: Any,
        limit: Optional[int],
        most: Optional[int],
        peak: Callable[[], int],
        phases: Phases,
        on_step: List[Callable[[], None]],
        on_completed: List[Callable[[], None]],
        on_limit: Callable[[], None],
    ) -> None:
        """`on_step` are called after each step of any optimizer, `on_completed` (before these) when the number of
        completed steps has grown. `most` and `peak`: see Note [Automatic steps]."""
        self._torch = torch
        self._limit = limit
        self._most = most
        self._peak = peak
        self._peaks = [0, 0]  # before the last completed step, and after it
        self.writes = ParameterWrites(self._other_step)
        self._others = _Others()
        self._graph: Optional[Any] = None  # being captured
        self._in_graph: "weakref.WeakKeyDictionary[Any, List[Any]]" = weakref.WeakKeyDictionary()
        self._phases = phases
        self._on_step = on_step
        self._on_completed = on_completed
        self._on_limit = on_limit
        self._completed = 0
        self._taken: "weakref.WeakKeyDictionary[Any, int]" = weakref.WeakKeyDictionary()
        self._known: "weakref.WeakSet[Any]" = weakref.WeakSet()
        self._dropped: "weakref.WeakKeyDictionary[Any, int]" = weakref.WeakKeyDictionary()
        self._inner: "weakref.WeakSet[Any]" = weakref.WeakSet()

    def install(self) -> None:
        module = importlib.import_module("torch.optim.optimizer")
        is_compiling = compiling_test(self._torch)

        def step_pre_hook(optimizer: Any, args: Any, kwargs: Any) -> None:
            if not is_compiling():
                self._begins(optimizer, sys._getframe(1))

        def step_post_hook(optimizer: Any, args: Any, kwargs: Any) -> None:
            if not is_compiling():
                self._ends(optimizer, sys._getframe(1))

        module.register_optimizer_step_pre_hook(step_pre_hook)
        module.register_optimizer_step_post_hook(step_post_hook)
        graph = self._torch.cuda.CUDAGraph
        Patch(graph, "capture_begin", lambda original: around(original, self._capture_begins))
        Patch(graph, "capture_end", lambda original: around(original, self._capture_ends))
        Patch(graph, "replay", lambda original: around(original, lambda graph: graph, self._replayed))
        self._phases.watch(self.writes)
        Patch(module.Optimizer, "zero_grad", lambda original: around(original, self._gradients_dropped))
        Patch(
            module.Optimizer,
            "__init__",
            lambda original: around(original, lambda made, *_, **__: made, self._constructed),
        )

    @quietly
    def _constructed(self, optimizer: Any, failed: bool) -> None:
        if not failed:
            self._known.add(optimizer)

    @quietly
    def _begins(self, optimizer: Any, caller: Any) -> None:
        if _is_nested(caller):
            self._inner.add(optimizer)
        elif self._counts(optimizer):
            self.writes.cease()
            self._phases.optimizer_begins()

    @quietly
    def _ends(self, optimizer: Any, caller: Any) -> None:
        if _is_nested(caller) or not self._counts(optimizer):
            return
        self._dropped.pop(optimizer, None)
        self._known.add(optimizer)
        if self._graph is not None:
            self._in_graph.setdefault(self._graph, []).append(optimizer)
        self._count(optimizer, self._taken.get(optimizer, 0) + 1)
        self._phases.optimizer_ends()

    def finish(self) -> None:
        """The program ends by itself: nothing more is asked of it."""
        self._limit = None
        self.writes.complete()

    @quietly
    def _other_step(self) -> None:
        self._count(self._others, self._taken.get(self._others, 0) + 1)

    def _capture_begins(self, graph: Any, *_: Any, **__: Any) -> None:
        self._graph = graph

    def _capture_ends(self, *_: Any, **__: Any) -> None:
        self._graph = None

    @quietly
    def _replayed(self, graph: Any, failed: bool) -> None:
        for optimizer in self._in_graph.get(graph, ()):
            self._count(optimizer, self._taken.get(optimizer, 0) + 1)

    @quietly
    def _gradients_dropped(self, optimizer: Any, *_: Any, **__: Any) -> None:
        passes = self._phases.backward_passes
        if not self._phases.compiles or optimizer in self._taken and optimizer not in self._dropped:
            return
        if passes > self._dropped.get(optimizer, 0) and self._counts(optimizer):
            if optimizer in self._dropped:
                self._count(optimizer, self._taken.get(optimizer, 0) + 1)
            self._dropped[optimizer] = passes

    def _count(self, optimizer: Any, taken: int) -> None:
        self._taken[optimizer] = taken
        grown = False
        if taken > self._completed:
            self._completed = taken
            guest.step(self._completed)
            for listener in self._on_completed:
                quietly(listener)()
            grown = True
        for listener in self._on_step:
            quietly(listener)()
        if grown:
            self._peaks = [self._peaks[1], self._peak()]
        if self._is_enough():
            self._on_limit()

    def _counts(self, optimizer: Any) -> bool:
        """True for an optimizer with parameters on a device. Parameters may live on the host (offloading) while the
        device does the work: then the optimizer counts as well, if no other one is on a device."""
        if _is_on_device(optimizer):
            return True
        return self._torch.cuda.is_initialized() and not any(map(_is_on_device, self._known))

    def _is_enough(self) -> bool:
        limit = self._limit
        if limit is None or self._completed < limit:
            return False
        if self._most is not None and self._completed < self._most and self._peaks[1] > self._peaks[0]:
            guest.note("steps.extended", str(limit))
            return False
        if self._completed >= limit + PATIENCE:
            return True
        return all(self._taken.get(each, 0) >= limit for each in self._known if self._is_awaited(each))

    def _is_awaited(self, optimizer: Any) -> bool:
        return optimizer not in self._inner and _is_on_device(optimizer)


class _Others:
    """Stands for all optimizers that are not PyTorch's."""


def _is_on_device(optimizer: Any) -> bool:
    return any(parameter.is_cuda for group in optimizer.param_groups for parameter in group["params"])


def _is_nested(caller: Any) -> bool:
    """Whether another step calls this one: `caller` is the frame of PyTorch's wrapper around every step()."""
    frame = caller.f_back
    while frame is not None:
        if frame.f_code is caller.f_code:
            return True
        frame = frame.f_back
    return False
