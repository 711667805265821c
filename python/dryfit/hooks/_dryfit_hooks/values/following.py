# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Carries known values through operators: if every input is known, the same operator runs on the host as well."""

from __future__ import annotations

from typing import Any, Callable, Iterator, List, Optional, Tuple

from ..patching import quietly
from .assumptions import Origin
from .interception import Below, Handler, Interception
from .mirrors import Mirrors

# Operators that make new tensors from the values of others.
MAKING = """
abs neg bitwise_not logical_not floor ceil round sign reciprocal sqrt
add.Tensor sub.Tensor mul.Tensor div.Tensor div.Tensor_mode add.Scalar sub.Scalar mul.Scalar div.Scalar rsub.Scalar
rsub.Tensor floor_divide floor_divide.Scalar remainder.Tensor remainder.Scalar fmod.Tensor fmod.Scalar
pow.Tensor_Scalar pow.Scalar maximum minimum
bitwise_and.Tensor bitwise_and.Scalar bitwise_or.Tensor bitwise_or.Scalar bitwise_xor.Tensor bitwise_xor.Scalar
logical_and logical_or logical_xor
eq.Tensor eq.Scalar ne.Tensor ne.Scalar lt.Tensor lt.Scalar le.Tensor le.Scalar gt.Tensor gt.Scalar ge.Tensor ge.Scalar
where.self clamp clamp.Tensor clamp_min clamp_max isin.Tensor_Scalar isin.Tensor_Tensor
sum sum.dim_IntList prod prod.dim_int max min max.dim min.dim amax amin aminmax argmax argmin
any any.dim any.dims all all.dim all.dims cumsum cumprod count_nonzero count_nonzero.dim_IntList
cat stack index.Tensor index_select gather take flip roll tril triu masked_fill.Scalar masked_fill.Tensor
scatter.src scatter.value scatter_add scatter_reduce.two index_fill.int_Scalar index_add
sort sort.stable topk argsort argsort.stable searchsorted.Tensor bucketize.Tensor bincount histc
repeat_interleave.Tensor
""".split()

# Operators that write to their first argument.
WRITING = """
abs_ neg_ bitwise_not_ logical_not_ add_.Tensor sub_.Tensor mul_.Tensor div_.Tensor add_.Scalar sub_.Scalar mul_.Scalar
div_.Scalar remainder_.Tensor remainder_.Scalar floor_divide_.Tensor floor_divide_.Scalar
bitwise_and_.Tensor bitwise_or_.Tensor bitwise_xor_.Tensor logical_and_ logical_or_ logical_xor_
eq_.Scalar eq_.Tensor ne_.Scalar ne_.Tensor clamp_ clamp_min_ clamp_max_ cumsum_ tril_ triu_
fill_.Scalar fill_.Tensor zero_ masked_fill_.Scalar masked_fill_.Tensor index_fill_.int_Scalar index_fill_.int_Tensor
scatter_.src scatter_.value scatter_add_ scatter_reduce_.two index_add_ index_copy_ masked_scatter_ _index_put_impl_
_amp_update_scale_ fill_diagonal_ put_ index_reduce_ bitwise_left_shift_.Tensor bitwise_right_shift_.Tensor
exp_ log_ relu_ sigmoid_ tanh_
""".split()

# Operators without followed results, but with in-place or "out" forms that write to tensors that may be followed.
OTHERS = """
mm bmm addmm baddbmm addbmm addmv addr mv matmul lerp addcmul addcdiv cos sin tan exp2 expm1 log2 log10 log1p rsqrt square
erf softmax _softmax _log_softmax hypot atan2 trunc frac copysign nan_to_num threshold clip
""".split()
DRAWING = "exponential_ geometric_ log_normal_ cauchy_ bernoulli_.Tensor".split()

# Operators that write to the argument "out", beside those in MAKING with the same name.
FILLING = ["arange.start_out", "linspace.out", "eye.m_out"]

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

# rule(args, kwargs, outputs) sets what to assume for the results if the inputs are unknown.
Rule = Callable[[Tuple[Any, ...], Any, Any], None]


