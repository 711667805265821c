# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Notes if the program lets timing choose its kernels: cudnn.benchmark, Triton's autotuner, torch.compile's. Time is
virtual here, so a real device may choose other kernels, with other workspaces.
"""

from __future__ import annotations

import functools
from typing import Any, Callable, Set

from . import guest
from .imports import once_imported
from .patching import Patch, quietly


class TuningWatch:
    def __init__(self, torch: Any) -> None:
        self._torch = torch
        self._noted: Set[str] = set()

    def install(self) -> None:
        once_imported("triton.runtime.autotuner", self._watch_triton)
        once_imported("torch._inductor.runtime.benchmarking", self._watch_inductor)

    def look(self) -> None:
        """Call it after each step: the flag can be set at any time."""
        if self._torch.backends.cudnn.benchmark:
            self._note("tuning.cudnn_benchmark")

    @quietly
    def _watch_triton(self, module: Any) -> None:
        Patch(module.Autotuner, "_bench", self._noting("tuning.triton_autotune"))

    @quietly
    def _watch_inductor(self, module: Any) -> None:
        for owner in [value for value in vars(module).values() if isinstance(value, type)]:
            if callable(vars(owner).get("benchmark_gpu")):
                Patch(owner, "benchmark_gpu", self._noting("tuning.inductor_autotune"))

    def _noting(self, key: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        def wrap(original: Callable[..., Any]) -> Callable[..., Any]:
            @functools.wraps(original)
            def timed(*args: Any, **kwargs: Any) -> Any:
                self._note(key)
                return original(*args, **kwargs)

            return timed

        return wrap

    @quietly
    def _note(self, key: str) -> None:
        if key not in self._noted:
            self._noted.add(key)
            guest.note(key, "1")
