# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""The Transformer, loss and optimizer of the kkaitlyn recordings, written anew from their call stacks.

The order of the statements and the lifetime of every variable are those of the recorded runs. Weights come first in
every einsum, each attention layer has a rotary table of its own, and everything is made on the GPU.
"""

from __future__ import annotations

import math
from typing import Any, Callable, Iterable, Optional

import torch
from einops import einsum, rearrange
from torch import nn

from course_model import Size

NORM_EPSILON = 1e-5
ROPE_BASE = 10000.0
MASKED_SCORE = -1e9
DEVICE = "cuda"


def _weight(rows: int, columns: int) -> nn.Parameter:
    return nn.Parameter(nn.init.trunc_normal_(torch.empty(rows, columns, device=DEVICE)))


class Linear(nn.Module):
    def __init__(self, inputs: int, outputs: int) -> None:
        super().__init__()
        self.weight = _weight(outputs, inputs)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return einsum(self.weight, x, "o i, ... i -> ... o")


class Embedding(nn.Module):
    def __init__(self, entries: int, d_model: int) -> None:
        super().__init__()
        self.weight = _weight(entries, d_model)

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        return self.weight[ids]


class RMSNorm(nn.Module):
    def __init__(self, d_model: int) -> None:
        super().__init__()
        self.d_model = d_model
        self.weight = nn.Parameter(torch.ones(d_model, device=DEVICE))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        dtype = x.dtype
        x = x.to(torch.float32)
        norm = torch.linalg.vector_norm(x, dim=-1, keepdim=True)
        rms = torch.sqrt(norm**2 / self.d_model + NORM_EPSILON)
        normalised = x / rms
        result = einsum(self.weight, normalised, "d, ... d -> ... d")
        return result.to(dtype)


class RotaryEmbedding(nn.Module):
    table: torch.Tensor  # [position, half of d_head, cos and sin]

    def __init__(self, context_length: int, d_head: int) -> None:
        super().__init__()
        positions = torch.arange(context_length, device=DEVICE)
        exponents = torch.arange(0, d_head, 2, device=DEVICE) / d_head
        powers = ROPE_BASE**exponents
        frequencies = 1.0 / powers
        angles = torch.outer(positions, frequencies)
        table = torch.empty(*angles.shape, 2, device=DEVICE)
        table[..., 0] = torch.cos(angles)
        table[..., 1] = torch.sin(angles)
        self.register_buffer("table", table, persistent=False)

    def forward(self, x: torch.Tensor, positions: torch.Tensor) -> torch.Tensor:
        cos = self.table[..., 0][positions].unsqueeze(1)
        sin = self.table[..., 1][positions].unsqueeze(1)
        pairs = rearrange(x, "... (half xy) -> ... half xy", xy=2)
        rotated = torch.zeros_like(pairs)
        rotated[..., 0] = pairs[..., 0] * cos - pairs[..., 1] * sin
        rotated[..., 1] = pairs[..., 0] * sin + pairs[..., 1] * cos
        return rearrange(rotated, "... half xy -> ... (half xy)")


def softmax(x: torch.Tensor, dim: int) -> torch.Tensor:
    largest = torch.max(x, dim=dim, keepdim=True).values
    exponentials = torch.exp(x - largest)
    total = torch.sum(exponentials, dim=dim, keepdim=True)
    return exponentials / total


def scaled_dot_product_attention(
    queries: torch.Tensor, keys: torch.Tensor, values: torch.Tensor, mask: torch.Tensor
) -> torch.Tensor:
    scores = torch.einsum("...qd,...kd->...qk", queries, keys)
    scores = scores / math.sqrt(queries.shape[-1])
    scores = scores.masked_fill(mask == False, MASKED_SCORE)  # noqa: E712
    weights = softmax(scores, dim=-1)
    return torch.einsum("...qk,...kd->...qd", weights, values)


class CausalSelfAttention(nn.Module):
    def __init__(self, size: Size, context_length: int) -> None:
        super().__init__()
        self.heads = size.heads
        self.q_proj = Linear(size.d_model, size.d_model)
        self.k_proj = Linear(size.d_model, size.d_model)
        self.v_proj = Linear(size.d_model, size.d_model)
        self.output_proj = Linear(size.d_model, size.d_model)
        self.rope = RotaryEmbedding(context_length, size.d_head)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        batch, length, _ = x.shape
        q = self.q_proj(x)
        k = self.k_proj(x)
        v = self.v_proj(x)
        queries = rearrange(q, "b s (h d) -> b h s d", h=self.heads)
        keys = rearrange(k, "b s (h d) -> b h s d", h=self.heads)
        values = rearrange(v, "b s (h d) -> b h s d", h=self.heads)
        positions = torch.arange(length, device=x.device).unsqueeze(0).expand(batch, -1)
        queries = self.rope(queries, positions)
        keys = self.rope(keys, positions)
        mask = torch.triu(torch.ones(length, length, device=x.device), diagonal=1).to(torch.bool)
        mask = ~mask
        mask = mask.expand(batch, self.heads, length, length)
        attended = scaled_dot_product_attention(queries, keys, values, mask)
        attended = rearrange(attended, "b h s d -> b s (h d)")
        return self.output_proj(attended)


class SwiGLU(nn.Module):
    def __init__(self, size: Size) -> None:
        super().__init__()
        self.w1 = Linear(size.d_model, size.d_ff)
        self.w2 = Linear(size.d_ff, size.d_model)
        self.w3 = Linear(size.d_model, size.d_ff)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        gate = self.w1(x)
        value = self.w3(x)
        gate_activated = torch.sigmoid(gate) * gate
        return self.w2(gate_activated * value)


class TransformerBlock(nn.Module):
    def __init__(self, size: Size, context_length: int) -> None:
        super().__init__()
        self.ln1 = RMSNorm(size.d_model)
        self.attn = CausalSelfAttention(size, context_length)
        self.ln2 = RMSNorm(size.d_model)
        self.ffn = SwiGLU(size)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        branch = self.ln1(x)
        branch = self.attn(branch)
        x = x + branch
        branch = self.ln2(x)
        branch = self.ffn(branch)
        return x + branch


class TransformerLM(nn.Module):
    def __init__(self, size: Size, context_length: int, vocabulary: int) -> None:
        super().__init__()
        self.token_embeddings = Embedding(vocabulary, size.d_model)
        self.layers = nn.ModuleList(TransformerBlock(size, context_length) for _ in range(size.layers))
        self.ln_final = RMSNorm(size.d_model)
        self.lm_head = Linear(size.d_model, vocabulary)

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        x = self.token_embeddings(ids)
        for layer in self.layers:
            x = layer(x)
        x = self.ln_final(x)
        x = self.lm_head(x)
        return x


def cross_entropy(logits: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
    """The rows are numbered on the CPU, so each call copies their numbers to the GPU."""
    largest = torch.max(logits, dim=-1, keepdim=True).values
    logits = logits - largest
    exponentials = torch.exp(logits)
    total = torch.sum(exponentials, dim=-1)
    chosen = logits[torch.arange(logits.shape[0]), targets]
    losses = torch.log(total) - chosen
    return torch.mean(losses)


class AdamW(torch.optim.Optimizer):
    """m and v are made at the first step and changed in place; the update is the only tensor of a step that is new."""

    def __init__(
        self,
        params: Iterable[nn.Parameter],
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0.01,
    ) -> None:
        super().__init__(params, {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay})

    @torch.no_grad()
    def step(self, closure: Optional[Callable[[], Any]] = None) -> None:
        for group in self.param_groups:
            beta_1, beta_2 = group["betas"]
            for p in group["params"]:
                if p.grad is None:
                    continue
                state = self.state[p]
                if not state:
                    state["t"] = 0
                    state["m"] = torch.zeros_like(p)
                    state["v"] = torch.zeros_like(p)
                state["t"] += 1
                m, v = state["m"], state["v"]
                m.mul_(beta_1).add_(p.grad, alpha=1 - beta_1)
                v.mul_(beta_2).addcmul_(p.grad, p.grad, value=1 - beta_2)
                rate = group["lr"] * math.sqrt(1 - beta_2 ** state["t"]) / (1 - beta_1 ** state["t"])
                update = m / torch.sqrt(v).add_(group["eps"])
                p.add_(update, alpha=-rate)
                p.mul_(1 - group["lr"] * group["weight_decay"])
