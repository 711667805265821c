# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Casts of skipped parameters on the host (`model.half()`, `model.to(torch.bfloat16)`): a cast of zeros is zeros, so it
needs no computation and no memory. The system's page tables show whether a parameter is still as skipping left it.
"""

from __future__ import annotations

import functools
from typing import Any, Callable, List

from . import pages
from .parameters import LargeParameters, size_of
from .patching import Patch, quietly


class Casts:
    def __init__(self, torch: Any, parameters: LargeParameters) -> None:
        self._torch = torch
        self._parameters = parameters

    def install(self) -> List[Patch]:
        return [Patch(self._torch.nn.Module, "_apply", self._applying)]

    def _applying(self, original: Callable[..., Any]) -> Callable[..., Any]:
        """Module._apply(fn) replaces every parameter by fn(parameter), through all submodules."""

        @functools.wraps(original)
        def apply(module: Any, fn: Any, *args: Any, **kwargs: Any) -> Any:
            if getattr(fn, "__module__", None) == self._torch.nn.Module.__module__:
                fn = functools.partial(self._apply_one, fn)
            return original(module, fn, *args, **kwargs)

        return apply

    def _apply_one(self, fn: Callable[[Any], Any], tensor: Any) -> Any:
        cast = self._empty_cast(fn, tensor)
        return fn(tensor) if cast is None else cast

    @quietly
    def _empty_cast(self, fn: Callable[[Any], Any], source: Any) -> Any:
        """fn(source) if it is a cast on the host of a parameter that was never written; None otherwise."""
        if not self._parameters.is_large(source) or not self._parameters.includes(source) or source.dim() > 3:
            return None
        if not pages.are_untouched(source.data_ptr(), size_of(source)):
            return None
        sample = fn(source.detach().view(-1)[:0])
        if sample.device != source.device or sample.dtype == source.dtype:
            return None
        cast = self._torch.empty(source.shape, dtype=sample.dtype)
        if not pages.discard(cast.data_ptr(), size_of(cast)):
            return None
        self._parameters.remember(source, cast)
        return cast
