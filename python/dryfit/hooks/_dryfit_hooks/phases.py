# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""The program's phases: load, forward, backward, optimizer, other.

A phase lasts until the next one begins. Backward passes and optimizer steps have a visible beginning and end; a forward
pass begins when a module on the device is called, and is noticed by a hook that removes itself at once, so that it
never runs for the modules inside. After an optimizer step the next forward pass begins directly; after a backward pass
the hook waits again, and what happens until then (gradient clipping) is "other".

torch.compile would warn about such a hook, and compile twice for it. So a program that calls torch.compile is watched
without it: its first forward pass begins with the first compilation, and each backward pass is followed by a forward
pass.
"""

from __future__ import annotations

import importlib
from typing import Any, Callable, List, Optional, Tuple

from . import guest
from .parameter_writes import ParameterWrites
from .patching import Patch, around, compiling_test, quietly


class Phases:
    def __init__(
        self,
        torch: Any,
        on_first_forward: List[Callable[[bool], None]],
        on_backward_end: Callable[[], None],
        on_entered: List[Callable[[str], None]],
    ) -> None:
        """Each of `on_first_forward` is called once, with true if the pass is noticed only at its end; each of
        `on_entered` with every phase that begins."""
        self._torch = torch
        self._on_backward_end = quietly(on_backward_end)
        self._on_first_forward = on_first_forward
        self._on_entered = on_entered
        self.compiles = False  # the program has called torch.compile
        self.backward_passes = 0  # ended so far
        self._current = ""
        self._hook: Optional[Any] = None
        self._backward_depth = 0
        self._writes: Optional[ParameterWrites] = None
        self.on_forward: List[Callable[[Tuple[Any, ...]], None]] = []  # called with the arguments of a noticed pass

    def watch(self, writes: ParameterWrites) -> None:
        """Tells it where passes begin and end."""
        self._writes = writes

    def install(self) -> None:
        self._enter("load")
        self._await_forward()
        autograd = self._torch.autograd
        backward = Patch(
            autograd, "backward", lambda original: around(original, self._backward_begins, self._backward_ends)
        )
        grad = Patch(autograd, "grad", lambda original: around(original, self._backward_begins, self._grad_ends))
        quietly(_keep_scriptable)(self._torch, backward, "aten::backward")
        quietly(_keep_scriptable)(self._torch, grad, "aten::grad")
        Patch(self._torch, "compile", lambda original: around(original, after=self._compile_called))

    def optimizer_begins(self) -> None:
        self._cease_waiting()
        self._enter("optimizer")

    def optimizer_ends(self) -> None:
        self._enter("forward")

    def _enter(self, name: str) -> None:
        if name != self._current:
            self._current = name
            guest.phase(name)
            for listener in self._on_entered:
                quietly(listener)(name)

    def _await_forward(self) -> None:
        if self._hook is not None or self.compiles:
            return
        is_compiling = compiling_test(self._torch)

        def forward_pre_hook(module: Any, args: Any) -> None:
            if not is_compiling():
                self._forward_begins(module, args)

        self._hook = self._torch.nn.modules.module.register_module_forward_pre_hook(forward_pre_hook)

    def _cease_waiting(self) -> None:
        hook, self._hook = self._hook, None
        if hook is not None:
            hook.remove()

    @quietly
    def _forward_begins(self, module: Any, args: Any) -> None:
        if self._hook is not None and self._is_on_device(module, args):
            if self._writes is not None:
                self._writes.pass_begins(module)
            for listener in self.on_forward:
                listener(args)
            self._cease_waiting()
            self._load_ends(late=False)
            self._enter("forward")

    def _load_ends(self, late: bool) -> None:
        listeners, self._on_first_forward = self._on_first_forward, []
        for listener in listeners:
            quietly(listener)(late)

    @quietly
    def _compile_called(self, token: None, failed: bool) -> None:
        if self.compiles:
            return
        self.compiles = True
        self._cease_waiting()
        callback = importlib.import_module("torch._dynamo.callback")
        callback.callback_handler.register_start_callback(self._compilation_begins)

    @quietly
    def _compilation_begins(self, *_: Any) -> None:
        if self._current == "load" and self._is_device_used():
            self._load_ends(late=False)
            self._enter("forward")

    def _is_device_used(self) -> bool:
        return self._torch.cuda.is_initialized() and self._torch.cuda.memory_reserved() > 0

    def _is_on_device(self, module: Any, args: Any) -> bool:
        first = next(module.parameters(), None)
        if first is not None:
            return first.is_cuda
        return any(isinstance(arg, self._torch.Tensor) and arg.is_cuda for arg in args)

    @quietly
    def _backward_begins(self, *_: Any, **__: Any) -> Tuple[str, bool]:
        """Returns the phase that the pass interrupts, and whether a forward pass was awaited."""
        interrupted = (self._current, self._hook is not None)
        self._backward_depth += 1
        if self._backward_depth == 1:
            if self._writes is not None:
                self._writes.pass_begins()
            self._cease_waiting()
            if self._on_first_forward and self._is_device_used():
                self._load_ends(late=True)
            self._enter("backward")
        return interrupted

    @quietly
    def _backward_ends(self, interrupted: Tuple[str, bool], failed: bool) -> None:
        self._backward_depth -= 1
        if self._backward_depth > 0:
            return
        self._on_backward_end()
        if self._writes is not None:
            self._writes.backward_ended()
        self.backward_passes += 1
        if interrupted[0] == "optimizer":
            self._enter("optimizer")
        else:
            self._enter("forward" if self.compiles else "other")
            self._await_forward()

    @quietly
    def _grad_ends(self, interrupted: Tuple[str, bool], failed: bool) -> None:
        self._backward_depth -= 1
        if self._backward_depth > 0:
            return
        self._on_backward_end()
        if self._writes is not None:
            self._writes.backward_ended()
        self._enter(interrupted[0])
        if interrupted[1]:
            self._await_forward()


def _keep_scriptable(torch: Any, patch: Patch, operator: str) -> None:
    """torch.jit.script recognises these functions by identity, so it must know the wrapper as well."""
    builtins = torch.jit._builtins
    if builtins._builtin_table is None:
        builtins._builtin_ops.append((patch.wrapper, operator))
    else:
        builtins._register_builtin(patch.wrapper, operator)
