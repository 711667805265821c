# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""The contents of one storage on a device, as far as they are known: one class for each form in which they are kept.

All have the same methods: `size` is that of the storage in bytes; `footprint()` the memory they take here; `of(tensor)`
the values of a view of the storage, or None if they are unknown; `write(tensor, values)` sets them, and `forget(tensor)`
makes them unknown. The last two return whether anything of use is left.
"""

from __future__ import annotations

from typing import Any, Dict, Optional, Tuple


class Bytes:
    """Byte by byte. Without a mask all are known."""

    def __init__(self, torch: Any, size: int, known: bool) -> None:
        self._torch = torch
        self.size = size
        self._bytes = torch.UntypedStorage(size, device="cpu")
        self._mask = None if known else self._new_mask(0)

    def footprint(self) -> int:
        return self.size if self._mask is None else 2 * self.size

    def of(self, tensor: Any) -> Optional[Any]:
        """Shares memory with the contents."""
        if self._mask is not None and not self._mask_of(tensor).all():
            return None
        return self._view(tensor)

    def write(self, tensor: Any, values: Any) -> bool:
        self._view(tensor).copy_(values)
        if self._mask is not None:
            self._mask_of(tensor).fill_(1)
            if self._mask.all():
                self._mask = None
        return True

    def forget(self, tensor: Any) -> bool:
        if tensor.numel() * tensor.element_size() >= self.size:
            return False
        if self._mask is None:
            self._mask = self._new_mask(1)
        self._mask_of(tensor).fill_(0)
        return True

    def _new_mask(self, known: int) -> Any:
        return self._torch.full((self.size,), known, dtype=self._torch.uint8, device="cpu")

    def _view(self, tensor: Any) -> Any:
        values = self._torch.empty(0, dtype=tensor.dtype, device="cpu")
        return values.set_(self._bytes, tensor.storage_offset(), tensor.size(), tensor.stride())

    def _mask_of(self, tensor: Any) -> Any:
        width = tensor.element_size()
        strides = [stride * width for stride in tensor.stride()]
        return self._mask.as_strided((*tensor.size(), width), (*strides, 1), tensor.storage_offset() * width)


class Choices:
    """Rows of zeros, each with a one at its place, of a storage that is too large to be kept.

    A router's choices have this form (one_hot: tokens x chosen x experts), and programs look at one expert at a time.
    Without places the rows are only zeros. Values are copies.
    """

    def __init__(self, torch: Any, size: int, largest: int, places: Any = None, row: int = 0) -> None:
        """`places`: one per row, on the host; `row`: elements in a row; `largest`: of a view that is computed."""
        self._torch = torch
        self.size = size
        self._largest = largest
        self.places = places
        self._row = row

    def footprint(self) -> int:
        return 0

    def of(self, tensor: Any) -> Optional[Any]:
        torch = self._torch
        if tensor.numel() * tensor.element_size() > self._largest:
            return None
        if self.places is None:
            return torch.zeros(tensor.size(), dtype=tensor.dtype, device="cpu")
        where = torch.tensor(tensor.storage_offset(), device="cpu")
        for length, stride in zip(tensor.size(), tensor.stride()):
            where = where.unsqueeze(-1) + torch.arange(length, device="cpu") * stride
        return (self.places[where // self._row] == where % self._row).to(tensor.dtype)

    def write(self, tensor: Any, values: Any) -> bool:
        return False

    def forget(self, tensor: Any) -> bool:
        return False


class Readings:
    """Small views of a storage that is too large to be kept, each by itself. Values are copies."""

    LARGEST = 1 << 16  # elements in all

    def __init__(self, size: int) -> None:
        self.size = size
        self._elements = 0
        self._read: Dict[Tuple[Any, ...], Any] = {}

    def footprint(self) -> int:
        return 0

    def of(self, tensor: Any) -> Optional[Any]:
        values = self._read.get(self._key(tensor))
        return None if values is None else values.clone()

    def write(self, tensor: Any, values: Any) -> bool:
        return False

    def forget(self, tensor: Any) -> bool:
        return False

    def read(self, tensor: Any, values: Any) -> None:
        """The program has read these values: it finds them again until it writes."""
        self._elements += tensor.numel()
        if self._elements <= self.LARGEST:
            self._read[self._key(tensor)] = values.clone()

    def _key(self, tensor: Any) -> Tuple[Any, ...]:
        return (tensor.dtype, tensor.storage_offset(), tensor.size(), tensor.stride())
