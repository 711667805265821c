# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Marks a run whose compiled graphs must not reach later ones: lowering a graph allocated memory of the GPU, which a
later run would not do, or the graph is for sizes that are symbols. (Note [Kept compilations], src/launch/compile_cache.h)
"""

from __future__ import annotations

import functools
import os
from typing import Any, Callable, Tuple

from .imports import once_imported
from .patching import Patch, quietly

MARK = "graphs-not-kept"


class LoweredGraphs:
    def __init__(self, torch: Any, run_directory: str) -> None:
        self._torch = torch
        self._mark = os.path.join(run_directory, MARK)

    def install(self) -> None:
        once_imported("torch._inductor.compile_fx", self._watch)

    def _watch(self, module: Any) -> None:
        if callable(getattr(module, "fx_codegen_and_compile", None)):
            quietly(Patch)(module, "fx_codegen_and_compile", self._watching)
        else:
            self._forbid()

    def _watching(self, original: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(original)
        def lower(*args: Any, **kwargs: Any) -> Any:
            before = self._allocations()
            try:
                return original(*args, **kwargs)
            finally:
                if self._allocations() != before or self._is_symbolic(args) or self._tunes_elsewhere():
                    self._forbid()

        return lower

    def _allocations(self) -> Tuple[int, ...]:
        return quietly(self._count)() or ()

    def _count(self) -> Tuple[int, ...]:
        if not self._torch.cuda.is_initialized():
            return ()
        devices = range(self._torch.cuda.device_count())
        return tuple(self._torch._C._cuda_memoryStats(each)["allocation"]["all"]["allocated"] for each in devices)

    def _is_symbolic(self, args: Tuple[Any, ...]) -> bool:
        """Of its arguments, the second are examples of the graph's inputs."""
        return len(args) < 2 or any(self._has_symbol(each) for each in args[1])

    def _has_symbol(self, value: Any) -> bool:
        if isinstance(value, self._torch.Tensor):
            is_strided = value.layout is self._torch.strided
            return not is_strided or any(type(size) is not int for size in (*value.shape, *value.stride()))
        return isinstance(value, (self._torch.SymInt, self._torch.SymFloat, self._torch.SymBool))

    def _tunes_elsewhere(self) -> bool:
        config = self._torch._inductor.config
        return bool(getattr(config, "autotune_in_subproc", False))

    @quietly
    def _forbid(self) -> None:
        with open(self._mark, "w"):
            pass
