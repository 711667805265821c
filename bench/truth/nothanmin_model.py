# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""The Transformer and optimizer of the notHanmin recordings, written anew from their call stacks.

The order of the statements and the lifetime of every variable are those of the recorded runs. Weights come first in
every einsum, and each call of an attention layer makes its rotary tables anew on the GPU.
"""

from __future__ import annotations

import math
from typing import Any, Callable, Iterable, Optional

import torch
from einops import rearrange, reduce
from torch import nn

from course_model import Size

NORM_EPSILON = 1e-5
ROPE_BASE = 10000.0


def _weight(rows: int, columns: int) -> nn.Parameter:
    """Values are left out: only the move to the GPU is of interest."""
    return nn.Parameter(torch.empty(rows, columns))


class Linear(nn.Module):
    def __init__(self, inputs: int, outputs: int) -> None:
        super().__init__()
        self.weight = _weight(outputs, inputs)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.einsum("oi,...i->...o", self.weight, x)


class Embedding(nn.Module):
    def __init__(self, entries: int, d_model: int) -> None:
        super().__init__()
        self.weight = _weight(entries, d_model)

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        return self.weight[ids]


class RMSNorm(nn.Module):
    def __init__(self, d_model: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(d_model))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        mean_square = reduce(x**2, "... d -> ... 1", "mean")
        rms = torch.sqrt(mean_square + NORM_EPSILON)
        return (x / rms) * self.weight


class RotaryEmbedding(nn.Module):
    cos: torch.Tensor
    sin: torch.Tensor

    def __init__(self, context_length: int, d_head: int, device: torch.device) -> None:
        super().__init__()
        dimensions = torch.arange(0, d_head, 2, dtype=torch.float32, device=device)
        exponents = dimensions / d_head
        frequencies = 1.0 / (ROPE_BASE**exponents)
        positions = torch.arange(context_length, dtype=torch.float32, device=device)
        angles = torch.einsum("t,f->tf", positions, frequencies)
        self.register_buffer("cos", torch.cos(angles), persistent=False)
        self.register_buffer("sin", torch.sin(angles), persistent=False)

    def forward(self, x: torch.Tensor, positions: torch.Tensor) -> torch.Tensor:
        cos = self.cos[positions].unsqueeze(1)
        sin = self.sin[positions].unsqueeze(1)
        even = x[..., ::2]
        odd = x[..., 1::2]
        even_rotated = even * cos - odd * sin
        odd_rotated = even * sin + odd * cos
        rotated = torch.empty_like(x)
        rotated[..., ::2] = even_rotated
        rotated[..., 1::2] = odd_rotated
        return rotated


def softmax(x: torch.Tensor, dim: int) -> torch.Tensor:
    largest = torch.max(x, dim=dim, keepdim=True).values
    shifted = x - largest
    exponentials = torch.exp(shifted)
    total = torch.sum(exponentials, dim=dim, keepdim=True)
    return exponentials / total


def scaled_dot_product_attention(
    queries: torch.Tensor, keys: torch.Tensor, values: torch.Tensor, mask: torch.Tensor
) -> torch.Tensor:
    scores = torch.einsum("...qd,...kd->...qk", queries, keys)
    masked = torch.where(mask, scores, float("-inf"))
    weights = softmax(masked / math.sqrt(queries.shape[-1]), dim=-1)
    return torch.einsum("...qk,...kd->...qd", weights, values)


class CausalSelfAttention(nn.Module):
    def __init__(self, size: Size) -> None:
        super().__init__()
        self.heads = size.heads
        self.d_head = size.d_head
        self.q_proj = Linear(size.d_model, size.d_model)
        self.k_proj = Linear(size.d_model, size.d_model)
        self.v_proj = Linear(size.d_model, size.d_model)
        self.output_proj = Linear(size.d_model, size.d_model)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        batch, length, _ = x.shape
        queries = self.q_proj(x)
        keys = self.k_proj(x)
        values = self.v_proj(x)
        queries = rearrange(queries, "b s (h d) -> b h s d", h=self.heads)
        keys = rearrange(keys, "b s (h d) -> b h s d", h=self.heads)
        values = rearrange(values, "b s (h d) -> b h s d", h=self.heads)
        positions = torch.arange(length, device=x.device).expand(batch, -1)
        rope = RotaryEmbedding(length, self.d_head, x.device)
        queries_rotated = rope(queries, positions)
        keys_rotated = rope(keys, positions)
        mask = torch.tril(torch.ones(length, length, dtype=torch.bool, device=x.device))
        attended = scaled_dot_product_attention(queries_rotated, keys_rotated, values, mask)
        joined = rearrange(attended, "b h s d -> b s (h d)")
        return self.output_proj(joined)


class SwiGLU(nn.Module):
    def __init__(self, size: Size) -> None:
        super().__init__()
        self.w1 = Linear(size.d_model, size.d_ff)
        self.w2 = Linear(size.d_ff, size.d_model)
        self.w3 = Linear(size.d_model, size.d_ff)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        gate = self.w1(x)
        value = self.w3(x)
        gate_activated = gate * torch.sigmoid(gate)
        product = gate_activated * value
        return self.w2(product)


class TransformerBlock(nn.Module):
    def __init__(self, size: Size) -> None:
        super().__init__()
        self.ln1 = RMSNorm(size.d_model)
        self.attn = CausalSelfAttention(size)
        self.ln2 = RMSNorm(size.d_model)
        self.ffn = SwiGLU(size)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x + self.attn(self.ln1(x))
        return x + self.ffn(self.ln2(x))


class TransformerLM(nn.Module):
    def __init__(self, size: Size, vocabulary: int) -> None:
        super().__init__()
        self.token_embeddings = Embedding(vocabulary, size.d_model)
        self.layers = nn.ModuleList(TransformerBlock(size) for _ in range(size.layers))
        self.ln_final = RMSNorm(size.d_model)
        self.lm_head = Linear(size.d_model, vocabulary)

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        x = self.token_embeddings(ids)
        for layer in self.layers:
            x = layer(x)
        x = self.ln_final(x)
        return self.lm_head(x)


class AdamW(torch.optim.Optimizer):
    """m and v are made at the first step and changed in place; the denominator is the only new tensor of a step."""

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
                state["m"].mul_(beta_1).add_(p.grad, alpha=1 - beta_1)
                state["v"].mul_(beta_2).addcmul_(p.grad, p.grad, value=1 - beta_2)
                rate = group["lr"] * math.sqrt(1 - beta_2 ** state["t"]) / (1 - beta_1 ** state["t"])
                denominator = state["v"].sqrt().add_(group["eps"])
                p.addcdiv_(state["m"], denominator, value=-rate)
                p.mul_(1 - group["lr"] * group["weight_decay"])
