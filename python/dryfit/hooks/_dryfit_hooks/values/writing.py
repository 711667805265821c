# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Operators that write to tensors that they are given: in place, to "out", to lists of tensors, to running statistics.

Every one that PyTorch has is intercepted. Where its inputs are known and it is one that we follow, it runs on the host
as well, on copies from before: it may call others of its kind inside. What any other one has written is unknown.
"""

from __future__ import annotations

import functools
from typing import Any, Callable, Collection, Dict, List, Optional, Tuple

from ..parameter_writes import ParameterWrites
from ..patching import Patch, quietly
from .assumptions import Origin
from .following import Following
from .interception import Below, Handler, Interception
from .mirrors import Mirrors
from .writers import (
    LEFT_ALONE,
    LED_TO_TENSORS,
    NOT_CONTENTS,
    OVERWRITING,
    TURNING,
    UNDECLARED,
    Place,
    is_followed,
    name_of,
    writes,
    written_by,
)

_Plan = Dict[int, Callable[[], None]]  # by the id of the target


class Writing:
    def __init__(self, torch: Any, mirrors: Mirrors, following: Following, writes: ParameterWrites) -> None:
        self._torch = torch
        self._mirrors = mirrors
        self._following = following
        self._writes = writes
        self._scattering = torch.ops.aten.scatter_.value

    def install(self, interception: Interception) -> None:
        """After the parts that treat some of these operators in ways of their own."""
        self._interception = interception
        for name, (sibling, place) in LED_TO_TENSORS.items():
            interception.put(name, self._led(self._following.on_host(sibling), place))
        for name, written in UNDECLARED.items():
            self._watch_undeclared(name, written)
        dispatched = set(self._torch._C._dispatch_get_all_op_names())
        for schema in self._torch._C._jit_get_all_schemas():
            if name_of(schema.name, schema.overload_name) in dispatched:
                self._watch(schema)
        interception.on_unseen_write(quietly(self._forget))
        Patch(self._torch._ops._OpNamespace, "__getattr__", self._watching_later_ones)

    def _watch(self, schema: Any) -> None:
        namespace, _, packet = schema.name.partition("::")
        name = name_of(packet, schema.overload_name)
        if packet in NOT_CONTENTS or name in LEFT_ALONE or self._interception.has(name, namespace):
            return
        if writes(schema):
            self._interception.put_once_called(name, namespace, functools.partial(self._handler, schema))

    def _handler(self, schema: Any) -> Handler:
        namespace, _, packet = schema.name.partition("::")
        name = name_of(packet, schema.overload_name)
        if packet in TURNING:
            return self._turning
        if namespace == "aten" and is_followed(packet, schema.overload_name):
            return self._following_writes(self._following.on_host(name), written_by(schema), name in OVERWRITING)
        return self._forgetting(written_by(schema))

    def _watch_undeclared(self, name: str, written: Tuple[str, ...]) -> None:
        operator = self._following.on_host(name)
        if operator is not None:
            arguments = enumerate(operator._schema.arguments)
            places = [Place(i, each.name, True) for i, each in arguments if each.name in written]
            self._interception.put(name, self._forgetting(places))

    def _watching_later_ones(self, original: Callable[..., Any]) -> Callable[..., Any]:
        """Operators of the program's own libraries: looked up once each, before their first call."""

        def lookup(namespace: Any, name: str) -> Any:
            packet = original(namespace, name)
            self._watch_later(packet)
            return packet

        return functools.wraps(original)(lookup)

    @quietly
    def _watch_later(self, packet: Any) -> None:
        for overload in getattr(packet, "_overload_names", ()):
            self._watch(self._torch._C._get_schema(packet._qualified_op_name, overload))

    def _following_writes(self, operator: Any, written: List[Place], overwrites: bool) -> Handler:
        def handle(below: Below, args: Tuple[Any, ...], kwargs: Any) -> Any:
            if not overwrites and not self._concerns(written, args, kwargs):
                return below(*args, **kwargs)
            plan = self._plan(operator, written, overwrites, args, kwargs)
            outputs = below(*args, **kwargs)
            self._carry_out(plan, written, args, kwargs)
            return outputs

        return handle

    @quietly
    def _concerns(self, written: List[Place], args: Tuple[Any, ...], kwargs: Any) -> bool:
        """False if nothing is known of what is written, nor will be: the operator then passes as quickly as it can."""
        if self._writes.armed:
            return True
        for place in written:
            target = place.of(args, kwargs)
            targets = target if type(target) is list else () if target is None else (target,)
            if place.is_out or any(map(self._mirrors.have, targets)):
                return True
        return False

    @quietly
    def _plan(self, operator: Any, written: List[Place], overwrites: bool, args: Tuple[Any, ...], kwargs: Any) -> _Plan:
        """What is to be remembered of each target afterwards; the others become unknown."""
        for place in written:
            self._expect(place.of(args, kwargs))
        if overwrites and self._mirrors.is_inside_operator():
            return {}  # perhaps the beginning of a sum: the kernels that add to it are not seen
        if type(args[0]) is list and len(written) == 1:
            return self._plan_of_list(operator, args, kwargs)
        origin = self._following.origin_of(*args)
        given = list(args), dict(kwargs)
        plan = {}
        for place in written:
            target = place.of(args, kwargs)
            if target.is_cuda and not self._mirrors.may_follow(target):
                return self._plan_of_large(target, overwrites, operator, args)
            twin = self._blank(target, place.is_out) if overwrites or place.is_out else self._copy(target)
            if twin is None:
                return {}
            place.put(given, twin)
            plan[id(target)] = self._remembering(target, twin, origin)
        return plan if self._following.compute(operator, *given) is not None else {}

    def _plan_of_list(self, operator: Any, args: Tuple[Any, ...], kwargs: Any) -> _Plan:
        """Of several tensors, those that are known are followed one by one."""
        targets, is_list = args[0], [type(each) is list and len(each) == len(args[0]) for each in args]
        plan = {}
        for i, target in enumerate(targets):
            twin = self._copy(target)
            if twin is not None:
                given = [[each[i]] if among else each for each, among in zip(args[1:], is_list[1:])]
                if self._following.compute(operator, ([twin], *given), kwargs) is not None:
                    plan[id(target)] = self._remembering(target, twin, None)
        return plan

    def _plan_of_large(self, target: Any, overwrites: bool, operator: Any, args: Tuple[Any, ...]) -> _Plan:
        """Only one kind of large tensor is followed: zeros with a one in each row, as one_hot makes them."""
        if overwrites and (len(args) == 1 or type(args[1]) in (int, float) and args[1] == 0):
            return {id(target): lambda: self._mirrors.cleared(target)}
        if operator is self._scattering and target.dim() > 0:
            _, dim, index, value = args
            places = self._mirrors.of(index)
            in_rows = dim % target.dim() == target.dim() - 1 and index.shape == (*target.shape[:-1], 1)
            if places is not None and in_rows and value == 1:
                origin = self._mirrors.origin_of(index)
                return {id(target): lambda: self._mirrors.chosen(target, places, origin)}
        return {}

    def _copy(self, target: Any) -> Optional[Any]:
        """The values before the operator, if they are known."""
        values = self._mirrors.of(target) if target.is_cuda and self._mirrors.may_follow(target) else None
        return None if values is None else values.clone()

    def _blank(self, target: Any, is_out: bool) -> Optional[Any]:
        """A tensor on the host in the place of one whose old values do not matter. PyTorch gives an empty "out" its
        size, and warns where it had another one."""
        if not target.is_cuda or not self._mirrors.may_follow(target):
            return None
        return self._torch.empty(0 if is_out else target.shape, dtype=target.dtype, device="cpu")

    def _remembering(self, target: Any, twin: Any, origin: Optional[Origin]) -> Callable[[], None]:
        def remember() -> None:
            if target.shape == twin.shape:
                self._mirrors.remember(target, twin, origin)
            else:
                self._mirrors.forget(target)

        return remember

    @quietly
    def _carry_out(self, plan: Optional[_Plan], written: List[Place], args: Tuple[Any, ...], kwargs: Any) -> None:
        plan = plan or {}
        for place in written:
            self._forget(place.of(args, kwargs), plan)
        for remember in plan.values():
            remember()

    def _forgetting(self, written: List[Place]) -> Handler:
        forget, expect = quietly(self._forget), quietly(self._expect)

        def handle(below: Below, args: Tuple[Any, ...], kwargs: Any) -> Any:
            if not self._concerns(written, args, kwargs):
                return below(*args, **kwargs)
            for place in written:
                expect(place.of(args, kwargs))
            outputs = below(*args, **kwargs)
            for place in written:
                forget(place.of(args, kwargs))
            return outputs

        return handle

    def _turning(self, below: Below, args: Tuple[Any, ...], kwargs: Any) -> Any:
        known = quietly(self._mirrors.of)(args[0])
        outputs = below(*args, **kwargs)
        if known is not None:
            quietly(self._mirrors.wrote)(args[0])
        return outputs

    def _expect(self, written: Any) -> None:
        for each in written if type(written) in (list, tuple) else (written,):
            if isinstance(each, self._torch.Tensor) and each.is_cuda:
                if self._writes.armed:
                    self._writes.saw(each)
                self._mirrors.before_write(each)

    def _forget(self, written: Any, but: Collection[int] = ()) -> None:
        if type(written) in (list, tuple):
            for each in written:
                self._forget(each, but)
        elif isinstance(written, self._torch.Tensor) and written.is_cuda and id(written) not in but:
            self._mirrors.forget(written)

    def _led(self, sibling: Any, place: int) -> Handler:
        """See Note [Numbers on the device]."""

        def handle(below: Below, args: Tuple[Any, ...], kwargs: Any) -> Any:
            data = args[1 - place]
            kind = self._torch.result_type(data, args[place])
            number = self._torch.scalar_tensor(args[place], dtype=kind, device=data.device)
            return sibling(*args[:place], number, *args[place + 1 :], **kwargs)

        return handle
