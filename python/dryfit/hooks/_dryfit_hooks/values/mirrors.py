# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Which tensors on a device have known values, and what they are."""

from __future__ import annotations

import contextlib
import threading
from dataclasses import dataclass
from typing import Any, Dict, Iterator, Optional

from .assumptions import Origin

LARGEST_INTEGERS = 512 << 20  # a router's choices, one-hot: tokens x chosen x experts
LARGEST_FLOATS = 256 << 10
LARGEST_TOTAL = 1 << 30
_FIRST_SWEEP = 256


@dataclass
class _Mirror:
    """The contents of one storage on a device, byte by byte on the host.

    Writes that nobody told us of are seen in the version that PyTorch counts up with every write in place. A write
    that is followed is counted after it, or not at all when it happens inside another operator: `uncertain` allows
    for that until the next look tells.
    """

    bytes: Any  # an untyped storage on the host
    weak: int  # a weak reference to the storage on the device
    version: int
    uncertain: bool
    origin: Optional[Origin]  # the values rest on this assumption


class Mirrors:
    """Views of one storage share its mirror. Gone with the storage: nothing here keeps device memory alive."""

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
        """A tensor on the host that shares memory with the mirror and looks like `tensor`; None: not known."""
        mirror = self._find(tensor)
        return None if mirror is None else self._view(mirror, tensor)

    def origin_of(self, tensor: Any) -> Optional[Origin]:
        mirror = self._find(tensor)
        return mirror and mirror.origin

    def remember(self, tensor: Any, values: Any, origin: Optional[Origin] = None) -> None:
        """`tensor` has been overwritten as a whole and holds `values` now."""
        known = self.of(tensor)
        if known is not None:
            known.copy_(values)
            self.written(tensor, origin)
        elif tensor.numel() * tensor.element_size() == tensor.untyped_storage().nbytes():
            self.made(tensor, values, origin, written=True)

    def made(self, tensor: Any, values: Any, origin: Optional[Origin] = None, written: bool = False) -> None:
        """`tensor` is new, nothing else of its storage has been seen by the program, and it holds `values`.

        `written`: by an operator that writes in place, so that the version may still count up."""
        storage = tensor.untyped_storage()
        size = storage.nbytes()
        self._drop(storage._cdata)
        if len(self._mirrors) >= self._sweep_at:
            self._sweep()
        if not 0 < size <= LARGEST_INTEGERS or not self.may_follow(tensor) or self._may_change_unseen():
            return
        if self._total + size > LARGEST_TOTAL:
            self._sweep()
            if self._total + size > LARGEST_TOTAL:
                return
        memory = self._torch.UntypedStorage(size, device="cpu")
        mirror = _Mirror(memory, storage._weak_ref(), _version(tensor), uncertain=written, origin=origin)
        self._mirrors[storage._cdata] = mirror
        self._total += size
        self._view(mirror, tensor).copy_(values)

    def written(self, tensor: Any, origin: Optional[Origin] = None) -> None:
        """The mirror of `tensor` is up to date after a write in place."""
        mirror = self._mirrors.get(tensor.untyped_storage()._cdata)
        if mirror is not None and self._may_change_unseen():
            self.forget(tensor)
        elif mirror is not None:
            mirror.version, mirror.uncertain = _version(tensor), True
            mirror.origin = origin or mirror.origin

    def forget(self, tensor: Any) -> None:
        if self._has_plain_storage(tensor):
            self._drop(tensor.untyped_storage()._cdata)

    @contextlib.contextmanager
    def within_strange_operator(self) -> Iterator[None]:
        """Its own kernels write to the tensors that it makes: what they held before is not remembered."""
        self._local.strange = True
        try:
            yield
        finally:
            self._local.strange = False

    def _has_plain_storage(self, tensor: Any) -> bool:
        """Not sparse, nested, quantized or complex: its elements lie in its storage as they are read."""
        plain = tensor.layout is self._torch.strided and not tensor.is_nested
        return plain and not tensor.is_quantized and not tensor.is_complex()

    def _may_change_unseen(self) -> bool:
        """What is captured into a CUDA graph happens at every replay, and nobody is told of those."""
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
        if version != mirror.version:
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
            self._total -= mirror.bytes.nbytes()
            self._torch.UntypedStorage._free_weak_ref(mirror.weak)

    def _sweep(self) -> None:
        for key, mirror in list(self._mirrors.items()):
            if self._torch.UntypedStorage._expired(mirror.weak):
                self._drop(key)
        self._sweep_at = max(_FIRST_SWEEP, 2 * len(self._mirrors))


def _version(tensor: Any) -> int:
    return 0 if tensor.is_inference() else tensor._version
