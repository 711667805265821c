# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""The Transformer, optimizer and loss of the 2026 course runs, written anew from their description in words.

The order of the statements and the lifetime of every variable are those of the recorded runs: one tensor kept one
statement longer changes the recorded peaks. Names bound to a value that is used once are therefore kept as they are.

The model is made on whatever device is the default one: on the CPU and then moved, or under torch.device("cuda").
"""

from __future__ import annotations

import math
from typing import Any, Callable, Iterable, NamedTuple, Optional

import torch
from einops import einsum, rearrange
from torch import nn

VOCABULARY = 10000
BATCH = 4
ROPE_BASE = 10000.0
NORM_EPSILON = 1e-5
WEIGHT_SPREAD = 0.02


class Size(NamedTuple):
    d_model: int
    d_ff: int
    layers: int
    heads: int

    @property
    def d_head(self) -> int:
        return self.d_model // self.heads


SIZES = {
    "small": Size(768, 3072, 12, 12),
    "medium": Size(1024, 4096, 24, 16),
    "large": Size(1280, 5120, 36, 20),
    "xl": Size(2560, 10240, 32, 32),
    "10B": Size(4608, 12288, 50, 36),
}


def _weight(rows: int, columns: int) -> nn.Parameter:
    """Random on a GPU. On the CPU values are left out: only their move to the GPU is of interest."""
    weight = torch.empty(rows, columns)
    if weight.is_cuda:
        nn.init.trunc_normal_(weight, std=WEIGHT_SPREAD, a=-3 * WEIGHT_SPREAD, b=3 * WEIGHT_SPREAD)
    return nn.Parameter(weight)


class Linear(nn.Module):
    def __init__(self, inputs: int, outputs: int) -> None:
        super().__init__()
        self.weight = _weight(outputs, inputs)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return einsum(x, self.weight, "... i, o i -> ... o")


class Embedding(nn.Module):
    def __init__(self, entries: int, d_model: int) -> None:
        super().__init__()
        self.weight = _weight(entries, d_model)

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        return self.weight[ids, :]


class RMSNorm(nn.Module):
    def __init__(self, d_model: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(d_model))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        dtype = x.dtype
        x = x.to(torch.float32)
        scale = torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + NORM_EPSILON)
        x = x * scale
        return (self.weight * x).to(dtype)


class RotaryEmbedding(nn.Module):
    table: torch.Tensor  # [cos and sin, position, half of d_head]

    def __init__(self, context_length: int, d_head: int) -> None:
        super().__init__()
        frequencies = ROPE_BASE ** -(torch.arange(0, d_head, 2) / d_head)
        positions = torch.arange(context_length)
        angles = einsum(positions, frequencies, "t, f -> t f")
        table = torch.stack((torch.cos(angles), torch.sin(angles)))
        self.register_buffer("table", table, persistent=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        first, second = rearrange(x, "... (half xy) -> xy ... half", xy=2)
        cos, sin = self.table[:, : x.shape[-2], :]
        first_rotated = cos * first - sin * second
        second_rotated = sin * first + cos * second
        return torch.cat((first_rotated, second_rotated), dim=-1)


def softmax(x: torch.Tensor, dim: int) -> torch.Tensor:
    shifted = x - torch.max(x, dim=dim, keepdim=True)[0]
    exponentials = torch.exp(shifted)
    return exponentials / torch.sum(exponentials, dim=dim, keepdim=True)


def scaled_dot_product_attention(
    queries: torch.Tensor, keys: torch.Tensor, values: torch.Tensor, mask: Optional[torch.Tensor] = None
) -> torch.Tensor:
    d_head = keys.shape[-1]
    scores = einsum(queries, keys, "... q d, ... k d -> ... q k") / math.sqrt(d_head)
    if mask is not None:
        scores = torch.where(mask, scores, float("-inf"))
    weights = softmax(scores, dim=-1)
    return einsum(weights, values, "... q k, ... k d -> ... q d")


class CausalSelfAttention(nn.Module):
    def __init__(self, size: Size, rope: RotaryEmbedding) -> None:
        super().__init__()
        self.heads = size.heads
        self.q_proj = Linear(size.d_model, size.d_model)
        self.k_proj = Linear(size.d_model, size.d_model)
        self.v_proj = Linear(size.d_model, size.d_model)
        self.output_proj = Linear(size.d_model, size.d_model)
        self.rope = rope

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        length = x.shape[1]
        queries = self.q_proj(x)
        keys = self.k_proj(x)
        values = self.v_proj(x)
        queries, keys, values = (
            rearrange(projected, "b s (h d) -> b h s d", h=self.heads) for projected in (queries, keys, values)
        )
        queries = self.rope(queries)
        keys = self.rope(keys)
        positions = torch.arange(length, device=x.device)
        rows = positions.view(1, 1, length, 1)
        columns = positions.view(1, 1, 1, length)
        mask = rows >= columns
        attended = scaled_dot_product_attention(queries, keys, values, mask)
        attended = rearrange(attended, "b h s d -> b s (h d)").contiguous()
        return self.output_proj(attended)


def silu(x: torch.Tensor) -> torch.Tensor:
    return x * torch.sigmoid(x)


class SwiGLU(nn.Module):
    def __init__(self, size: Size) -> None:
        super().__init__()
        self.w1 = Linear(size.d_model, size.d_ff)
        self.w2 = Linear(size.d_ff, size.d_model)
        self.w3 = Linear(size.d_model, size.d_ff)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.w2(silu(self.w1(x)) * self.w3(x))


class TransformerBlock(nn.Module):
    def __init__(self, size: Size, rope: RotaryEmbedding) -> None:
        super().__init__()
        self.attn = CausalSelfAttention(size, rope)
        self.ffn = SwiGLU(size)
        self.ln1 = RMSNorm(size.d_model)
        self.ln2 = RMSNorm(size.d_model)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x_attn = self.attn(self.ln1(x))
        attn_sublayer_output = x + x_attn
        x_ffn = self.ffn(self.ln2(attn_sublayer_output))
        return attn_sublayer_output + x_ffn


class TransformerLM(nn.Module):
    def __init__(self, size: Size, context_length: int, vocabulary: int = VOCABULARY) -> None:
        super().__init__()
        self.token_embeddings = Embedding(vocabulary, size.d_model)
        self.rope = RotaryEmbedding(context_length, size.d_head)
        self.layers = nn.ModuleList(TransformerBlock(size, self.rope) for _ in range(size.layers))
        self.ln_final = RMSNorm(size.d_model)
        self.lm_head = Linear(size.d_model, vocabulary)

    def run_blocks(self, x: torch.Tensor) -> torch.Tensor:
        for layer in self.layers:
            x = layer(x)
        return x

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Arguments are released before other variables, so that x takes the argument's place."""
        embedded = self.token_embeddings(x)
        x = self.run_blocks(embedded)
        x = self.ln_final(x)
        return self.lm_head(x)


