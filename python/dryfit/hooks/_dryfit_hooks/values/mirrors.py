# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""The tensors on a device that have known values, and these values.

Note [Versions]
Operators of Python's threads that write are intercepted, all of them. Others (the autograd engine's own) show in the
version that PyTorch increments with every write in place: a mirror that is older than its tensor is dropped. So an
operator that writes calls `before_write` first, and afterwards one of `remember`, `forget` and `wrote`, which take the new
version. A write inside another operator may not be counted, or only by the operator around it, which is intercepted too.
"""

from __future__ import annotations

import contextlib
import threading
from dataclasses import dataclass
from typing import Any, Dict, Iterator, Optional, Union

from .assumptions import Origin
from .contents import Bytes, Choices, Readings

LARGEST_INTEGERS = 16 << 20
LARGEST_FLOATS = 256 << 10
LARGEST_IN_PARTS = 4 << 20  # the storage of tensors that are known in part
LARGEST_TOTAL = 256 << 20
_FIRST_SWEEP = 256


@dataclass
class _Mirror:
    contents: Union[Bytes, Choices, Readings]
    weak: int  # a weak reference to the storage on the device
    version: int
    origin: Optional[Origin]  # the values depend on this assumption


class Mirrors:
    """Views of one storage share its mirror, which dies with the storage: nothing here keeps device memory alive."""

    def __init__(self, torch: Any) -> None:
        self._torch = torch
        self._mirrors: Dict[int, _Mirror] = {}
        self._total = 0
        self._sweep_at = _FIRST_SWEEP
        self._local = threading.local()
        self._key_of = torch._C._storage_id
        self._counting = torch._C._dispatch_key_parse("ADInplaceOrView")

    def may_follow(self, tensor: Any) -> bool:
        limit = LARGEST_FLOATS if tensor.is_floating_point() else LARGEST_INTEGERS
        return self._is_readable(tensor) and tensor.numel() * tensor.element_size() <= limit

    def of(self, tensor: Any) -> Optional[Any]:
        """The values on the host, which may share memory with the mirror; None: unknown."""
        mirror = self._find(tensor)
        return None if mirror is None else mirror.contents.of(tensor)

    def origin_of(self, tensor: Any) -> Optional[Origin]:
        mirror = self._find(tensor)
        return mirror and mirror.origin

    def cleared(self, tensor: Any) -> None:
        """`tensor`, integers too large to be followed, has been filled with zeros."""
        self.forget(tensor)
        if not self._is_readable(tensor) or tensor.is_floating_point() or not tensor.is_contiguous():
            return
        size = tensor.untyped_storage().nbytes()
        if tensor.numel() * tensor.element_size() == size and not self._may_change_unseen():
            self._keep(tensor, Choices(self._torch, size, LARGEST_INTEGERS), origin=None)

    def chosen(self, tensor: Any, places: Any, origin: Optional[Origin]) -> None:
        """A one has been written to one place of each row of `tensor`."""
        mirror = self._kept(tensor)
        contents = mirror and mirror.contents
        self.forget(tensor)
        if isinstance(contents, Choices) and contents.places is None and not self._may_change_unseen():
            places = places.reshape(-1).clone()
            choices = Choices(self._torch, contents.size, LARGEST_INTEGERS, places, tensor.shape[-1])
            self._keep(tensor, choices, origin)

    def remember(self, tensor: Any, values: Any, origin: Optional[Origin] = None) -> None:
        """`tensor` has been overwritten as a whole and holds `values` now."""
        mirror = self._kept(tensor)
        if mirror is None:
            self._begin(tensor, values, origin)
            return
        footprint = mirror.contents.footprint()
        if self._may_change_unseen() or not mirror.contents.write(tensor, values):
            self.forget(tensor)
            return
        self._total += mirror.contents.footprint() - footprint
        mirror.origin = origin or mirror.origin
        self.wrote(tensor)

    def made(self, tensor: Any, values: Any, origin: Optional[Origin] = None) -> None:
        """`tensor` is new, the program has seen nothing else of its storage, and it holds `values`."""
        self._drop(self._key_of(tensor))
        self._begin(tensor, values, origin, new=True)

    def invented(self, tensor: Any, values: Any, origin: Optional[Origin]) -> None:
        """`tensor` was unknown; the program is told `values`, and will find them again."""
        mirror = self._find(tensor)
        size = tensor.untyped_storage().nbytes()
        if mirror is None and size > LARGEST_IN_PARTS and not self._may_change_unseen():
            mirror = self._keep(tensor, Readings(size), origin)
        if mirror is not None and isinstance(mirror.contents, Readings):
            mirror.contents.read(tensor, values)
        else:
            self.remember(tensor, values, origin)

    def have(self, tensor: Any) -> bool:
        """Whether anything may be known of its storage. Quick: most tensors of a program are large and unknown."""
        if not self._mirrors:
            return False
        return tensor.layout is not self._torch.strided or self._key_of(tensor) in self._mirrors

    def before_write(self, tensor: Any) -> None:
        """An intercepted operator is about to write to `tensor`; see Note [Versions]."""
        self._find(tensor)

    def wrote(self, tensor: Any) -> None:
        """An intercepted operator has written to `tensor`, and the mirror allows for that. Versions are counted for each
        family of views apart (.data begins at 0 again): the highest counts."""
        mirror = self._mirrors.get(self._key_of(tensor))
        if mirror is not None:
            mirror.version = max(mirror.version, _version(tensor))

    def forget(self, tensor: Any) -> None:
        mirror = self._kept(tensor)
        if mirror is None:
            return
        footprint = mirror.contents.footprint()
        if not self._is_readable(tensor) or not mirror.contents.forget(tensor):
            self._drop(self._key_of(tensor))
            return
        self._total += mirror.contents.footprint() - footprint
        self.wrote(tensor)

    def is_inside_operator(self) -> bool:
        """Whether this thread is inside an operator's implementation, whose kernels may write where we do not see it."""
        return bool(self._torch._C._dispatch_tls_is_dispatch_key_excluded(self._counting))

    @contextlib.contextmanager
    def within_strange_operator(self) -> Iterator[None]:
        """Its own kernels write to the tensors that it creates: do not remember what those held before."""
        self._local.strange = True
        try:
            yield
        finally:
            self._local.strange = False

    def _has_storage(self, tensor: Any) -> bool:
        return tensor.layout is self._torch.strided and not tensor.is_nested

    def _is_readable(self, tensor: Any) -> bool:
        """Not sparse, nested, quantized, complex or negated in place: its storage holds the elements as they are read."""
        plain = self._has_storage(tensor) and not tensor.is_quantized
        return plain and not tensor.is_complex() and not tensor.is_neg()

    def _may_change_unseen(self) -> bool:
        """What is captured into a CUDA graph happens at every replay, which we do not see."""
        return getattr(self._local, "strange", False) or bool(self._torch._C._cuda_isCurrentStreamCapturing())

    def _find(self, tensor: Any) -> Optional[_Mirror]:
        mirror = self._kept(tensor)
        if mirror is not None and _version(tensor) > mirror.version:
            self._drop(self._key_of(tensor))
            return None
        return mirror if mirror is not None and self._is_readable(tensor) else None

    def _kept(self, tensor: Any) -> Optional[_Mirror]:
        """Even if the tensor has been written to since."""
        if not self._mirrors or not self._has_storage(tensor):
            return None
        key = self._key_of(tensor)
        mirror = self._mirrors.get(key)
        if mirror is not None and tensor.untyped_storage().nbytes() != mirror.contents.size:
            self._drop(key)
            return None
        return mirror

    def _begin(self, tensor: Any, values: Any, origin: Optional[Origin], new: bool = False) -> None:
        """A mirror for a storage that has none. Where the rest of it is unknown, only `tensor` is known."""
        size = tensor.untyped_storage().nbytes()
        whole = new or tensor.numel() * tensor.element_size() == size
        if len(self._mirrors) >= self._sweep_at:
            self._sweep()
        if not 0 < size <= (LARGEST_INTEGERS if whole else LARGEST_IN_PARTS):
            return
        if not tensor.numel() or not self.may_follow(tensor) or self._may_change_unseen():
            return
        footprint = size if whole else 2 * size
        if self._total + footprint > LARGEST_TOTAL and not self._make_room(footprint):
            return
        mirror = self._keep(tensor, Bytes(self._torch, size, known=whole), origin)
        self._total += mirror.contents.footprint()
        mirror.contents.write(tensor, values)

    def _keep(self, tensor: Any, contents: Union[Bytes, Choices, Readings], origin: Optional[Origin]) -> _Mirror:
        key = self._key_of(tensor)
        self._drop(key)
        mirror = _Mirror(contents, tensor.untyped_storage()._weak_ref(), _version(tensor), origin)
        self._mirrors[key] = mirror
        return mirror

    def _drop(self, key: int) -> None:
        mirror = self._mirrors.pop(key, None)
        if mirror is not None:
            self._total -= mirror.contents.footprint()
            self._torch.UntypedStorage._free_weak_ref(mirror.weak)

    def _make_room(self, size: int) -> bool:
        """What decides sizes is small: drops the oldest mirrors that are as large as the new one, or larger. A quarter
        at once, so that this is rare."""
        self._sweep()
        for key, mirror in list(self._mirrors.items()):
            if self._total <= LARGEST_TOTAL // 4 * 3 - size:
                break
            if mirror.contents.footprint() >= size:
                self._drop(key)
        return self._total + size <= LARGEST_TOTAL

    def _sweep(self) -> None:
        for key, mirror in list(self._mirrors.items()):
            if self._torch.UntypedStorage._expired(mirror.weak):
                self._drop(key)
        self._sweep_at = max(_FIRST_SWEEP, 2 * len(self._mirrors))


def _version(tensor: Any) -> int:
    return 0 if tensor.is_inference() else tensor._version
