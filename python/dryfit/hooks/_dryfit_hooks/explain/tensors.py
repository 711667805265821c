# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""The addresses of tensors that the program keeps: parameters, buffers, gradients, optimizer state."""

from __future__ import annotations

import gc
import weakref
from typing import Any, Dict, Iterator, List, Tuple

from ..module_paths import ModulePaths, all_modules, submodules, table
from .marks import Marks, Row

PARAMETER, BUFFER, GRADIENT, STATE = range(4)


class Tensors:
    def __init__(self, torch: Any, marks: Marks, paths: ModulePaths) -> None:
        self._torch = torch
        self._marks = marks
        self._paths = paths
        self._roots: "weakref.WeakSet[Any]" = weakref.WeakSet()
        self._optimizers: "weakref.WeakSet[Any]" = weakref.WeakSet()
        self._owners: Dict[int, Tuple[Any, Any, int]] = {}  # by id: the parameter and its module, weakly, and its name
        self._types: Dict[Any, int] = {}

    def root(self, module: Any) -> None:
        """A module that the program called; looks at the tensors of what contains it on the first call."""
        root = self._paths.root_of(module)
        if root not in self._roots:
            self._roots.add(root)
            self._marks.saw(self._of_modules([root]))

    def optimizer(self, optimizer: Any) -> None:
        self._optimizers.add(optimizer)

    def look_at_parameters_of(self, optimizer: Any) -> None:
        """Those that belong to no module."""
        own = [each for group in optimizer.param_groups for each in group["params"] if not self._is_owned(each)]
        self._marks.saw([row for each in own for row in self._row(PARAMETER, each, 0, 0)])

    def look_at_gradients(self) -> None:
        self._marks.saw(self._gradients())

    def look_at_state(self) -> None:
        self._marks.saw(self._state())

    def look_at_all(self) -> None:
        """Everything, including modules that the program never called: an averaged copy, a frozen teacher."""
        modules = list(self._roots) + self._uncalled()
        rows = [*self._of_modules(modules), *self._gradients(), *self._state()]
        self._marks.saw([*rows, *self._copies(modules, {row[2] for row in rows})])

    def _uncalled(self) -> List[Any]:
        unknown = [each for each in all_modules() if self._paths.known(each) is None]
        inner = {id(child) for each in unknown for _, child in table(each, "_modules")}
        roots = [each for each in unknown if id(each) not in inner]
        for each in roots:
            self._paths.learn(each, type(each).__name__)
        return roots

    def _copies(self, roots: List[Any], known: "set[int]") -> List[Row]:
        """Lists and dictionaries of tensors like the parameters of a module: an average of them, for example. What has
        an address in `known` is something else."""
        rows = []
        parameters = [each for root in roots for each in _lists_of_parameters(root)]
        for tensors in _containers(self._torch, {len(each) for each in parameters}):
            own = next((each for each in parameters if _are_alike(each, tensors)), None)
            for parameter, tensor in zip(own or (), tensors):
                if tensor.layout is self._torch.strided and tensor.data_ptr() not in known:
                    module, name = self._name_of(parameter)
                    rows += self._row(PARAMETER, tensor, module, self._marks.name(f"copy of {name}"))
        return rows

    def _of_modules(self, roots: List[Any]) -> List[Row]:
        rows = []
        for module in {id(each): each for root in roots for _, each in submodules(root)}.values():
            path = self._paths.known(module) or self._paths.of(module, "")
            owner = self._marks.name(path)
            for name, parameter in table(module, "_parameters"):
                if not self._is_owned(parameter):
                    self._owners[id(parameter)] = (weakref.ref(parameter), weakref.ref(module), self._marks.name(name))
                rows += self._row(PARAMETER, parameter, *self._owner(parameter))
            for name, buffer in table(module, "_buffers"):
                rows += self._row(BUFFER, buffer, owner, self._marks.name(name))
        return rows

    def _is_owned(self, parameter: Any) -> bool:
        found = self._owners.get(id(parameter))
        return found is not None and found[0]() is parameter

    def _owner(self, parameter: Any) -> Tuple[int, int]:
        """The names of its module and of itself; 0 if it belongs to none."""
        if not self._is_owned(parameter):
            return (0, 0)
        _, module, name = self._owners[id(parameter)]
        return (self._marks.name(self._paths.known(module()) or ""), name)

    def _parameters(self) -> Iterator[Any]:
        seen = set()
        for optimizer in list(self._optimizers):
            for group in optimizer.param_groups:
                for parameter in group["params"]:
                    seen.add(id(parameter))
                    yield parameter
        for reference, _, _ in list(self._owners.values()):
            parameter = reference()
            if parameter is not None and id(parameter) not in seen:
                yield parameter

    def _gradients(self) -> List[Row]:
        rows = []
        for parameter in self._parameters():
            if parameter.requires_grad and _may_have_gradient(parameter) and parameter.grad is not None:
                module, name = self._name_of(parameter)
                rows += self._row(GRADIENT, parameter.grad, module, self._marks.name(f"{name}.grad"))
        return rows

    def _state(self) -> List[Row]:
        rows = []
        for optimizer in list(self._optimizers):
            for parameter, state in list(optimizer.state.items()):
                module, name = self._name_of(parameter)
                for key, tensor in _tensors_in(state, ""):
                    rows += self._row(STATE, tensor, module, self._marks.name(f"{key} of {name}" if name else key))
        return rows

    def _name_of(self, parameter: Any) -> Tuple[int, str]:
        module, name = self._owner(parameter)
        return module, self._marks.text(name)

    def _row(self, role: int, tensor: Any, module: int, name: int) -> List[Row]:
        """One row or none: only plain tensors on a device have an address."""
        if not self._is_plain(tensor) or not tensor.is_cuda or tensor.is_sparse:
            return []
        address = tensor.data_ptr()
        size = tensor.numel() * tensor.element_size()
        if address == 0 or size == 0:
            return []
        return [(role, tensor.get_device(), address, size, module, name, self._type_of(tensor))]

    def _is_plain(self, tensor: Any) -> bool:
        kind = type(tensor)
        if kind is self._torch.nn.Parameter or kind is self._torch.Tensor:
            return True
        plain = self._torch._C._disabled_torch_dispatch_impl
        return issubclass(kind, self._torch.Tensor) and getattr(kind, "__torch_dispatch__", None) is plain

    def _type_of(self, tensor: Any) -> int:
        key = (tensor.dtype, tensor.shape)
        known = self._types.get(key)
        if known is None:
            known = self._types[key] = self._marks.name(f"{str(tensor.dtype)[6:]} {list(tensor.shape)}")
        return known


