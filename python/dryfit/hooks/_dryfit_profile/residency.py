# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""The tensors that the program believes to be on the GPU. All are in host memory; the storages of these are marked.

A mark is a weak reference to the storage: it keeps the storage's object, not its memory, so that no other storage can
have its identity while the mark exists.
"""

from __future__ import annotations

from typing import Any, Dict, Iterable, Iterator


class Residency:
    def __init__(self, torch: Any) -> None:
        from torch.multiprocessing.reductions import StorageWeakRef

        self._tensor = torch.Tensor
        self._reference = StorageWeakRef
        self._marks: Dict[int, Any] = {}

    def includes(self, tensor: Any) -> bool:
        try:
            return tensor.untyped_storage()._cdata in self._marks
        except (RuntimeError, NotImplementedError):
            return False  # without a storage: sparse, functional, batched by vmap

    def add(self, tensor: Any) -> None:
        try:
            storage = tensor.untyped_storage()
            if storage._cdata not in self._marks:
                self._marks[storage._cdata] = self._reference(storage)
        except (RuntimeError, NotImplementedError):
            pass

    def add_storage(self, storage: Any) -> None:
        self._marks[storage._cdata] = self._reference(storage)

    def forget_the_dead(self) -> None:
        for key in [key for key, mark in self._marks.items() if mark.expired()]:
            del self._marks[key]

    def tensors_in(self, value: Any) -> Iterator[Any]:
        """The tensors among arguments or results, through lists, tuples and dictionaries."""
        if isinstance(value, self._tensor):
            yield value
        elif isinstance(value, (list, tuple)):
            for each in value:
                yield from self.tensors_in(each)
        elif isinstance(value, dict):
            for each in value.values():
                yield from self.tensors_in(each)

    def any_in(self, values: Iterable[Any]) -> bool:
        return any(self.includes(tensor) for value in values for tensor in self.tensors_in(value))

    def add_all_in(self, value: Any) -> None:
        for tensor in self.tensors_in(value):
            self.add(tensor)
