# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Folders in TMPDIR that a process which leaves early would leave behind.

A worker of a DataLoader makes one for itself ("pymp-..."), unless its parent has one already: children inherit its name,
and only the parent removes it. So the parent gets one before its first worker starts.
"""

from __future__ import annotations

import importlib
import sys
from typing import Any

from .imports import once_imported
from .patching import Patch, around, quietly


class SharedFolder:
    """The one that a process shares with its workers."""

    def install(self) -> None:
        once_imported("torch.utils.data.dataloader", self._watch)

    @quietly
    def _watch(self, module: Any) -> None:
        iterator = module._MultiProcessingDataLoaderIter
        Patch(iterator, "__init__", lambda original: around(original, self._workers_begin))

    @quietly
    def _workers_begin(self, *_: Any, **__: Any) -> None:
        importlib.import_module("multiprocessing.util").get_temp_dir()


@quietly
def remove() -> None:
    """This process is about to leave without its exit handlers."""
    try:
        _remove_folder_of_multiprocessing()
        _remove_folder_of_distributed()
    except OSError:
        pass  # a worker has just put something there


def _remove_folder_of_multiprocessing() -> None:
    util = sys.modules.get("multiprocessing.util")
    if util is None:
        return
    for finalizer in list(util._finalizer_registry.values()):
        if getattr(finalizer, "_callback", None) is util._remove_temp_dir:
            finalizer()


def _remove_folder_of_distributed() -> None:
    """torch.distributed.nn, which accelerate imports, creates a folder on import and removes it in an exit handler."""
    folder = getattr(sys.modules.get("torch.distributed.nn.jit.instantiator"), "_TEMP_DIR", None)
    if folder is not None:
        folder.cleanup()
