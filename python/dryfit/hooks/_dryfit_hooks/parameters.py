# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Tracks the large parameters of the program's modules while they are on the host."""

from __future__ import annotations

import weakref
from typing import Any, List

from .patching import Patch, around, compiling_test, quietly

THRESHOLD = 1 << 20


class LargeParameters:
    def __init__(self, torch: Any) -> None:
        self._torch = torch
        self._is_compiling = compiling_test(torch)
        self._by_storage: "weakref.WeakValueDictionary[int, Any]" = weakref.WeakValueDictionary()

    def install(self) -> List[Patch]:
        module = self._torch.nn.Module
        return [Patch(module, "register_parameter", lambda original: around(original, self._registered))]

    def is_large(self, tensor: Any) -> bool:
        """A plain, contiguous tensor of at least THRESHOLD bytes in host memory, with no dispatch mode active (fake
        tensors, deferred initialisation)."""
        torch = self._torch
        return (
            type(tensor) in (torch.Tensor, torch.nn.Parameter)
            and tensor.device.type == "cpu"
            and tensor.layout is torch.strided
            and size_of(tensor) >= THRESHOLD
            and tensor.is_contiguous()
            and torch._C._len_torch_dispatch_stack() == 0
            and not self._is_compiling()
        )

    def includes(self, tensor: Any) -> bool:
        """True for a parameter, and for a tensor that shares the storage of one that a module has registered."""
        if isinstance(tensor, self._torch.nn.Parameter):
            return True
        key = storage_key(tensor)
        parameter = self._by_storage.get(key)
        return parameter is not None and storage_key(parameter) == key

    def remember(self, parameter: Any, holder: Any) -> None:
        """`parameter` has, or is about to get, the storage of `holder`."""
        self._by_storage[storage_key(holder)] = parameter

    @quietly
    def _registered(self, module: Any, name: Any, param: Any = None, *_: Any) -> None:
        if param is not None and self.is_large(param):
            self.remember(param, param)


def storage_key(tensor: Any) -> int:
    return tensor.untyped_storage()._cdata


def size_of(tensor: Any) -> int:
    return tensor.numel() * tensor.element_size()
