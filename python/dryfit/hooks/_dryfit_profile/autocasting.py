# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""The GPU's autocast, applied to tensors on the CPU: the two differ in which function works in which precision.

The lists are those of torch 2.6 `at::autocast` (autocast_mode.h: AT_FORALL_LOWER_PRECISION_FP, AT_FORALL_FP32,
AT_FORALL_FP32_SET_OPT_DTYPE, AT_FORALL_DIFFERENT_REDISPATCH_SIGNATURE, AT_FORALL_PROMOTE) under their names in Python,
and functions composed of these. A leaf that is cast to the lower precision is cast once and kept until the outermost
autocast is left, as in `cached_cast`.
"""

from __future__ import annotations

import importlib
from typing import Any, Callable, Dict, Optional, Tuple

from _dryfit_hooks.patching import Patch, around, quietly

Arguments = Tuple[Any, ...]
Keywords = Dict[str, Any]

LOWER = frozenset(
    """
    _convolution conv1d conv2d conv3d conv_tbc conv_transpose1d conv_transpose2d conv_transpose3d convolution prelu addmm
    addmv addr matmul einsum mm mv linalg_vecdot linear addbmm baddbmm bmm chain_matmul linalg_multi_dot
    _thnn_fused_lstm_cell _thnn_fused_gru_cell lstm_cell gru_cell rnn_tanh_cell rnn_relu_cell lstm gru rnn_tanh rnn_relu
    scaled_dot_product_attention __matmul__ __rmatmul__
    """.split()
)
FULL = frozenset(
    """
    acos asin cosh erfinv exp expm1 log log10 log2 log1p reciprocal rsqrt sinh tan pow __pow__ __rpow__ softplus layer_norm
    native_layer_norm group_norm frobenius_norm nuclear_norm cosine_similarity poisson_nll_loss cosine_embedding_loss
    nll_loss nll_loss2d hinge_embedding_loss kl_div l1_loss smooth_l1_loss huber_loss mse_loss margin_ranking_loss
    multilabel_margin_loss soft_margin_loss triplet_margin_loss multi_margin_loss binary_cross_entropy_with_logits dist
    pdist cdist renorm logsumexp upsample_nearest1d upsample_nearest2d upsample_nearest3d upsample_linear1d
    upsample_bilinear2d upsample_trilinear3d upsample_bicubic2d prod softmax log_softmax cumprod cumsum linalg_vector_norm
    linalg_matrix_norm sum norm nll_loss_nd binary_cross_entropy
    """.split()
)
WIDEST = frozenset(
    "addcdiv addcmul atan2 bilinear cross dot vdot grid_sampler index_put tensordot scatter_add cat stack".split()
)


class Autocasting:
    def __init__(self, torch: Any) -> None:
        self._torch = torch
        self._kept: Dict[int, Tuple[Any, Any]] = {}  # a leaf's identity: the leaf, its cast
        self._enabled = self._enabled_test()
        self.last: Optional[Dict[str, str]] = None  # the last autocast of the GPU, for the trace

    def install(self) -> None:
        module = importlib.import_module("torch.amp.autocast_mode")
        Patch(module.autocast, "__enter__", lambda original: around(original, self._entered))
        Patch(module.autocast, "__exit__", lambda original: around(original, after=self._left))

    def cast(self, func: Any, args: Arguments, kwargs: Keywords) -> Tuple[Arguments, Keywords]:
        """The arguments as autocast passes them on. PyTorch's builds cast the last one first: C++ leaves the order to
        the compiler, and theirs goes from right to left."""
        if not self._enabled():
            return args, kwargs
        change = self._change_for(getattr(func, "__name__", ""), args, kwargs)
        if change is None:
            return args, kwargs
        named = {name: self._each(change, value) for name, value in reversed(kwargs.items())}
        cast = [self._each(change, value) for value in reversed(args)]
        return tuple(reversed(cast)), {name: named[name] for name in kwargs}

    def _change_for(self, name: str, args: Arguments, kwargs: Keywords) -> Optional[Callable[[Any], Any]]:
        if name in LOWER:
            return self._to_lower
        if name in FULL and kwargs.get("dtype") is None:
            return self._to_full
        if name in WIDEST and self._holds_full(args):
            return self._to_full
        return None

    def _each(self, change: Callable[[Any], Any], value: Any) -> Any:
        if isinstance(value, self._torch.Tensor):
            return change(value) if self._is_eligible(value) else value
        if isinstance(value, (list, tuple)) and any(isinstance(each, self._torch.Tensor) for each in value):
            return type(value)(self._each(change, each) for each in value)
        return value

    def _is_eligible(self, tensor: Any) -> bool:
        return tensor.is_floating_point() and tensor.dtype != self._torch.float64

    def _holds_full(self, values: Any) -> bool:
        return any(
            value.dtype == self._torch.float32
            if isinstance(value, self._torch.Tensor)
            else isinstance(value, (list, tuple)) and self._holds_full(value)
            for value in values
        )

    def _to_full(self, tensor: Any) -> Any:
        return tensor.to(self._torch.float32)

    def _to_lower(self, tensor: Any) -> Any:
        dtype = self._dtype()
        if tensor.dtype == dtype:
            return tensor
        keeps = (
            self._torch.is_autocast_cache_enabled()
            and tensor.dtype == self._torch.float32
            and tensor.requires_grad
            and tensor.is_leaf
            and not tensor._is_view()
        )
        if not keeps:
            return tensor.to(dtype)
        if id(tensor) not in self._kept:
            self._kept[id(tensor)] = (tensor, tensor.to(dtype))
        return self._kept[id(tensor)][1]

    @quietly
    def _entered(self, manager: Any, *_: Any) -> None:
        if manager.device == "cuda" and getattr(manager, "_enabled", True):
            self.last = {"device": "cuda", "dtype": str(manager.fast_dtype).rpartition(".")[2]}

    @quietly
    def _left(self, token: Any, failed: bool) -> None:
        if not self._enabled():
            self._kept.clear()

    def _enabled_test(self) -> Callable[[], bool]:
        """Before PyTorch 2.4, is_autocast_enabled takes no device and is about CUDA."""
        torch = self._torch
        if _takes_device(torch):
            return lambda: torch.is_autocast_enabled("cuda")
        return torch.is_autocast_enabled

    def _dtype(self) -> Any:
        torch = self._torch
        return torch.get_autocast_dtype("cuda") if _takes_device(torch) else torch.get_autocast_gpu_dtype()


def _takes_device(torch: Any) -> bool:
    return hasattr(torch, "get_autocast_dtype")
