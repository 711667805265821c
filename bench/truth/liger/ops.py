# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""The operations by their published names."""

from __future__ import annotations

from typing import Callable

from . import activations, attention, distillation, experts, heads, losses, mlp, norms, preference, references, rotary
from .embedding import embedding
from .row import Row, Task

OPS: dict[str, Callable[[Row], Task]] = {
    "cross_entropy": losses.cross_entropy,
    "distill_cosine_loss": distillation.distill_cosine_loss,
    "distill_jsd_loss": distillation.distill_jsd_loss,
    "dpo_loss": references.dpo_loss,
    "dyt": norms.dyt,
    "embedding": embedding,
    "fused_add_rms_norm": norms.fused_add_rms_norm,
    "fused_linear_cpo_loss": preference.fused_linear_cpo_loss,
    "fused_linear_cross_entropy": heads.fused_linear_cross_entropy,
    "fused_linear_jsd": heads.fused_linear_jsd,
    "fused_linear_orpo_loss": preference.fused_linear_orpo_loss,
    "fused_linear_simpo_loss": preference.fused_linear_simpo_loss,
    "fused_moe": experts.fused_moe,
    "fused_neighborhood_attention": attention.fused_neighborhood_attention,
    "geglu": mlp.gated_layer,
    "group_norm": norms.group_norm,
    "jsd": losses.jsd,
    "kl_div": losses.kl_div,
    "kto_loss": references.kto_loss,
    "layer_norm": norms.layer_norm,
    "llama4_rope": rotary.llama4_rope,
    "megatron_cross_entropy": losses.megatron_cross_entropy,
    "megatron_rms_norm": norms.megatron_rms_norm,
    "megatron_swiglu": activations.megatron_swiglu,
    "multi_token_attention": attention.multi_token_attention,
    "poly_norm": norms.poly_norm,
    "qwen2vl_mrope": rotary.qwen2vl_mrope,
    "relu_squared": activations.relu_squared,
    "rms_norm": norms.rms_norm,
    "rope": rotary.rope,
    "softmax": activations.softmax,
    "sparse_multi_token_attention": attention.sparse_multi_token_attention,
    "sparsemax": activations.sparsemax,
    "swiglu": mlp.gated_layer,
    "tiled_geglu": mlp.gated_layer,
    "tiled_swiglu": mlp.gated_layer,
    "tvd": losses.tvd,
}
