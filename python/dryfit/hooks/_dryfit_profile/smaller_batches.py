# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Smaller batches: a DataLoader gets a smaller batch_size than the program requests."""

from __future__ import annotations

import functools
from typing import Any, Callable, Optional

from _dryfit_hooks import imports
from _dryfit_hooks.patching import Patch

from .hook_log import HookLog


class SmallerBatches:
    """The batch_size of a DataLoader is its third argument, and 1 by default. A loader that samples batches by itself
    (batch_sampler) or makes none (batch_size=None) is left as it is."""

    def __init__(self, batch: int, log: HookLog) -> None:
        self.batch = batch
        self._log = log
        self.full: Optional[int] = None  # what the program requested, the largest of its loaders

    def install(self) -> None:
        imports.once_imported("torch.utils.data.dataloader", self._patch)

    def _patch(self, module: Any) -> None:
        Patch(module.DataLoader, "__init__", self._shrinking)

    def _shrinking(self, original: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(original)
        def construct(loader: Any, dataset: Any, *args: Any, **kwargs: Any) -> Any:
            requested = args[0] if args else kwargs.get("batch_size", 1)
            samples_itself = kwargs.get("batch_sampler") is not None or len(args) > 3 and args[3] is not None
            if not isinstance(requested, int) or requested <= self.batch or samples_itself:
                return original(loader, dataset, *args, **kwargs)
            self._note(requested)
            if args:
                return original(loader, dataset, self.batch, *args[1:], **kwargs)
            return original(loader, dataset, **{**kwargs, "batch_size": self.batch})

        return construct

    def _note(self, requested: int) -> None:
        self.full = max(requested, self.full or 0)
        self._log.write("batch", **{"from": self.full, "to": self.batch})