class AdamW(torch.optim.Optimizer):
    """Every step makes zeros for m and v even when both exist, and weight decay comes first."""

    def __init__(
        self,
        params: Iterable[nn.Parameter],
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0.01,
    ) -> None:
        super().__init__(params, {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay})

    def step(self, closure: Optional[Callable[[], Any]] = None) -> None:
        for group in self.param_groups:
            lr = group["lr"]
            beta_1, beta_2 = group["betas"]
            for p in group["params"]:
                if p.grad is None:
                    continue
                state = self.state[p]
                grad = p.grad.data
                p.data -= lr * group["weight_decay"] * p.data
                t = state.get("t", 1)
                previous_m = state.get("m", torch.zeros_like(grad))
                previous_v = state.get("v", torch.zeros_like(grad))
                m = beta_1 * previous_m + (1 - beta_1) * grad
                v = beta_2 * previous_v + (1 - beta_2) * torch.square(grad)
                alpha = lr * (math.sqrt(1 - beta_2**t) / (1 - beta_1**t))
                p.data -= alpha * m / (torch.sqrt(v) + group["eps"])
                state["m"] = m
                state["v"] = v
                state["t"] = t + 1


def log_softmax(x: torch.Tensor, dim: int = -1) -> torch.Tensor:
    maximum = torch.max(x, dim=dim, keepdim=True)[0]
    x = x - maximum
    return x - torch.log(torch.sum(torch.exp(x), dim=dim, keepdim=True))


def cross_entropy(logits: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
    negative_log_probabilities = -log_softmax(logits)
    return torch.mean(torch.gather(negative_log_probabilities, -1, targets.unsqueeze(-1)))


def autocast(precision: str) -> torch.autocast:
    """bf16 for "bf16"; nothing for "fp32"."""
    return torch.autocast("cuda", dtype=torch.bfloat16, enabled=precision == "bf16")
