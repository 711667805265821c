# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""The layers of a model in the order in which its first forward pass calls them."""

from __future__ import annotations

import json
import os
from typing import Any, Dict, List, Optional

# What a layer's shapes and parameters do not tell.
SETTINGS = ("kernel_size", "stride", "groups", "num_heads")


class LayerSequence:
    """Watches a first step. The file is whole or not there; `complete` is false when the forward pass failed.

    Nothing of the program is held, and the only question asked of the device is how much memory is allocated.
    """

    def __init__(self, torch: Any, model: Any, path: str) -> None:
        self._torch = torch
        self._model = model
        self._path = path
        self._layers: List[Dict[str, Any]] = []
        self._before: List[int] = []
        self._complete = False
        self._hooks: List[Any] = []

    def __enter__(self) -> None:
        for name, module in self._model.named_modules():
            if self._is_layer(module):
                self._hooks.append(module.register_forward_pre_hook(self._enter))
                self._hooks.append(module.register_forward_hook(self._leaver(name)))
        self._hooks.append(self._model.register_forward_hook(self._ended))

    def __exit__(self, *_: Any) -> None:
        for hook in self._hooks:
            hook.remove()
        if not self._complete:
            self._write()

    def _is_layer(self, module: Any) -> bool:
        """nn.MultiheadAttention has a child, and does not call it."""
        return isinstance(module, self._torch.nn.MultiheadAttention) or not any(True for _ in module.children())

    def _enter(self, module: Any, args: Any) -> None:
        if not self._complete:
            self._before.append(self._torch.cuda.memory_allocated())

    def _leaver(self, name: str) -> Any:
        def leave(module: Any, args: Any, output: Any) -> None:
            if self._complete:
                return
            held = self._torch.cuda.memory_allocated() - self._before.pop()
            self._layers.append(
                {
                    "name": name,
                    "kind": type(module).__name__,
                    "inputs": self._shapes(args),
                    "outputs": self._shapes(output),
                    "parameters": sum(each.numel() for each in module.parameters()),
                    **self._settings_of(module),
                    "held_bytes": held,
                }
            )

        return leave

    def _ended(self, module: Any, args: Any, output: Any) -> None:
        if not self._complete:
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