class Following:
    def __init__(self, torch: Any, mirrors: Mirrors) -> None:
        self._torch = torch
        self._mirrors = mirrors
        aten = torch.ops.aten
        self._overwriting = (aten.fill_.Scalar, aten.fill_.Tensor, aten.zero_.default)
        self._scattering = aten.scatter_.value

    def install(self, interception: Interception, rules: "dict[str, Rule]") -> None:
        for name in MAKING:
            interception.put(name, self._making(self._on_host(name), rules.get(name)))
        for name in WRITING:
            interception.put(name, self._writing(self._on_host(name)))
        for name in FILLING:
            interception.put(name, self._filling(self._on_host(name)), always=True)
        for name, (sibling, place) in LED_TO_TENSORS.items():
            interception.put(name, self._led(self._on_host(sibling), place))
        for name in DRAWING:
            interception.put(name, self._forgetting(["self"]))
        interception.on_unseen_write(quietly(self._unseen_write))
        for name, written in self._other_forms():
            if written == ["self"]:
                interception.put(name, self._writing(self._on_host(name)))
            elif written == ["out"]:
                interception.put(name, self._filling(self._on_host(name)), always=True)
            else:
                interception.put(name, self._forgetting(written), always=True)

    def values_of(self, argument: Any) -> Any:
        """The argument with every tensor on a device replaced by its values; raises Unknown if there are none."""
        if isinstance(argument, self._torch.Tensor):
            if not argument.is_cuda:
                return argument
            values = self._mirrors.of(argument)
            if values is None:
                raise Unknown
            return values
        if type(argument) in (list, tuple):
            return [self.values_of(each) for each in argument]
        return argument

    def origin_of(self, *arguments: Any) -> Optional[Origin]:
        """The first assumption that the arguments depend on."""
        for argument in arguments:
            if isinstance(argument, self._torch.Tensor):
                origin = self._mirrors.origin_of(argument) if argument.is_cuda else None
            elif type(argument) in (list, tuple):
                origin = self.origin_of(*argument)
            else:
                origin = None
            if origin is not None:
                return origin
        return None

    def compute(self, operator: Any, args: Tuple[Any, ...], kwargs: Any) -> Optional[List[Any]]:
        """The results of the operator on the host; None if they are unknown."""
        try:
            values = [self.values_of(each) for each in args]
            result = operator(*values, **{name: self.values_of(each) for name, each in kwargs.items()})
        except (Unknown, RuntimeError, NotImplementedError, IndexError, TypeError):
            return None
        return list(result) if isinstance(result, tuple) else [result]

    def keep(self, outputs: Any, results: Optional[List[Any]], origin: Optional[Origin]) -> None:
        if results is None:
            return
        made = outputs if isinstance(outputs, (tuple, list)) else [outputs]
        for tensor, values in zip(made, results):
            if tensor is not None and values is not None and tensor.shape == values.shape:
                self._mirrors.made(tensor, values, origin)

    def _other_forms(self) -> Iterator[Tuple[str, List[str]]]:
        """The forms of operators that write to their arguments, and the arguments they write to."""
        for packet in dict.fromkeys(name.partition(".")[0] for name in (*MAKING, *OTHERS)):
            for form in (packet, packet + "_"):
                operator = getattr(self._torch.ops.aten, form, None)
                for overload in operator.overloads() if operator else ():
                    name = form if overload == "default" else f"{form}.{overload}"
                    tensors = [x for x in getattr(operator, overload)._schema.arguments if str(x.type) == "Tensor"]
                    written = [each.name for each in tensors if each.alias_info and each.alias_info.is_write]
                    if written and name not in (*WRITING, *LEFT_ALONE, *LED_TO_TENSORS) and "name" not in overload:
                        yield name, written

    def _on_host(self, name: str) -> Any:
        packet, _, overload = name.partition(".")
        return getattr(getattr(self._torch.ops.aten, packet, None), overload or "default", None)

    def _led(self, sibling: Any, place: int) -> Handler:
        """See Note [Numbers on the device]."""

        def handle(below: Below, args: Tuple[Any, ...], kwargs: Any) -> Any:
            data = args[1 - place]
            kind = self._torch.result_type(data, args[place])
            number = self._torch.scalar_tensor(args[place], dtype=kind, device=data.device)
            return sibling(*args[:place], number, *args[place + 1 :], **kwargs)

        return handle

    def _making(self, operator: Any, rule: Optional[Rule]) -> Handler:
        def handle(below: Below, args: Tuple[Any, ...], kwargs: Any) -> Any:
            outputs = below(*args, **kwargs)
            self._after_making(operator, rule, args, kwargs, outputs)
            return outputs

        return handle

    @quietly
    def _after_making(
        self, operator: Any, rule: Optional[Rule], args: Tuple[Any, ...], kwargs: Any, outputs: Any
    ) -> None:
        made = outputs if isinstance(outputs, (tuple, list)) else [outputs]
        if not any(self._mirrors.may_follow(each) for each in made if each is not None):
            return
        results = self.compute(operator, args, kwargs)
        if results is not None:
            self.keep(outputs, results, self.origin_of(*args))
        elif rule is not None:
            rule(args, kwargs, outputs)

    def _writing(self, operator: Any) -> Handler:
        def handle(below: Below, args: Tuple[Any, ...], kwargs: Any) -> Any:
            outputs = below(*args, **kwargs)
            self._after_write(operator, args[0], args, kwargs)
            return outputs

        return handle

    def _filling(self, operator: Any) -> Handler:
        def handle(below: Below, args: Tuple[Any, ...], kwargs: Any) -> Any:
            outputs = below(*args, **kwargs)
            self._after_filling(operator, args, kwargs)
            return outputs

        return handle

    @quietly
    def _after_filling(self, operator: Any, args: Tuple[Any, ...], kwargs: Any) -> None:
        out = kwargs["out"]
        if out.is_cuda and self._mirrors.may_follow(out):
            values = self._torch.empty(out.shape, dtype=out.dtype, device="cpu")
            if self.compute(operator, args, {**kwargs, "out": values}) is not None:
                self._mirrors.remember(out, values, self.origin_of(*args))
                return
        if out.is_cuda:
            self._mirrors.forget(out)

    def _unseen_write(self, tensor: Any) -> None:
        if tensor.is_cuda:
            self._mirrors.forget(tensor)

    def _forgetting(self, written: List[str]) -> Handler:
        def handle(below: Below, args: Tuple[Any, ...], kwargs: Any) -> Any:
            outputs = below(*args, **kwargs)
            for target in [args[0]] if written == ["self"] else [kwargs[name] for name in written]:
                if target.is_cuda:
                    quietly(self._mirrors.forget)(target)
            return outputs

        return handle

    @quietly
    def _after_write(self, operator: Any, target: Any, args: Tuple[Any, ...], kwargs: Any) -> None:
        if not self._mirrors.may_follow(target):
            self._after_large_write(operator, target, args)
        elif self._mirrors.of(target) is not None:
            if self.compute(operator, args, kwargs) is not None:
                self._mirrors.written(target, self.origin_of(*args[1:]))
            else:
                self._mirrors.forget(target)
        elif operator in self._overwriting:
            values = self._torch.empty(target.shape, dtype=target.dtype, device="cpu")
            if self.compute(operator, (values, *args[1:]), kwargs) is not None:
                self._mirrors.remember(target, values, self.origin_of(*args[1:]))

    def _after_large_write(self, operator: Any, target: Any, args: Tuple[Any, ...]) -> None:
        """Only one kind of large tensor is followed: zeros with a one in each row, as one_hot makes them."""
        if operator in self._overwriting and (len(args) == 1 or type(args[1]) in (int, float) and args[1] == 0):
            self._mirrors.cleared(target)
            return
        if operator is self._scattering and target.dim() > 0:
            _, dim, index, value = args
            places = self._mirrors.of(index)
            in_rows = dim % target.dim() == target.dim() - 1 and index.shape == (*target.shape[:-1], 1)
            if places is not None and in_rows and value == 1:
                self._mirrors.chosen(target, places, self.origin_of(index))
                return
        self._mirrors.forget(target)


class Unknown(Exception):
    """A tensor on a device with unknown values."""
