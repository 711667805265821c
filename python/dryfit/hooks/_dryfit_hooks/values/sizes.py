# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Operators with a data-dependent number of results. Their kernels count on the device and read the count back; we set
the driver's answer."""

from __future__ import annotations

import threading
from typing import Any, List, NamedTuple, Optional, Tuple

from .. import guest
from ..patching import quietly
from .assumptions import Assumptions, Origin
from .following import Following
from .interception import Below, Handler, Interception

LARGEST_PLACES = 1 << 20


class Expected(NamedTuple):
    """How many elements an operator finds, among how many, and its results if they are known."""

    count: int
    of: int
    results: Optional[List[Any]]
    origin: Optional[Origin]


class Sizes:
    def __init__(self, torch: Any, following: Following, assumptions: Assumptions) -> None:
        self._torch = torch
        self._following = following
        self._assumptions = assumptions
        self._local = threading.local()

    @property
    def answer(self) -> Optional[int]:
        """The value of a count that this thread reads back now."""
        return getattr(self._local, "answer", None)

    def install(self, interception: Interception) -> None:
        aten = self._torch.ops.aten
        interception.put("nonzero", self._nonzero, always=True, engine=True)
        axes = {"_unique": None, "_unique2": None, "unique_consecutive": 3, "unique_dim": 1, "unique_dim_consecutive": 1}
        for name, axis in axes.items():
            operator = getattr(getattr(aten, name), "default")
            interception.put(name, self._unique(operator, axis), always=True, engine=True)
        interception.put("_coalesce", self._coalesce, always=True, engine=True)

    def _nonzero(self, below: Below, args: Tuple[Any, ...], kwargs: Any) -> Any:
        data = args[0]
        if not data.is_cuda:
            return below(*args, **kwargs)
        expected = self._nonzero_of(data)
        return self._with_answer(expected, below, args, kwargs) if expected else below(*args, **kwargs)

    @quietly
    def _nonzero_of(self, data: Any) -> Expected:
        results = self._following.compute(self._torch.ops.aten.nonzero.default, (data,), {})
        origin = self._following.origin_of(data)
        if results is None:
            origin = self._assumptions.origin("elements selected by a condition")
            count = self._assumptions.sizes.of(data.numel())
            return Expected(count, data.numel(), self._spread(count, data), origin)
        return Expected(results[0].shape[0], data.numel(), results, origin)

    def _spread(self, count: int, data: Any) -> Optional[List[Any]]:
        """The places of `count` elements, spread evenly; None if they are too many to follow."""
        if count == 0 or data.dim() == 0 or count * data.dim() > LARGEST_PLACES:
            return None
        flat = self._torch.arange(count, device="cpu") * data.numel() // count
        return [self._torch.stack(self._torch.unravel_index(flat, tuple(data.shape)), dim=1)]

    def _unique(self, operator: Any, axis: Optional[int]) -> Handler:
        """`axis`: position of the argument that names the dimension; without one, the data count as one row."""

        def handle(below: Below, args: Tuple[Any, ...], kwargs: Any) -> Any:
            if not args[0].is_cuda:
                return below(*args, **kwargs)
            dim = kwargs.get("dim", args[axis] if axis is not None and axis < len(args) else None)
            expected = self._unique_of(operator, dim, args, kwargs)
            return self._with_answer(expected, below, args, kwargs) if expected else below(*args, **kwargs)

        return handle

    @quietly
    def _unique_of(self, operator: Any, dim: Optional[int], args: Tuple[Any, ...], kwargs: Any) -> Expected:
        data = args[0]
        along = data.numel() if dim is None else data.shape[dim]
        results = self._following.compute(operator, args, kwargs)
        if results is None:
            origin = self._assumptions.origin("distinct elements")
            return Expected(self._assumptions.sizes.of(along), along, None, origin)
        count = results[0].numel() if dim is None else results[0].shape[dim]
        return Expected(count, along, results, self._following.origin_of(data))

    def _coalesce(self, below: Below, args: Tuple[Any, ...], kwargs: Any) -> Any:
        expected = self._coalesced(args[0]) if args[0].is_cuda else None
        return self._with_answer(expected, below, args, kwargs) if expected else below(*args, **kwargs)

    @quietly
    def _coalesced(self, sparse: Any) -> Expected:
        """Entries of a sparse tensor with the same indices become one."""
        indices = sparse._indices()
        distinct = self._following.compute(self._torch.ops.aten.unique_dim.default, (indices, 1), {})
        if distinct is None:
            origin = self._assumptions.origin("distinct entries of a sparse tensor")
            return Expected(self._assumptions.sizes.of(sparse._nnz()), sparse._nnz(), None, origin)
        return Expected(distinct[0].shape[1], sparse._nnz(), None, self._following.origin_of(indices))

    def _with_answer(self, expected: Expected, below: Below, args: Tuple[Any, ...], kwargs: Any) -> Any:
        guest.answer(expected.count)
        self._local.answer = expected.count
        try:
            outputs = below(*args, **kwargs)
        finally:
            self._local.answer = None
            guest.answer(None)
        self._assumptions.report(expected.origin, expected.count, expected.of)
        quietly(self._following.keep)(outputs, expected.results, expected.origin)
        return outputs