def _lists_of_parameters(root: Any) -> List[List[Any]]:
    """All of them, and those that are trained, if they are several."""
    own = [each for _, module in submodules(root) for _, each in table(module, "_parameters")]
    unique = list({id(each): each for each in own}.values())
    trained = [each for each in unique if each.requires_grad]
    return [each for each in (unique, trained) if len(each) > 1]


def _containers(torch: Any, lengths: "set[int]") -> Iterator[List[Any]]:
    """Lists and dictionaries of one of these lengths that hold nothing but tensors."""
    for each in gc.get_objects():
        if type(each) not in (list, dict) or len(each) not in lengths:
            continue
        values = list(each.values()) if type(each) is dict else list(each)
        if all(type(value) in (torch.Tensor, torch.nn.Parameter) for value in values):
            yield values


def _are_alike(parameters: List[Any], tensors: List[Any]) -> bool:
    same = len(parameters) == len(tensors) and all(a.shape == b.shape for a, b in zip(parameters, tensors))
    return same and not any(a is b for a, b in zip(parameters, tensors))


def _may_have_gradient(tensor: Any) -> bool:
    """PyTorch warns the program when the gradient of any other tensor is looked at."""
    return bool(tensor.is_leaf or tensor.retains_grad)


def _tensors_in(value: Any, key: str) -> Iterator[Tuple[str, Any]]:
    """The values of a state that may be tensors, through dicts and lists, with the outermost name."""
    if isinstance(value, dict):
        for name, each in value.items():
            yield from _tensors_in(each, key or str(name))
    elif isinstance(value, (list, tuple)):
        for each in value:
            yield from _tensors_in(each, key)
    else:
        yield key, value
