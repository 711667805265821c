# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""The four networks of the PEFT image generation runs, from their published sizes, with weights nobody initialised."""

from __future__ import annotations

from typing import Any, Callable

import torch
from diffusers import AutoencoderKLFlux2, FlowMatchEulerDiscreteScheduler, Flux2KleinPipeline, Flux2Transformer2DModel
from torch import nn
from transformers import Dinov2Config, Dinov2Model, Qwen3Config, Qwen3ForCausalLM

# FLUX.2-klein-base-4B: 3,875,544,576 parameters.
TRANSFORMER = {
    "in_channels": 128,
    "num_layers": 5,
    "num_single_layers": 20,
    "attention_head_dim": 128,
    "num_attention_heads": 24,
    "joint_attention_dim": 7680,
    "mlp_ratio": 3.0,
    "guidance_embeds": False,
}
# Qwen3-4B.
TEXT_ENCODER = {
    "vocab_size": 151936,
    "hidden_size": 2560,
    "intermediate_size": 9728,
    "num_hidden_layers": 36,
    "num_attention_heads": 32,
    "num_key_value_heads": 8,
    "head_dim": 128,
    "tie_word_embeddings": True,
}


class PaddedTokens:
    """In place of a tokenizer: some tokens of text, then padding. Only the lengths matter."""

    TEXT = 32

    def apply_chat_template(self, messages: list[dict[str, str]], **_: Any) -> str:
        return messages[0]["content"]

    def __call__(self, text: str, max_length: int, **_: Any) -> dict[str, torch.Tensor]:
        mask = torch.zeros(1, max_length, dtype=torch.int64)
        mask[:, : self.TEXT] = 1
        return {"input_ids": torch.zeros(1, max_length, dtype=torch.int64), "attention_mask": mask}


def on_meta(build: Callable[[], nn.Module], dtype: torch.dtype) -> nn.Module:
    with torch.device("meta"):
        return build().to(dtype)


def materialised(module: nn.Module) -> nn.Module:
    """On the host. Memory that is never written takes no room there, so networks larger than the host can be built."""
    module = module.to_empty(device="cpu")
    with torch.no_grad():
        for buffer in module.buffers():
            buffer.zero_()
    return module


def transformer_on_meta(dtype: torch.dtype) -> nn.Module:
    return on_meta(lambda: Flux2Transformer2DModel(**TRANSFORMER), dtype)


def build_pipeline(transformer: nn.Module, dtype: torch.dtype) -> Flux2KleinPipeline:
    """On the host."""
    pipeline = Flux2KleinPipeline(
        scheduler=FlowMatchEulerDiscreteScheduler(shift=3.0, use_dynamic_shifting=True),
        vae=materialised(on_meta(AutoencoderKLFlux2, dtype)),
        text_encoder=materialised(on_meta(lambda: Qwen3ForCausalLM(Qwen3Config(**TEXT_ENCODER)), dtype)),
        tokenizer=PaddedTokens(),
        transformer=transformer,
    )
    pipeline.vae.requires_grad_(False).eval()
    pipeline.text_encoder.requires_grad_(False).eval()
    pipeline.set_progress_bar_config(disable=True)
    return pipeline


def build_dino() -> nn.Module:
    """DINOv2-base, which judged the images; in fp32, on the host."""
    return materialised(on_meta(lambda: Dinov2Model(Dinov2Config(image_size=518, patch_size=14)), torch.float32))


def leave_card(module: nn.Module) -> None:
    """What module.to("cpu") means to the card; the host's copy stays unwritten."""
    for tensor in (*module.parameters(), *module.buffers()):
        tensor.data = torch.empty_like(tensor, device="cpu")
