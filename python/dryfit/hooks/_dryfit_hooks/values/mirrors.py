# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""The tensors on a device that have known values, and these values."""

from __future__ import annotations

import contextlib
import threading
from dataclasses import dataclass
from typing import Any, Dict, Iterator, Optional

from .assumptions import Origin

LARGEST_INTEGERS = 16 << 20
LARGEST_FLOATS = 256 << 10
LARGEST_TOTAL = 256 << 20
_FIRST_SWEEP = 256


@dataclass
class _Mirror:
    """The contents of one storage on a device, byte by byte on the host.

    Writes that we did not intercept show in the version that PyTorch increments with every write in place. A write
    that is followed is counted later, or not at all, if it happens inside another operator: `uncertain` allows for
    that until the next look.
    """

    bytes: Any  # an untyped storage on the host, or Choices
    weak: int  # a weak reference to the storage on the device
    version: int
    uncertain: bool
    origin: Optional[Origin]  # the values depend on this assumption


@dataclass
class Choices:
    """The contents of a storage that is too large to be kept: rows of zeros, each with a one at its place.

    A router's choices have this form (one_hot: tokens x chosen x experts), and programs look at one expert at a time.
    Without places the rows are only zeros.
    """

    size: int  # of the storage, in bytes
    places: Any = None  # one per row, on the host
    row: int = 0  # elements in a row

    def nbytes(self) -> int:
        return self.size

    def view(self, torch: Any, tensor: Any) -> Any:
        """The values of `tensor`, a view of the storage."""
        if self.places is None:
            return torch.zeros(tensor.size(), dtype=tensor.dtype, device="cpu")
        where = torch.tensor(tensor.storage_offset(), device="cpu")
        for length, stride in zip(tensor.size(), tensor.stride()):
            where = where.unsqueeze(-1) + torch.arange(length, device="cpu") * stride
        return (self.places[where // self.row] == where % self.row).to(tensor.dtype)


class Mirrors:
    """Views of one storage share its mirror, which dies with the storage: nothing here keeps device memory alive."""

    def __init__(self, torch: Any) -> None:
        self._torch = torch
        self._mirrors: Dict[int, _Mirror] = {}
        self._total = 0
        self._sweep_at = _FIRST_SWEEP
        self._local = threading.local()

    def may_follow(self, tensor: Any) -> bool:
        limit = LARGEST_FLOATS if tensor.is_floating_point() else LARGEST_INTEGERS
        return self._has_plain_storage(tensor) and tensor.numel() * tensor.element_size() <= limit

    def of(self, tensor: Any) -> Optional[Any]:
        """A tensor on the host that shares memory with the mirror and looks like `tensor`; None: unknown.

        For Choices it is a copy, or None for views that are too large."""
        mirror = self._find(tensor)
        if mirror is None:
            return None
        if isinstance(mirror.bytes, Choices):
            return mirror.bytes.view(self._torch, tensor) if self.may_follow(tensor) else None
        return self._view(mirror, tensor)

    def origin_of(self, tensor: Any) -> Optional[Origin]:
        mirror = self._find(tensor)
        return mirror and mirror.origin

    def cleared(self, tensor: Any) -> None:
        """`tensor`, integers too large to be followed, has been filled with zeros."""
        if self._has_plain_storage(tensor) and tensor.is_contiguous() and not tensor.is_floating_point():
            storage = tensor.untyped_storage()
            self._drop(storage._cdata)
            if tensor.numel() * tensor.element_size() == storage.nbytes() and not self._may_change_unseen():
                self._keep(tensor, Choices(storage.nbytes()), origin=None, written=True)

    def chosen(self, tensor: Any, places: Any, origin: Optional[Origin]) -> None:
        """A one has been written to one place of each row of `tensor`."""
        mirror = self._find(tensor)
        if mirror is not None and isinstance(mirror.bytes, Choices):
            blank = mirror.bytes.places is None and not self._may_change_unseen()
            self._drop(tensor.untyped_storage()._cdata)
            if blank:
                choices = Choices(mirror.bytes.size, places.reshape(-1).clone(), tensor.shape[-1])
                self._keep(tensor, choices, origin, written=True)

    def remember(self, tensor: Any, values: Any, origin: Optional[Origin] = None) -> None:
        """`tensor` has been overwritten as a whole and holds `values` now."""
        known = self.of(tensor)
        if known is not None:
            known.copy_(values)
            self.written(tensor, origin)
        elif tensor.numel() * tensor.element_size() == tensor.untyped_storage().nbytes():
            self.made(tensor, values, origin, written=True)

    def made(self, tensor: Any, values: Any, origin: Optional[Origin] = None, written: bool = False) -> None:
        """`tensor` is new, the program has seen nothing else of its storage, and it holds `values`.

        `written`: by an operator that writes in place, so that the version may still increase."""
        storage = tensor.untyped_storage()
        size = storage.nbytes()
        self._drop(storage._cdata)
        if len(self._mirrors) >= self._sweep_at:
            self._sweep()
        if not 0 < size <= LARGEST_INTEGERS or not self.may_follow(tensor) or self._may_change_unseen():
            return
        if self._total + size > LARGEST_TOTAL and not self._make_room(size):
            return
        mirror = self._keep(tensor, self._torch.UntypedStorage(size, device="cpu"), origin, written)
        self._total += size
        self._view(mirror, tensor).copy_(values)

    def _keep(self, tensor: Any, contents: Any, origin: Optional[Origin], written: bool) -> _Mirror:
        storage = tensor.untyped_storage()
        mirror = _Mirror(contents, storage._weak_ref(), _version(tensor), uncertain=written, origin=origin)
        self._mirrors[storage._cdata] = mirror
        return mirror

    def before_write(self, tensor: Any) -> Optional[int]:
        """The version of a tensor that an intercepted operator is about to write to; None: its values are unknown."""
        return None if self._find(tensor) is None else _version(tensor)

    def after_write(self, tensor: Any, before: Optional[int]) -> None:
        """The write has been counted by now, or will be when the operator around it ends."""
        mirror = self._mirrors.get(tensor.untyped_storage()._cdata) if before is not None else None
        if mirror is not None:
            mirror.version, mirror.uncertain = _version(tensor), _version(tensor) == before

    def written(self, tensor: Any, origin: Optional[Origin] = None) -> None:
        """The mirror of `tensor` is up to date after a write in place."""
        mirror = self._mirrors.get(tensor.untyped_storage()._cdata)
        if mirror is not None and (isinstance(mirror.bytes, Choices) or self._may_change_unseen()):
            self.forget(tensor)
        elif mirror is not None:
            mirror.version = _version(tensor)
            mirror.origin = origin or mirror.origin

    def forget(self, tensor: Any) -> None:
        if self._has_plain_storage(tensor):
            self._drop(tensor.untyped_storage()._cdata)

    @contextlib.contextmanager
    def within_strange_operator(self) -> Iterator[None]:
        """Its own kernels write to the tensors that it creates: do not remember what those held before."""
        self._local.strange = True
        try:
            yield
        finally:
            self._local.strange = False

    def _has_plain_storage(self, tensor: Any) -> bool:
        """Not sparse, nested, quantized or complex: its storage holds the elements as they are read."""
        plain = tensor.layout is self._torch.strided and not tensor.is_nested
        return plain and not tensor.is_quantized and not tensor.is_complex()

    def _may_change_unseen(self) -> bool:
        """What is captured into a CUDA graph happens at every replay, which we do not see."""
        return getattr(self._local, "strange", False) or bool(self._torch._C._cuda_isCurrentStreamCapturing())

    def _find(self, tensor: Any) -> Optional[_Mirror]:
        if not self._mirrors or not self._has_plain_storage(tensor):
            return None
        storage = tensor.untyped_storage()
        key = storage._cdata
        mirror = self._mirrors.get(key)
        if mirror is None:
            return None
        if storage.nbytes() != mirror.bytes.nbytes():
            self._drop(key)
            return None
        version = _version(tensor)
        if version > mirror.version:  # a smaller one is counted elsewhere: .data, or a view that PyTorch made for itself
            if not mirror.uncertain or version != mirror.version + 1:
                self._drop(key)
                return None
            mirror.version, mirror.uncertain = version, False
        return mirror

    def _view(self, mirror: _Mirror, tensor: Any) -> Any:
        values = self._torch.empty(0, dtype=tensor.dtype, device="cpu")
        return values.set_(mirror.bytes, tensor.storage_offset(), tensor.size(), tensor.stride())

    def _drop(self, key: int) -> None:
        mirror = self._mirrors.pop(key, None)
        if mirror is not None:
            self._total -= 0 if isinstance(mirror.bytes, Choices) else mirror.bytes.nbytes()
            self._torch.UntypedStorage._free_weak_ref(mirror.weak)

    def _make_room(self, size: int) -> bool:
        """What decides sizes is small: drops the oldest mirrors that are as large as the new one, or larger. A quarter
        at once, so that this is rare."""
        self._sweep()
        for key, mirror in list(self._mirrors.items()):
            if self._total <= LARGEST_TOTAL // 4 * 3 - size:
                break
            if not isinstance(mirror.bytes, Choices) and mirror.bytes.nbytes() >= size:
                self._drop(key)
        return self._total + size <= LARGEST_TOTAL

    def _sweep(self) -> None:
        for key, mirror in list(self._mirrors.items()):
            if self._torch.UntypedStorage._expired(mirror.weak):
                self._drop(key)
        self._sweep_at = max(_FIRST_SWEEP, 2 * len(self._mirrors))


def _version(tensor: Any) -> int:
    return 0 if tensor.is_inference() else tensor._version
