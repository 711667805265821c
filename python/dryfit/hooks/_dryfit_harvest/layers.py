# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""The layers of a model in the order in which its first forward pass calls them."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from typing import Any, Dict, List, Optional

# What a layer's shapes and parameters do not show.
SETTINGS = ("kernel_size", "stride", "groups", "num_heads")


@dataclass
class _Call:
    """A layer that is running."""

    layer: Any
    between: int  # growth of allocated memory since the previous boundary
    begun: int  # allocated when it began


class LayerSequence:
    """Watches the first step. The file is written whole or not at all; `complete` is false if the forward pass failed.

    It keeps no objects of the program alive, and only reads from the device how much memory is allocated.
    """

    def __init__(self, torch: Any, model: Any, path: str) -> None:
        self._torch = torch
        self._model = model
        self._path = path
        self._layers: List[Dict[str, Any]] = []
        self._calls: List[_Call] = []  # the innermost is the last
        self._begun = 0  # allocated when the forward pass began
        self._boundary = 0  # allocated when it, or last a layer, began or ended
        self._forward_bytes: Optional[int] = None
        self._complete = False
        self._hooks: List[Any] = []

    def __enter__(self) -> None:
        self._hooks.append(self._model.register_forward_pre_hook(self._forward_begins))
        for name, module in self._model.named_modules():
            if self._is_layer(module):
                self._hooks.append(module.register_forward_pre_hook(self._enter))
                self._hooks.append(module.register_forward_hook(self._leaver(name)))
        self._hooks.append(self._model.register_forward_hook(self._forward_ends))

    def __exit__(self, *_: Any) -> None:
        for hook in self._hooks:
            hook.remove()
        if not self._complete:
            self._write()

    def _is_layer(self, module: Any) -> bool:
        """nn.MultiheadAttention has a child that it does not call."""
        return isinstance(module, self._torch.nn.MultiheadAttention) or not any(True for _ in module.children())

    def _forward_begins(self, module: Any, args: Any) -> None:
        if not self._complete:
            self._begun = self._boundary = self._torch.cuda.memory_allocated()

    def _enter(self, module: Any, args: Any) -> None:
        if not self._complete:
            now = self._torch.cuda.memory_allocated()
            self._calls.append(_Call(module, now - self._boundary, now))
            self._boundary = now

    def _leaver(self, name: str) -> Any:
        def leave(module: Any, args: Any, output: Any) -> None:
            if self._complete:
                return
            self._boundary = self._torch.cuda.memory_allocated()
            call = self._end_of_call(module)
            self._layers.append(
                {
                    "name": name,
                    "kind": type(module).__name__,
                    "inputs": self._shapes(args),
                    "outputs": self._shapes(output),
                    "parameters": sum(each.numel() for each in module.parameters()),
                    **self._settings_of(module),
                    "between_bytes": call.between,
                    "held_bytes": self._boundary - call.begun,
                }
            )

        return leave

    def _end_of_call(self, layer: Any) -> _Call:
        """Inner calls that are still on the stack were ended by an exception that the model has caught."""
        while True:
            call = self._calls.pop()
            if call.layer is layer:
                return call

    def _forward_ends(self, module: Any, args: Any, output: Any) -> None:
        if not self._complete:
            self._forward_bytes = self._torch.cuda.memory_allocated() - self._begun
            self._complete = True
            self._write()

    def _shapes(self, value: Any) -> List[List[int]]:
        if isinstance(value, self._torch.Tensor):
            return [list(value.shape)]
        if isinstance(value, (tuple, list)):
            return [shape for each in value for shape in self._shapes(each)]
        return []

    def _settings_of(self, module: Any) -> Dict[str, Any]:
        found = {name: _numbers(getattr(module, name, None)) for name in SETTINGS}
        return {name: value for name, value in found.items() if value is not None}

    def _write(self) -> None:
        parameters = list(self._model.parameters())
        content = {
            "parameters": sum(each.numel() for each in parameters),
            "parameter_bytes": sum(each.numel() * each.element_size() for each in parameters),
            "buffer_bytes": sum(each.numel() * each.element_size() for each in self._model.buffers()),
            "forward_bytes": self._forward_bytes,
            "complete": self._complete,
            "layers": self._layers,
        }
        with open(self._path + ".part", "w", encoding="utf-8") as file:
            json.dump(content, file)
        os.replace(self._path + ".part", self._path)


def _numbers(value: Any) -> Optional[Any]:
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, int):
        return value
    if isinstance(value, (tuple, list)) and all(isinstance(each, int) for each in value):
        return list(value)
    return None
