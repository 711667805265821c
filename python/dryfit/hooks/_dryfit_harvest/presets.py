# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Models of transformers with the sizes of well-known ones. Settings that are missing have the library's default."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Dict


@dataclass(frozen=True)
class Preset:
    model: str
    config: str
    task: str = "text"  # or "image"
    settings: Dict[str, Any] = field(default_factory=dict)
    positions: str = ""  # the setting that limits the length of a sequence
    spare_positions: int = 0  # positions that the model uses itself


def _bert(family: str, spare: int = 0, **settings: Any) -> Preset:
    return Preset(f"{family}ForMaskedLM", f"{family}Config", "text", settings, "max_position_embeddings", spare)


def _causal(family: str, model: str = "ForCausalLM", positions: str = "max_position_embeddings", **settings: Any) -> Preset:
    return Preset(f"{family}{model}", f"{family}Config", "text", settings, positions)


def _gpt2(**settings: Any) -> Preset:
    return _causal("GPT2", "LMHeadModel", "n_positions", **settings)


def _image(family: str, **settings: Any) -> Preset:
    return Preset(f"{family}ForImageClassification", f"{family}Config", "image", settings)


def _wide(hidden: int, layers: int, heads: int, **settings: Any) -> Dict[str, Any]:
    """With a feed-forward part of four times the width, as in most models."""
    return {
        "hidden_size": hidden,
        "num_hidden_layers": layers,
        "num_attention_heads": heads,
        "intermediate_size": 4 * hidden,
        **settings,
    }


_ROBERTA = {"vocab_size": 50265, "max_position_embeddings": 514, "type_vocab_size": 1}

PRESETS: Dict[str, Preset] = {
    "albert-base": _bert("Albert", **_wide(768, 12, 12)),
    "albert-large": _bert("Albert", **_wide(1024, 24, 16)),
    "bert-base": _bert("Bert"),
    "bert-large": _bert("Bert", **_wide(1024, 24, 16)),
    "bert-medium": _bert("Bert", **_wide(512, 8, 8)),
    "bert-small": _bert("Bert", **_wide(512, 4, 8)),
    "distilbert": _bert("DistilBert"),
    "electra-base": _bert("Electra", **_wide(768, 12, 12, embedding_size=768)),
    "electra-small": _bert("Electra", **_wide(256, 12, 4)),
    "roberta-base": _bert("Roberta", 2, **_ROBERTA),
    "roberta-large": _bert("Roberta", 2, **_wide(1024, 24, 16, **_ROBERTA)),
    "distilgpt2": _gpt2(n_layer=6),
    "gpt2": _gpt2(),
    "gpt2-medium": _gpt2(n_embd=1024, n_layer=24, n_head=16),
    "gpt2-large": _gpt2(n_embd=1280, n_layer=36, n_head=20),
    "gpt-neo-125m": _causal(
        "GPTNeo", hidden_size=768, num_layers=12, num_heads=12, attention_types=[[["global", "local"], 6]]
    ),
    "opt-125m": _causal("OPT"),
    "opt-350m": _causal(
        "OPT",
        hidden_size=1024,
        ffn_dim=4096,
        num_hidden_layers=24,
        num_attention_heads=16,
        word_embed_proj_dim=512,
        do_layer_norm_before=False,
    ),
    "pythia-70m": _causal("GPTNeoX", **_wide(512, 6, 8, vocab_size=50304)),
    "pythia-160m": _causal("GPTNeoX", **_wide(768, 12, 12, vocab_size=50304)),
    "pythia-410m": _causal("GPTNeoX", **_wide(1024, 24, 16, vocab_size=50304)),
    "llama-160m": _causal("Llama", **_wide(768, 12, 12)),
    "tinyllama-1.1b": _causal("Llama", **{**_wide(2048, 22, 32, num_key_value_heads=4), "intermediate_size": 5632}),
    "qwen2-0.5b": _causal(
        "Qwen2",
        hidden_size=896,
        intermediate_size=4864,
        num_hidden_layers=24,
        num_attention_heads=14,
        num_key_value_heads=2,
        vocab_size=151936,
        tie_word_embeddings=True,
    ),
    "bart-base": _causal(
        "Bart",
        "ForConditionalGeneration",
        d_model=768,
        encoder_layers=6,
        decoder_layers=6,
        encoder_attention_heads=12,
        decoder_attention_heads=12,
        encoder_ffn_dim=3072,
        decoder_ffn_dim=3072,
    ),
    "t5-small": Preset("T5ForConditionalGeneration", "T5Config", "text", {"decoder_start_token_id": 0}),
    "t5-base": Preset(
        "T5ForConditionalGeneration",
        "T5Config",
        "text",
        {"decoder_start_token_id": 0, "d_model": 768, "d_ff": 3072, "num_layers": 12, "num_heads": 12},
    ),
    "convnext-tiny": _image("ConvNext"),
    "resnet-50": _image("ResNet"),
    "vit-small": _image("ViT", **_wide(384, 12, 6)),
    "vit-base": _image("ViT"),
    "vit-large": _image("ViT", **_wide(1024, 24, 16)),
}
