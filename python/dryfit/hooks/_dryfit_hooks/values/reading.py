# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Copies of values between host and device, and the program's reads of single numbers."""

from __future__ import annotations

from typing import Any, Optional, Tuple

from ..patching import quietly
from .assumptions import Assumptions
from .interception import Below, Interception
from .inventing import Inventing
from .mirrors import Mirrors
from .sizes import Sizes


class Reading:
    def __init__(
        self, torch: Any, mirrors: Mirrors, sizes: Sizes, inventing: Inventing, assumptions: Assumptions
    ) -> None:
        self._torch = torch
        self._mirrors = mirrors
        self._sizes = sizes
        self._inventing = inventing
        self._assumptions = assumptions

    def install(self, interception: Interception) -> None:
        interception.put("copy_", self._copy, always=True)
        interception.put("_local_scalar_dense", self._number, engine=True)
        interception.put("equal", self._equal)
        interception.put("allclose", self._close)

    def _copy(self, below: Below, args: Tuple[Any, ...], kwargs: Any) -> Any:
        to, source = args[0], args[1]
        if to.is_cuda:
            quietly(self._mirrors.before_write)(to)
        result = below(*args, **kwargs)
        if to.is_cuda:
            self._arrived(to, source)
        elif source.is_cuda:
            self._read_back(to, source)
        return result

    @quietly
    def _arrived(self, to: Any, source: Any) -> None:
        if not self._mirrors.may_follow(to):
            self._mirrors.forget(to)
            return
        values = self._mirrors.of(source) if source.is_cuda else source
        if values is None or values.is_meta:
            self._mirrors.forget(to)
        else:
            origin = self._mirrors.origin_of(source) if source.is_cuda else None
            self._mirrors.remember(to, values, origin)

    @quietly
    def _read_back(self, to: Any, source: Any) -> None:
        values = self._mirrors.of(source)
        if values is None:
            values = self._inventing.values_of(source)
        if values is not None:
            to.copy_(values)
            self._assumptions.report_read(self._mirrors.origin_of(source))
        elif self._mirrors.may_follow(source):
            self._report_unknown(source)

    def _number(self, below: Below, args: Tuple[Any, ...], kwargs: Any) -> Any:
        (tensor,) = args
        read = below(*args, **kwargs)
        known = self._known(tensor)
        return read if known is None else known

    @quietly
    def _known(self, tensor: Any) -> Any:
        values = self._mirrors.of(tensor)
        if values is not None:
            self._assumptions.report_read(self._mirrors.origin_of(tensor), tensor.dtype is self._torch.bool)
            return values.item()
        if self._sizes.answer is not None:
            return self._sizes.answer
        invented = self._inventing.values_of(tensor)
        if invented is not None:
            self._assumptions.on_number(self._assumptions.place())
            return invented.item()
        self._report_unknown(tensor)
        return None

    def _equal(self, below: Below, args: Tuple[Any, ...], kwargs: Any) -> Any:
        """PyTorch compares with kernels that nothing can stand in front of, and its own checks (istft) read the result."""
        equal = self._are_equal(*args)
        return below(*args, **kwargs) if equal is None else equal

    def _close(self, below: Below, args: Tuple[Any, ...], kwargs: Any) -> Any:
        close = self._compared(self._torch.allclose, args, kwargs)
        return below(*args, **kwargs) if close is None else close

    @quietly
    def _are_equal(self, one: Any, other: Any) -> Optional[bool]:
        if one.dtype is self._torch.bool and one.dim() == 0 and not self._mirrors.have(one):
            known = self._mirrors.of(other)
            self._report_unknown(one)
            return None if known is None else not known.item()
        return self._compared(self._torch.equal, (one, other), {})

    @quietly
    def _compared(self, compare: Any, args: Tuple[Any, ...], kwargs: Any) -> Optional[bool]:
        """On the host; None if one of the two is unknown."""
        values = [self._mirrors.of(each) for each in args[:2] if each.is_cuda]
        if len(values) < 2 or any(each is None for each in values):
            return None
        self._assumptions.report_read(self._mirrors.origin_of(args[0]) or self._mirrors.origin_of(args[1]))
        return bool(compare(*values, *args[2:], **kwargs))

    def _report_unknown(self, tensor: Any) -> None:
        """Unknown integers read as zeros, and conditions as false."""
        if not tensor.is_floating_point() and not tensor.is_complex():
            is_condition = tensor.dtype is self._torch.bool
            what = "unknown conditions read as false" if is_condition else "unknown integers read as 0"
            self._assumptions.report_read(self._assumptions.origin(what), is_condition)
