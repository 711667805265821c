# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""The running module: marks where the program calls a module and where that returns.

torch.compile would compile these marks into the program; once it is used, modules are no longer distinguished.
"""

from __future__ import annotations

import functools
import threading
from typing import Any, Callable, Dict, List, Optional, Tuple

from ..module_paths import ModulePaths
from ..patching import Patch, around, compiling_test, is_faking, quietly
from .marks import Marks

# Flags of a mark: a module was entered, with gradients wanted, under autocast; memory ran out in it.
ENTERED, WITH_GRAD, WITH_AUTOCAST, OUT_OF_MEMORY = 1, 2, 4, 8


class CallWatch:
    def __init__(self, torch: Any, marks: Marks, paths: ModulePaths, on_root: Callable[[Any], None]) -> None:
        """on_root(module) is called for a module that the program calls outside any other module."""
        self._torch = torch
        self._marks = marks
        self._paths = paths
        self._on_root = quietly(on_root)
        self._local = _Local()
        self._casting: Dict[int, Optional[bool]] = {}  # by module's name: see _cast_of

    def install(self) -> None:
        self._patch = Patch(self._torch.nn.Module, "_call_impl", self._observing)
        Patch(self._torch, "compile", lambda original: around(original, self._compile_called))

    def _observing(self, original: Callable[..., Any]) -> Callable[..., Any]:
        is_compiling = compiling_test(self._torch)
        enter, leave = quietly(self._enter), quietly(self._leave)

        @functools.wraps(original)
        def call(module: Any, *args: Any, **kwargs: Any) -> Any:
            if is_compiling() or is_faking():
                return original(module, *args, **kwargs)
            enter(module, args)
            try:
                result = original(module, *args, **kwargs)
            except BaseException as error:
                error.__traceback__ = error.__traceback__ and error.__traceback__.tb_next
                leave(None)
                raise
            leave(result)
            return result

        return call

    def _compile_called(self, *_: Any, **__: Any) -> None:
        self._patch.restore()

    def _enter(self, module: Any, args: Tuple[Any, ...]) -> None:
        stack = self._local.stack
        path = self._paths.known(module) or self._paths.of(module, stack[-1][0] if stack else "")
        name = self._marks.name(path)
        if not stack:
            self._on_root(module)
        stack.append((path, name))
        flags, cast = ENTERED, 0
        if self._torch.is_grad_enabled():
            flags |= WITH_GRAD
        if self._torch.is_autocast_enabled():
            flags |= WITH_AUTOCAST
            cast = self._cast_of(module, name, args)
        self._marks.calls.add(name, flags, cast)

    def _leave(self, result: Any) -> None:
        stack = self._local.stack
        if stack:
            stack.pop()
        self._marks.calls.add(stack[-1][1] if stack else 0, 0, 0)
        if isinstance(result, tuple) and result:
            result = result[0]
        if type(result) is self._torch.Tensor and result.is_cuda:
            self._marks.outputs.add(result.get_device(), result.data_ptr(), self.type_of(result))

    def out_of_memory(self) -> None:
        stack = self._local.stack
        self._marks.calls.add(stack[-1][1] if stack else 0, OUT_OF_MEMORY, 0)

    def type_of(self, tensor: Any) -> int:
        """ "float32 [768, 2304]", as a name."""
        return self._marks.name(f"{str(tensor.dtype)[6:]} {list(tensor.shape)}")

    def _cast_of(self, module: Any, name: int, args: Tuple[Any, ...]) -> int:
        """How many bytes a copy of the first argument takes if autocast makes one for this module: to the lower
        precision where its weight is a matrix, to float32 where it is a vector, as that of a norm."""
        if name not in self._casting:
            self._casting[name] = self._learn_casting(module, name)
        lowers = self._casting[name]
        tensor = args[0] if args else None
        if lowers is None or type(tensor) is not self._torch.Tensor or not tensor.is_floating_point():
            return 0
        if lowers:
            return tensor.numel() * 2 if tensor.element_size() == 4 else 0
        return tensor.numel() * 4 if tensor.element_size() == 2 else 0

    def _learn_casting(self, module: Any, name: int) -> Optional[bool]:
        """None: a module without parameters of its own."""
        own = [each for each in module.parameters(recurse=False) if each.is_floating_point()]
        below = [each for child in module.children() for each in child.parameters(recurse=False)]
        sizes = [each.numel() * 2 for each in (*own, *below) if each.element_size() == 4]
        if not own or not sizes:
            return None
        lowers = any(each.dim() > 1 for each in own)
        if lowers:
            self._marks.casts[name] = sizes
        return lowers


class _Local(threading.local):
    def __init__(self) -> None:
        self.stack: List[Tuple[str, int]] = []
