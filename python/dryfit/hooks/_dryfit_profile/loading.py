# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Tensors that are created without a PyTorch function that a mode sees: from a file, and as a deep copy."""

from __future__ import annotations

import functools
from typing import Any, Callable

from _dryfit_hooks.patching import Patch

from .residency import Residency

BEFORE_PYTORCHS_OWN = 0


def install(torch: Any, residency: Residency) -> None:
    def restored(storage: Any, location: Any) -> Any:
        """Called by torch.load to place each storage of a file."""
        if not str(location).startswith("cuda"):
            return None
        residency.add_storage(storage if isinstance(storage, torch.UntypedStorage) else storage.untyped())
        return storage

    torch.serialization.register_package(BEFORE_PYTORCHS_OWN, lambda storage: None, restored)
    Patch(torch.Tensor, "__deepcopy__", lambda original: _copied(original, residency))


def _copied(original: Callable[..., Any], residency: Residency) -> Callable[..., Any]:
    @functools.wraps(original)
    def deepcopy(tensor: Any, memo: Any) -> Any:
        copy = original(tensor, memo)
        if residency.includes(tensor):
            residency.add(copy)
        return copy

    return deepcopy
