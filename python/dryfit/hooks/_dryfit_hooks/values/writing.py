# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Operators that write to tensors that they are given: in place, to "out", to lists of tensors, to running statistics.

Every one that PyTorch has is intercepted. Where its inputs are known and it is one that we follow, it runs on the host
as well, on copies from before: it may call others of its kind inside. What any other one has written is unknown.
"""

from __future__ import annotations

import functools
from typing import Any, Callable, Collection, Dict, List, NamedTuple, Optional, Set, Tuple

from ..patching import Patch, quietly
from .assumptions import Origin
from .following import MAKING, Following
from .interception import Below, Handler, Interception
from .mirrors import Mirrors

# Operators that are followed in place.
IN_PLACE = """
abs_ neg_ bitwise_not_ logical_not_ add_.Tensor sub_.Tensor mul_.Tensor div_.Tensor add_.Scalar sub_.Scalar mul_.Scalar
div_.Scalar remainder_.Tensor remainder_.Scalar floor_divide_.Tensor floor_divide_.Scalar
bitwise_and_.Tensor bitwise_or_.Tensor bitwise_xor_.Tensor logical_and_ logical_or_ logical_xor_
eq_.Scalar eq_.Tensor ne_.Scalar ne_.Tensor clamp_ clamp_min_ clamp_max_ cumsum_ tril_ triu_
fill_.Scalar fill_.Tensor zero_ masked_fill_.Scalar masked_fill_.Tensor index_fill_.int_Scalar index_fill_.int_Tensor
scatter_.src scatter_.value scatter_add_ scatter_reduce_.two index_add_ index_copy_ masked_scatter_ _index_put_impl_
_amp_update_scale_ fill_diagonal_ put_ index_reduce_ bitwise_left_shift_.Tensor bitwise_right_shift_.Tensor
exp_ log_ relu_ sigmoid_ tanh_
_foreach_add_.Scalar _foreach_add_.List _foreach_add_.ScalarList _foreach_add_.Tensor _foreach_sub_.Scalar
_foreach_sub_.List _foreach_sub_.ScalarList _foreach_mul_.Scalar _foreach_mul_.List _foreach_mul_.ScalarList
_foreach_mul_.Tensor _foreach_div_.Scalar _foreach_div_.List _foreach_div_.ScalarList _foreach_neg_ _foreach_abs_
_foreach_sqrt_ _foreach_reciprocal_
""".split()

# Operators without followed results, but with in-place or "out" forms that write to tensors that may be followed.
OTHERS = """
mm bmm addmm baddbmm addbmm addmv addr mv matmul lerp addcmul addcdiv cos sin tan exp2 expm1 log2 log10 log1p rsqrt square
erf softmax _softmax _log_softmax hypot atan2 trunc frac copysign nan_to_num threshold clip
""".split()

# Operators that write to "out", beside those of the lists with the same name.
FILLING = ["arange.start_out", "linspace.out", "eye.m_out"]

# They replace whatever their target held.
OVERWRITING = ("fill_.Scalar", "fill_.Tensor", "zero_")

# Written to without being declared.
UNDECLARED = {
    name: ("running_mean", "running_var")
    for name in (
        "native_batch_norm",
        "cudnn_batch_norm",
        "batch_norm_update_stats",
        "batch_norm_gather_stats",
        "batch_norm_gather_stats_with_counts",
    )
}

# They change how a tensor looks at its storage; what is there stays.
TURNING = "squeeze_ unsqueeze_ transpose_ t_ swapaxes_ swapdims_ as_strided_ detach_ rename_ requires_grad_".split()
NOT_CONTENTS = ("set_", "set_data", "resize_as_", "retain_grad", "_fw_primal", "record_stream")

# Note [Numbers on the device]
# PyTorch itself puts plain numbers onto the device for some operators, marks them as numbers, and cannot pass such a
# tensor to Python: any handler of this module that gets one raises an error. Either we leave the operator that would
# get it alone, or we redirect the one that takes the number to its sibling for tensors: {operator: (sibling, place)}.
LEFT_ALONE = ["pow.Tensor_Tensor_out"]
LED_TO_TENSORS = {
    "searchsorted.Scalar": ("searchsorted.Tensor", 1),
    "searchsorted.Scalar_out": ("searchsorted.Tensor_out", 1),
    "bucketize.Scalar": ("bucketize.Tensor", 0),
    "bucketize.Scalar_out": ("bucketize.Tensor_out", 0),
    "isin.Scalar_Tensor": ("isin.Tensor_Tensor", 0),
    "isin.Scalar_Tensor_out": ("isin.Tensor_Tensor_out", 0),
}

_TENSORS = ("Tensor", "Optional[Tensor]", "List[Tensor]", "List[Optional[Tensor]]", "Optional[List[Tensor]]")


class Writing:
    def __init__(self, torch: Any, mirrors: Mirrors, following: Following) -> None:
        self._torch = torch
        self._mirrors = mirrors
        self._following = following
        self._scattering = torch.ops.aten.scatter_.value

    def install(self, interception: Interception) -> None:
        """After the parts that treat some of these operators in ways of their own."""
        self._interception = interception
        for name, (sibling, place) in LED_TO_TENSORS.items():
            interception.put(name, self._led(self._following.on_host(sibling), place))
        for name, written in UNDECLARED.items():
            self._watch_undeclared(name, written)
        followed = self._followed_names()
        dispatched = set(self._torch._C._dispatch_get_all_op_names())
        for schema in self._torch._C._jit_get_all_schemas():
            if _name(schema.name, schema.overload_name) in dispatched:
                self._watch(schema, followed)
        interception.on_unseen_write(quietly(self._forget))
        Patch(self._torch._ops._OpNamespace, "__getattr__", self._watching_later_ones)

    def _followed_names(self) -> Set[str]:
        packets = {name.partition(".")[0] for name in (*MAKING, *OTHERS)}
        forms = {form for packet in packets for form in (packet, packet + "_")}
        aten = self._torch.ops.aten
        names = [(form, each) for form in forms for each in getattr(getattr(aten, form, None), "overloads", list)()]
        return {*IN_PLACE, *FILLING, *(_name(form, "" if each == "default" else each) for form, each in names)}

    def _watch(self, schema: Any, followed: Set[str]) -> None:
        namespace, _, packet = schema.name.partition("::")
        name = _name(packet, schema.overload_name)
        written = _written(schema)
        if not written or packet in NOT_CONTENTS or name in LEFT_ALONE or self._interception.has(name, namespace):
            return
        if packet in TURNING:
            handler = self._turning
        elif namespace == "aten" and name in followed and "name" not in schema.overload_name:
            handler = self._following_writes(self._following.on_host(name), written, name in OVERWRITING)
        else:
            handler = self._forgetting(written)
        self._interception.put(name, handler, always=True, namespace=namespace)

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
            self._watch(self._torch._C._get_schema(packet._qualified_op_name, overload), set())

    def _following_writes(self, operator: Any, written: List[Place], overwrites: bool) -> Handler:
        def handle(below: Below, args: Tuple[Any, ...], kwargs: Any) -> Any:
            plan = self._plan(operator, written, overwrites, args, kwargs)
            outputs = below(*args, **kwargs)
            self._carry_out(plan, written, args, kwargs)
            return outputs

        return handle

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


class Place(NamedTuple):
    """An argument of an operator."""

    position: int
    name: str
    is_out: bool

    def of(self, args: Tuple[Any, ...], kwargs: Any) -> Any:
        return args[self.position] if self.position < len(args) else kwargs.get(self.name)

    def put(self, given: Tuple[List[Any], Any], value: Any) -> None:
        args, kwargs = given
        if self.position < len(args):
            args[self.position] = value
        else:
            kwargs[self.name] = value


_Plan = Dict[int, Callable[[], None]]  # by the id of the target


def _name(packet: str, overload: str) -> str:
    return f"{packet}.{overload}" if overload else packet


def _written(schema: Any) -> List[Place]:
    return [
        Place(i, each.name, each.kwarg_only)
        for i, each in enumerate(schema.arguments)
        if each.alias_info and each.alias_info.is_write and str(each.type) in _TENSORS
    ]
