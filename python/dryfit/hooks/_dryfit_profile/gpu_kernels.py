# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Functions with kernels that keep other tensors on a GPU than on the CPU, replaced so that the GPU's tensors are kept:
dropout with a mask of booleans, attention that saves a sum per row instead of the matrix of weights.
"""

from __future__ import annotations

import importlib
from typing import Any, Callable

from _dryfit_hooks.patching import Patch

from .device_mode import Arguments, DeviceMode, Keywords


class GpuKernels:
    def __init__(self, torch: Any, mode: DeviceMode) -> None:
        self._torch = torch
        self._mode = mode

    def install(self) -> None:
        self._mode.replace(self._torch.dropout, self._dropout)
        self._mode.replace(self._torch.nn.functional.scaled_dot_product_attention, self._attention)
        self._mode.replace(self._torch._C._nn.cross_entropy_loss, self._cross_entropy)
        self._allow_lists()
        # cuDNN would put the weights of a recurrent network into one piece.
        Patch(self._torch, "_use_cudnn_rnn_flatten_weight", lambda original: lambda: False)

    def _allow_lists(self) -> None:
        """torch.optim and gradient clipping work on lists of tensors on the devices that PyTorch names here."""
        utils = importlib.import_module("torch.utils._foreach_utils")
        for name in ("_get_foreach_kernels_supported_devices", "_get_fused_kernels_supported_devices"):
            original: Callable[[], Any] = getattr(utils, name, lambda: ["cuda"])
            setattr(utils, name, _with_cpu(original))
        Patch(self._torch._C, "_group_tensors_by_device_and_dtype", self._grouping)

    def _grouping(self, original: Callable[..., Any]) -> Callable[..., Any]:
        """Groups lists of tensors by the device of the first list."""

        def group(lists: Any, *args: Any, **kwargs: Any) -> Any:
            device = self._torch.device("cuda", 0)
            found = original(lists, *args, **kwargs)
            return {
                (device if any(map(self._mode.is_on_device, _first(groups))) else key[0], *key[1:]): groups
                for key, groups in found.items()
            }

        return group

    def _dropout(self, func: Any, args: Arguments, kwargs: Keywords) -> Any:
        """torch.dropout(input, p, train): a GPU uses its fused kernel for 0 < p < 1 while training."""
        values = dict(zip(("input", "p", "train"), args), **kwargs)
        tensor, p = values["input"], values["p"]
        if not (values["train"] and 0 < p < 1 and tensor.numel() > 0 and self._mode.is_on_device(tensor)):
            return self._mode.call(func, args, kwargs)
        return self._mode.call(self._torch.native_dropout, (tensor, p, True), {})[0]

    def _attention(self, func: Any, args: Arguments, kwargs: Keywords) -> Any:
        """With dropout, the CPU has only the kernel for single matrices; the GPU's keeps nothing more for it."""
        names = ("query", "key", "value", "attn_mask", "dropout_p", "is_causal")
        values = dict(zip(names, args), **kwargs)
        if self._mode.is_on_device(values["query"]):
            values["dropout_p"] = 0.0
        return self._mode.call(func, (), values)

    def _cross_entropy(self, func: Any, args: Arguments, kwargs: Keywords) -> Any:
        """Autocast leaves the first of its two parts, the logarithm, in the input's precision, and casts the input of
        the second. C++ calls both at once, where the CPU's autocast would see them and not the GPU's."""
        names = ("input", "target", "weight", "reduction", "ignore_index", "label_smoothing")
        values = {**dict(zip(names, args)), **kwargs}
        tensor, target = values["input"], values["target"]
        is_plain = not target.is_floating_point() and not values.get("label_smoothing")
        if tensor.dtype == self._torch.float32 or not is_plain or not self._mode.is_on_device(tensor):
            return self._mode.call(func, args, kwargs)
        dimension = 0 if tensor.dim() == 1 else 1
        logarithm = self._mode.call(self._torch.log_softmax, (tensor, dimension), {"dtype": tensor.dtype})
        rest = {name: values[name] for name in ("weight", "reduction", "ignore_index") if name in values}
        return self._mode.call(self._torch._C._nn.nll_loss_nd, (logarithm, target), rest)


def _first(groups: Any) -> Any:
    """The first tensor of the first list in (lists, indices), if there is one."""
    return [tensor for tensor in groups[0][0][:1] if tensor is not None]


def _with_cpu(original: Callable[[], Any]) -> Callable[[], Any]:
    return lambda: [*original(), "cpu"]
