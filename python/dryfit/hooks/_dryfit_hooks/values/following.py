# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Carries known values through operators: if every input is known, the same operator runs on the host as well."""

from __future__ import annotations

from typing import Any, Callable, List, Optional, Tuple

from ..patching import quietly
from .assumptions import Assumptions, Origin
from .interception import Below, Handler, Interception
from .inventing import Inventing
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
repeat_interleave.Tensor constant_pad_nd
""".split()

# Operators whose results depend on no tensor.
PLACES = ("tril_indices", "triu_indices")

# Operators whose results are one number over and over, and the argument that says which.
CONSTANT = {
    "zeros": 0, "zeros_like": 0, "new_zeros": 0, "ones": 1, "ones_like": 1, "new_ones": 1,
    "full": "fill_value", "full_like": "fill_value", "new_full": "fill_value", "scalar_tensor": "s",
}  # fmt: skip

ORDERINGS = ("lt", "le", "gt", "ge")

# rule(args, kwargs, outputs) sets what to assume for the results if the inputs are unknown.
Rule = Callable[[Tuple[Any, ...], Any, Any], None]


class Following:
    def __init__(self, torch: Any, mirrors: Mirrors, inventing: Inventing, assumptions: Assumptions) -> None:
        self._torch = torch
        self._mirrors = mirrors
        self._inventing = inventing
        self._assumptions = assumptions

    def install(self, interception: Interception, rules: "dict[str, Rule]") -> None:
        for name in MAKING:
            interception.put(name, self._making(self.on_host(name), rules.get(name)))
        for name, number in CONSTANT.items():
            interception.put(name, self._constant(number), factory=True)
        for name in PLACES:
            interception.put(name, self._from_numbers(self.on_host(name)), factory=True)

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

    def _decides(self, operator: Any, args: Tuple[Any, ...]) -> bool:
        """Whether single numbers are compared, or combined with known ones: the program is about to act on the result.
        Then numbers take the place of unknown ones now, so that a sum is not smaller than its parts."""
        operands = [each for each in args if isinstance(each, self._torch.Tensor) and each.is_cuda]
        if any(each.numel() != 1 for each in operands) or not operands:
            return False
        unknown = [each for each in operands if self._mirrors.of(each) is None]
        if not _is_ordering(operator) and len(unknown) == len(operands):
            return False
        return all([self._inventing.values_of(each) is not None for each in unknown])

    def keep(self, outputs: Any, results: Optional[List[Any]], origin: Optional[Origin]) -> None:
        if results is None:
            return
        made = outputs if isinstance(outputs, (tuple, list)) else [outputs]
        for tensor, values in zip(made, results):
            if tensor is not None and values is not None and tensor.shape == values.shape:
                self._mirrors.made(tensor, values, origin)

    def on_host(self, name: str) -> Any:
        packet, _, overload = name.partition(".")
        return getattr(getattr(self._torch.ops.aten, packet, None), overload or "default", None)

    def _making(self, operator: Any, rule: Optional[Rule]) -> Handler:
        def handle(below: Below, args: Tuple[Any, ...], kwargs: Any) -> Any:
            outputs = below(*args, **kwargs)
            self._after_making(operator, rule, args, kwargs, outputs)
            return outputs

        return handle

    def _constant(self, number: Any) -> Handler:
        def handle(below: Below, args: Tuple[Any, ...], kwargs: Any) -> Any:
            output = below(*args, **kwargs)
            self._after_constant(output, number if type(number) is int else kwargs.get(number, args[-1]))
            return output

        return handle

    def _from_numbers(self, operator: Any) -> Handler:
        def handle(below: Below, args: Tuple[Any, ...], kwargs: Any) -> Any:
            output = below(*args, **kwargs)
            if output.is_cuda:
                quietly(self._after_making)(operator, None, args, {**kwargs, "device": "cpu", "pin_memory": None}, output)
            return output

        return handle

    @quietly
    def _after_constant(self, output: Any, number: Any) -> None:
        if output.is_cuda and type(output) is self._torch.Tensor and self._mirrors.of(output) is None:
            if self._mirrors.may_follow(output):
                values = self._torch.full(output.shape, number, dtype=output.dtype, device="cpu")
                self._mirrors.made(output, values)
            elif number == 0:
                self._mirrors.cleared(output)

    @quietly
    def _after_making(
        self, operator: Any, rule: Optional[Rule], args: Tuple[Any, ...], kwargs: Any, outputs: Any
    ) -> None:
        made = outputs if isinstance(outputs, (tuple, list)) else [outputs]
        if not any(self._mirrors.may_follow(each) for each in made if each is not None):
            return
        results, origin = self.compute(operator, args, kwargs), None
        if results is None and self._decides(operator, args):
            results = self.compute(operator, args, kwargs)
            origin = self._assumptions.origin("a comparison of unknown numbers") if _is_ordering(operator) else None
        if results is not None:
            self.keep(outputs, results, origin or self.origin_of(*args))
        elif rule is not None:
            rule(args, kwargs, outputs)


def _is_ordering(operator: Any) -> bool:
    return operator.__name__.partition(".")[0] in ORDERINGS


class Unknown(Exception):
    """A tensor on a device with unknown values."""
