# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Skips the initialisation of large CPU parameters: their values do not affect memory, and pages that are never written
cost no host memory, so that a model far larger than the machine can be built in seconds.

Skipped, for large CPU tensors (parameters.py), until the first forward pass on a device:
 - the initialisers of torch.nn.init, on any tensor;
 - in-place fills (FILLS) of a parameter that a module has registered, or of a tensor that shares its storage, such as
   `layer.weight.data`; other tensors of the program are filled as usual;
 - in-place arithmetic (ARITHMETIC) on such a parameter in the same function that has just filled it: hand-written
   initialisers (truncated normal) shape their numbers that way.
A skipped tensor reads as zeros. The random number generator is not advanced.
"""

from __future__ import annotations

import functools
import sys
from types import CodeType
from typing import Any, Callable, Dict, List

from . import pages
from .casts import Casts
from .parameters import LargeParameters, size_of, storage_key
from .patching import Patch

INITIALISERS = (
    "uniform_",
    "normal_",
    "trunc_normal_",
    "constant_",
    "ones_",
    "zeros_",
    "eye_",
    "xavier_uniform_",
    "xavier_normal_",
    "kaiming_uniform_",
    "kaiming_normal_",
    "orthogonal_",
    "sparse_",
)
FILLS = (
    "normal_",
    "uniform_",
    "random_",
    "exponential_",
    "cauchy_",
    "log_normal_",
    "geometric_",
    "bernoulli_",
    "zero_",
)
UNRANDOM = ("constant_", "ones_", "zeros_", "zero_", "eye_")
ARITHMETIC = ("erfinv_", "mul_", "div_", "add_", "sub_", "clamp_", "clamp_min_", "clamp_max_")


class SkippedInitialisation:
    def __init__(self, torch: Any) -> None:
        self._torch = torch
        self._active = True
        self._generator = torch.Generator()
        self._parameters = LargeParameters(torch)
        self._filled_by: Dict[int, CodeType] = {}
        self._patches: List[Patch] = []

    def install(self) -> None:
        tensor = self._torch.Tensor
        self._patches += self._parameters.install()
        self._patches += Casts(self._torch, self._parameters).install()
        self._patches += [patch for name in INITIALISERS for patch in self._replace_initialiser(name)]
        self._patches += [Patch(tensor, name, self._skipping_fill) for name in FILLS]
        self._patches += [Patch(tensor, name, self._skipping_arithmetic) for name in ARITHMETIC]

    def end(self, late: bool) -> None:
        """The first forward pass on a device begins. From now on everything is initialised; a wrapper that the program
        has kept lets all calls through."""
        self._active = False
        for patch in self._patches:
            patch.restore()
        self._filled_by.clear()

    def _replace_initialiser(self, name: str) -> List[Patch]:
        """Everywhere in torch.nn: its modules have imported some initialisers by name."""
        original = getattr(self._torch.nn.init, name)
        wrapper = self._skipping_initialiser(original)
        modules = [module for path, module in list(sys.modules.items()) if path.startswith("torch.nn.")]
        homes = [module for module in modules if vars(module).get(name) is original]
        return [Patch(home, name, lambda _: wrapper) for home in homes]

    def _skipping_initialiser(self, original: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(original)
        def initialise(*args: Any, **kwargs: Any) -> Any:
            tensor = args[0] if args else kwargs.get("tensor")
            if self._active and self._parameters.is_large(tensor) and self._skip(original, tensor, args[1:], kwargs):
                return tensor
            return original(*args, **kwargs)

        return initialise

    def _skipping_fill(self, original: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(original)
        def fill(tensor: Any, *args: Any, **kwargs: Any) -> Any:
            if self._is_writable_parameter(tensor) and self._skip(original, tensor, args, kwargs):
                self._filled_by[storage_key(tensor)] = sys._getframe(1).f_code
                return tensor
            return original(tensor, *args, **kwargs)

        return fill

    def _skipping_arithmetic(self, original: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(original)
        def compute(tensor: Any, *args: Any, **kwargs: Any) -> Any:
            if self._filled_by and self._is_writable_parameter(tensor):
                if self._filled_by.get(storage_key(tensor)) is sys._getframe(1).f_code:
                    return tensor
            return original(tensor, *args, **kwargs)

        return compute

    def _is_writable_parameter(self, tensor: Any) -> bool:
        """PyTorch refuses to write into a leaf that requires grad; we leave that refusal to PyTorch."""
        return (
            self._active
            and self._parameters.is_large(tensor)
            and self._parameters.includes(tensor)
            and not (tensor.requires_grad and self._torch.is_grad_enabled())
        )

    def _skip(self, original: Callable[..., Any], tensor: Any, args: Any, kwargs: Dict[str, Any]) -> bool:
        """True if the tensor has been emptied instead. We do not judge wrong arguments: a small tensor with the same
        number of dimensions tries them, with a generator of its own, and what it refuses is left to the original."""
        try:
            sample = tensor.detach().new_empty([min(length, 2) for length in tensor.shape])
            named = {name: value for name, value in kwargs.items() if name not in ("tensor", "generator")}
            unnamed = [arg for arg in args if not isinstance(arg, self._torch.Generator)]
            if original.__name__ not in UNRANDOM:
                named["generator"] = self._generator
            original(sample, *unnamed, **named)
            return pages.discard(tensor.data_ptr(), size_of(tensor))
        except Exception:
            return False
