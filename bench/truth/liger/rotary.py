# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Rotary position embeddings, with Hugging Face's own functions."""

from __future__ import annotations

from typing import Callable

import torch

from .row import DEVICE, Row, Task

Pair = tuple[torch.Tensor, torch.Tensor]


def heads(row: Row) -> tuple[int, int, int]:
    """Query heads, key heads, their size."""
    names = ("num_attention_heads", "num_key_value_heads") if row.shared else ("num_q_heads", "num_kv_heads")
    queries, keys = row.size(names[0]), row.size(names[1])
    hidden = row.size("hidden_size") if row.shared or "hidden_size" in row.config else int(row.x)
    return queries, keys, hidden // queries


def query_and_key(row: Row, transposed: bool) -> Pair:
    queries, keys, size = heads(row)
    made = [
        torch.randn((1, row.sequence, count, size), device=DEVICE, requires_grad=True, dtype=row.dtype)
        for count in (queries, keys)
    ]
    return tuple(x.transpose(1, 2) for x in made) if transposed else tuple(made)


def positions(row: Row) -> torch.Tensor:
    return torch.arange(row.sequence, device=DEVICE, dtype=torch.long).unsqueeze(0)


def task(row: Row, q: torch.Tensor, k: torch.Tensor, rotate: Callable[[], Pair], alive: object) -> Task:
    """The shared benchmarks differentiate the query only. The older ones differentiate both, without keeping the
    gradients, and what they had computed the angles from stays alive.
    """
    if row.shared:
        return Task(lambda: rotate()[0])
    gradients = (torch.randn_like(q), torch.randn_like(k))

    def full(_: object = alive) -> None:
        q_out, k_out = rotate()
        torch.autograd.grad((q_out, k_out), (q, k), gradients, allow_unused=True, retain_graph=True)

    return Task(lambda: rotate()[0], full=full)


def rope(row: Row) -> Task:
    from transformers.models.llama import modeling_llama
    from transformers.models.llama.configuration_llama import LlamaConfig

    config = LlamaConfig(head_dim=heads(row)[2])
    embedding = modeling_llama.LlamaRotaryEmbedding(config=config, device=DEVICE)
    q, k = query_and_key(row, transposed=True)
    places = positions(row)
    cos, sin = embedding(k, places)
    return task(row, q, k, lambda: modeling_llama.apply_rotary_pos_emb(q, k, cos, sin), (embedding, places))


def llama4_rope(row: Row) -> Task:
    from transformers.models.llama4 import modeling_llama4
    from transformers.models.llama4.configuration_llama4 import Llama4TextConfig

    queries, keys, size = heads(row)
    config = Llama4TextConfig(
        hidden_size=queries * size,
        num_attention_heads=queries,
        num_key_value_heads=keys,
        head_dim=size,
        max_position_embeddings=row.sequence,
    )
    embedding = modeling_llama4.Llama4TextRotaryEmbedding(config=config, device=DEVICE)
    q, k = query_and_key(row, transposed=False)
    places = positions(row)
    frequencies = embedding(q, places)
    return task(row, q, k, lambda: modeling_llama4.apply_rotary_emb(q, k, frequencies), (embedding, places))


def qwen2vl_mrope(row: Row) -> Task:
    from transformers.models.qwen2_vl import modeling_qwen2_vl
    from transformers.models.qwen2_vl.configuration_qwen2_vl import Qwen2VLTextConfig

    queries, keys, size = heads(row)
    side = size * 3 // 16
    sections = [size // 2 - 2 * side, side, side]
    config = Qwen2VLTextConfig(hidden_size=queries * size, num_attention_heads=queries, num_key_value_heads=keys)
    embedding = modeling_qwen2_vl.Qwen2VLRotaryEmbedding(config, device=DEVICE)
    q, k = query_and_key(row, transposed=True)
    places = torch.arange(row.sequence * 3, device=DEVICE, dtype=torch.long).view(3, 1, -1)
    cos, sin = embedding(k, places)
    apply = modeling_qwen2_vl.apply_multimodal_rotary_pos_emb
    return task(row, q, k, lambda: apply(q, k, cos, sin, sections), (embedding, places))
