# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""What to assume for the results of operators with unknown inputs: values are finite; a router sends every expert the
same number of tokens; checks pass."""

from __future__ import annotations

import math
from typing import Any, Dict, Optional, Tuple

from ..patching import quietly
from .assumptions import Assumptions
from .following import Rule
from .interception import Below, Interception
from .mirrors import Mirrors

# Operators that choose places along a dimension, and the position of the argument that names it.
DIMENSIONS = {
    "topk": 2,
    "sort": 1,
    "sort.stable": 2,
    "argsort": 1,
    "argsort.stable": 2,
    "max.dim": 1,
    "min.dim": 1,
    "argmax": 1,
    "argmin": 1,
}


class Rules:
    def __init__(self, torch: Any, mirrors: Mirrors, assumptions: Assumptions) -> None:
        self._torch = torch
        self._mirrors = mirrors
        self._assumptions = assumptions
        self._generator = torch.Generator()
        self._generator.manual_seed(0)

    def install(self, interception: Interception) -> None:
        for name in ("random_", "random_.from", "random_.to", "uniform_", "normal_", "bernoulli_.float"):
            interception.put(name, self._drawing(name))
        interception.put("randperm.generator_out", self._permutation, always=True)
        interception.put("multinomial", self._multinomial)
        interception.put("_amp_foreach_non_finite_check_and_unscale_", self._unscale, always=True)
        interception.put("unfold_backward", self._adding_to_zeros)

    def by_operator(self) -> Dict[str, Rule]:
        rules: Dict[str, Rule] = {name: self._filled(True) for name in ("all", "all.dim", "all.dims")}
        rules.update({name: self._filled(False) for name in ("any", "any.dim", "any.dims")})
        for form in ("Tensor", "Scalar"):
            rules[f"eq.{form}"] = self._compared(True)
            rules[f"ne.{form}"] = self._compared(False)
        for name, position in DIMENSIONS.items():
            rules[name] = self._chosen(position)
        return rules

    def _filled(self, value: bool) -> Rule:
        def rule(args: Tuple[Any, ...], kwargs: Any, output: Any) -> None:
            origin = self._assumptions.origin("a check of unknown values")
            self._mirrors.remember(output, self._torch.full(output.shape, value, device="cpu"), origin)

        return rule

    def _compared(self, equality: bool) -> Rule:
        """Unknown numbers equal themselves and no infinity: they are assumed to be finite."""

        def rule(args: Tuple[Any, ...], kwargs: Any, output: Any) -> None:
            data, other = args
            if isinstance(other, self._torch.Tensor):
                equal = True if _is_same(data, other) else None
            else:
                equal = False if isinstance(other, float) and not math.isfinite(other) else None
            if equal is not None:
                self._mirrors.remember(output, self._torch.full(output.shape, equal == equality, device="cpu"))

        return rule

    def _chosen(self, position: int) -> Rule:
        """Each row continues where the one before ended, so that all places get their share."""

        def rule(args: Tuple[Any, ...], kwargs: Any, outputs: Any) -> None:
            places = outputs[1] if isinstance(outputs, (tuple, list)) else outputs
            data = args[0]
            dim = kwargs.get("dim", args[position] if position < len(args) else -1)
            choices = data.numel() if dim is None or data.dim() == 0 else data.shape[dim]
            if choices and self._mirrors.may_follow(places):
                values = self._in_turn(places, choices, dim if places.dim() == data.dim() > 0 else None)
                self._mirrors.remember(places, values, self._assumptions.origin("places of the largest values"))

        return rule

    def _in_turn(self, places: Any, choices: int, dim: Optional[int]) -> Any:
        values = self._torch.arange(places.numel(), device="cpu") % choices
        if dim is None:
            return values.view(places.shape)
        return values.view(places.movedim(dim, -1).shape).movedim(-1, dim)

    def _multinomial(self, below: Below, args: Tuple[Any, ...], kwargs: Any) -> Any:
        output = below(*args, **kwargs)
        quietly(self._chosen(len(args)))(args, {}, output)
        return output

    def _drawing(self, name: str) -> Any:
        packet, _, overload = name.partition(".")
        operator = getattr(getattr(self._torch.ops.aten, packet), overload or "default")

        def handle(below: Below, args: Tuple[Any, ...], kwargs: Any) -> Any:
            quietly(self._mirrors.before_write)(args[0])
            output = below(*args, **kwargs)
            self._after_drawing(operator, output, args, kwargs)
            return output

        return handle

    @quietly
    def _after_drawing(self, operator: Any, output: Any, args: Tuple[Any, ...], kwargs: Any) -> None:
        if not self._mirrors.may_follow(output):
            self._mirrors.forget(output)
            return
        values = self._torch.empty(output.shape, dtype=output.dtype, device="cpu")
        operator(values, *args[1:], **{**kwargs, "generator": self._generator})
        self._mirrors.remember(output, values, self._assumptions.origin("random numbers"))

    def _permutation(self, below: Below, args: Tuple[Any, ...], kwargs: Any) -> Any:
        if kwargs["out"].is_cuda:
            quietly(self._mirrors.before_write)(kwargs["out"])
        output = below(*args, **kwargs)
        self._after_permutation(args[0], kwargs["out"])
        return output

    @quietly
    def _after_permutation(self, length: int, out: Any) -> None:
        if out.is_cuda and self._mirrors.may_follow(out):
            values = self._torch.randperm(length, generator=self._generator, dtype=out.dtype, device="cpu")
            self._mirrors.remember(out, values, self._assumptions.origin("random numbers"))
        elif out.is_cuda:
            self._mirrors.forget(out)

    def _adding_to_zeros(self, below: Below, args: Tuple[Any, ...], kwargs: Any) -> Any:
        """Its kernel adds to zeros that it has made: they are not what is there in the end."""
        with self._mirrors.within_strange_operator():
            return below(*args, **kwargs)

    def _unscale(self, below: Below, args: Tuple[Any, ...], kwargs: Any) -> Any:
        """Gradients are assumed to be finite: the flag that says otherwise stays as it is."""
        for each in (*args[0], args[1]):
            quietly(self._mirrors.before_write)(each)
        output = below(*args, **kwargs)
        quietly(self._after_unscaling)(args[0], args[1])
        return output

    def _after_unscaling(self, gradients: Any, found: Any) -> None:
        for each in gradients:
            self._mirrors.forget(each)
        if found.is_cuda:
            self._mirrors.wrote(found)


def _is_same(one: Any, other: Any) -> bool:
    return one.data_ptr() == other.data_ptr() and one.shape == other.shape and one.stride() == other.stride()
