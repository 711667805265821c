# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""What the profiler's trace does not contain: the "dryfit" object of docs/estimate.md."""

from __future__ import annotations

import json
import os
import platform
import sys
import weakref
from typing import Any, Callable, Dict, Iterator, List, Mapping, Optional, Tuple

from _dryfit_hooks.patching import quietly

from .hook_log import HookLog
from .modules import ModuleNames

FORMAT = 1
# Variables that affect a GPU's memory. The program may set them itself, so they are read at the end.
VARIABLES = ("CUBLAS_WORKSPACE_CONFIG", "CUBLASLT_WORKSPACE_SIZE", "PYTORCH_CUDA_ALLOC_CONF", "PYTORCH_ALLOC_CONF")


class Facts:
    def __init__(self, torch: Any, log: HookLog, modules: ModuleNames, environment: Mapping[str, str]) -> None:
        self._torch = torch
        self._log = log
        self._modules = modules
        self._environment = environment
        self._optimizers: "weakref.WeakSet[Any]" = weakref.WeakSet()
        self._parameters: List[Dict[str, Any]] = []
        self._buffers: List[Dict[str, Any]] = []
        self._described: List[Dict[str, Any]] = []
        self._steps = 0
        self.more: Callable[[], Dict[str, Any]] = dict  # what other parts have found

    def install(self) -> None:
        from torch.optim.optimizer import register_optimizer_step_post_hook

        register_optimizer_step_post_hook(lambda optimizer, args, kwargs: self._optimizers.add(optimizer))

    def step_completed(self) -> None:
        """Describes models while they exist: they are gone when the program has ended."""
        self._steps += 1
        self._describe()

    def collect(self) -> Dict[str, Any]:
        if self._steps == 0:
            quietly(self._describe)()
        return {
            "format": FORMAT,
            "dryfit": self._environment.get("DRYFIT_VERSION", ""),
            "torch": str(self._torch.__version__),
            "python": platform.python_version(),
            "command": self._command(),
            "loaded_in_trace": True,
            "parameters": self._parameters,
            "buffers": self._buffers,
            "optimizers": self._described,
            "steps": self._steps,
            "ended": self._ended(),
            "cudnn_benchmark": bool(self._torch.backends.cudnn.benchmark),
            "environment": {name: os.environ[name] for name in VARIABLES if name in os.environ},
            "hooks_errors": self._log.errors,
            **self.more(),
        }

    def _command(self) -> List[str]:
        try:
            return [str(word) for word in json.loads(self._environment.get("DRYFIT_COMMAND", "[]"))]
        except ValueError:
            return []

    def _ended(self) -> str:
        if self._log.notes.get("stop.reason") == "steps":
            return "steps"
        return "error" if getattr(sys, "last_type", None) is not None else "exit"

    @quietly
    def _describe(self) -> None:
        names: Dict[int, str] = {}
        self._parameters = list(self._tensors("parameters", names))
        self._buffers = list(self._tensors("buffers", names))
        index = {name: place for place, name in enumerate(each["name"] for each in self._parameters)}
        self._described = [self._optimizer(each, names, index) for each in self._optimizers]

    def _tensors(self, kind: str, names: Dict[int, str]) -> Iterator[Dict[str, Any]]:
        for model in self._modules.models():
            for name, tensor in _in_order_of_moving(model, kind):
                yield self._tensor(name, tensor, kind, names)

    def _tensor(self, name: str, tensor: Any, kind: str, names: Dict[int, str]) -> Dict[str, Any]:
        first = names.setdefault(id(tensor), name)
        fact: Dict[str, Any] = {
            "name": name,
            "shape": list(tensor.shape),
            "dtype": str(tensor.dtype).rpartition(".")[2],
        }
        fact.update({"bytes": tensor.numel() * tensor.element_size()} if first == name else {"tied": first})
        if kind == "parameters":
            fact["requires_grad"] = tensor.requires_grad
        return fact

    def _optimizer(self, optimizer: Any, names: Dict[int, str], index: Dict[str, int]) -> Dict[str, Any]:
        kind = type(optimizer)
        defaults = {name: value for name, value in optimizer.defaults.items() if _is_plain(value)}
        held = [names.get(id(each)) for group in optimizer.param_groups for each in group["params"]]
        return {
            "class": f"{kind.__module__}.{kind.__qualname__}",
            "defaults": defaults,
            "parameters": [index[name] for name in held if name is not None],
            "foreach": _flag(defaults.get("foreach")),
            "fused": _flag(defaults.get("fused")),
        }


def _in_order_of_moving(module: Any, kind: str, path: str = "") -> Iterator[Tuple[str, Any]]:
    """Module.to() visits the children first. The same tensor may come twice."""
    for name, child in module.named_children():
        yield from _in_order_of_moving(child, kind, f"{path}{name}.")
    for name, tensor in getattr(module, f"_{kind}").items():
        if tensor is not None:
            yield f"{path}{name}", tensor


def _is_plain(value: Any) -> bool:
    return value is None or isinstance(value, (bool, int, float, str)) and value == value


def _flag(value: Any) -> Optional[bool]:
    return value if isinstance(value, bool) else None
