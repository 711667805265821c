# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""One forward pass of the Transformer of the silmont2000 recordings after warm-up.

Written anew from the operations in the recorded stacks. The order of the statements and the lifetime of every variable
are those of the recorded runs; names bound to a value that is used once are therefore kept as they are.
"""

from __future__ import annotations

import argparse
import contextlib
import math
import sys

import torch
from einops import einsum, rearrange
from torch import nn

import model_options
from recording import Recording

ROPE_BASE = 10000.0
NORM_EPSILON = 1e-5


class Linear(nn.Module):
    def __init__(self, inputs: int, outputs: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.empty(outputs, inputs))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return einsum(x, self.weight, "... i, o i -> ... o")


class WeightFirstLinear(Linear):
    """Under autocast the first operand is converted first."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return einsum(self.weight, x, "o i, ... i -> ... o")


class Embedding(nn.Module):
    def __init__(self, entries: int, d_model: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.empty(entries, d_model))

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        return self.weight[ids]


class RMSNorm(nn.Module):
    def __init__(self, d_model: int) -> None:
        super().__init__()
        self.d_model = d_model
        self.weight = nn.Parameter(torch.ones(d_model))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        squares = einsum(x, x, "b s d, b s d -> b s")
        squares = squares / self.d_model + NORM_EPSILON
        rms = torch.sqrt(squares).unsqueeze(-1)
        return x / rms * self.weight


class RotaryEmbedding(nn.Module):
    cos: torch.Tensor  # [position, d_head], each value twice
    sin: torch.Tensor

    def __init__(self, context_length: int, d_head: int) -> None:
        super().__init__()
        frequencies = ROPE_BASE ** -(torch.arange(0, d_head, 2) / d_head)
        angles = torch.outer(torch.arange(context_length).float(), frequencies).repeat_interleave(2, dim=-1)
        self.register_buffer("cos", torch.cos(angles), persistent=False)
        self.register_buffer("sin", torch.sin(angles), persistent=False)

    @staticmethod
    def rotate_half(x: torch.Tensor) -> torch.Tensor:
        return torch.stack((-x[..., 1::2], x[..., ::2]), dim=-1).flatten(-2)

    def forward(self, x: torch.Tensor, positions: torch.Tensor) -> torch.Tensor:
        cos = self.cos[positions]
        sin = self.sin[positions]
        return x * cos + self.rotate_half(x) * sin


def softmax(x: torch.Tensor, dim: int) -> torch.Tensor:
    largest = torch.max(x, dim=dim, keepdim=True).values
    exponentials = torch.exp(x - largest)
    total = torch.sum(exponentials, dim=dim, keepdim=True)
    return exponentials / total


def scaled_dot_product_attention(
    queries: torch.Tensor, keys: torch.Tensor, values: torch.Tensor, mask: torch.Tensor
) -> torch.Tensor:
    scores = einsum(queries, keys, "... q d, ... k d -> ... q k") / math.sqrt(queries.shape[-1])
    scores = scores.masked_fill(mask == 0, float("-inf"))
    weights = softmax(scores, dim=-1)
    return einsum(weights, values, "... q k, ... k d -> ... q d")


class CausalSelfAttention(nn.Module):
    def __init__(self, options: argparse.Namespace) -> None:
        super().__init__()
        self.heads = options.heads
        self.q_proj = Linear(options.d_model, options.d_model)
        self.k_proj = Linear(options.d_model, options.d_model)
        self.v_proj = Linear(options.d_model, options.d_model)
        self.output_proj = Linear(options.d_model, options.d_model)
        self.rope = RotaryEmbedding(options.ctx, options.d_model // options.heads)

    def split(self, x: torch.Tensor) -> torch.Tensor:
        return rearrange(x, "b s (h d) -> b h s d", h=self.heads)

    def forward(self, x: torch.Tensor, positions: torch.Tensor) -> torch.Tensor:
        queries = self.split(self.q_proj(x))
        keys = self.split(self.k_proj(x))
        values = self.split(self.v_proj(x))
        queries = self.rope(queries, positions)
        keys = self.rope(keys, positions)
        mask = torch.tril(torch.ones(x.shape[1], x.shape[1], device=x.device)).bool()
        attended = scaled_dot_product_attention(queries, keys, values, mask)
        merged = rearrange(attended, "b h s d -> b s (h d)")
        return self.output_proj(merged)


def silu(x: torch.Tensor) -> torch.Tensor:
    return x * torch.sigmoid(x)


class SwiGLU(nn.Module):
    def __init__(self, options: argparse.Namespace) -> None:
        super().__init__()
        self.w1 = WeightFirstLinear(options.d_model, options.d_ff)
        self.w2 = WeightFirstLinear(options.d_ff, options.d_model)
        self.w3 = WeightFirstLinear(options.d_model, options.d_ff)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        gate = self.w1(x)
        up = self.w3(x)
        output = self.w2(silu(gate) * up)
        return output.to(x.dtype)


class Block(nn.Module):
    def __init__(self, options: argparse.Namespace) -> None:
        super().__init__()
        self.ln1 = RMSNorm(options.d_model)
        self.ln2 = RMSNorm(options.d_model)
        self.attn = CausalSelfAttention(options)
        self.ffn = SwiGLU(options)

    def forward(self, x: torch.Tensor, positions: torch.Tensor) -> torch.Tensor:
        normalised = self.ln1(x)
        attended = self.attn(normalised, positions)
        y = x + attended
        normalised_again = self.ln2(y)
        fed = self.ffn(normalised_again)
        return y + fed


class TransformerLM(nn.Module):
    def __init__(self, options: argparse.Namespace) -> None:
        super().__init__()
        self.embedding = Embedding(options.vocabulary, options.d_model)
        self.blocks = nn.ModuleList(Block(options) for _ in range(options.layers))
        self.ln_final = RMSNorm(options.d_model)
        self.lm_head = Linear(options.d_model, options.vocabulary)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.embedding(x)
        positions = torch.arange(0, x.shape[1], device=x.device)
        for block in self.blocks:
            output = block(x, positions)
            x = output
        x = self.ln_final(x)
        return self.lm_head(x)


def forward(model: TransformerLM, ids: torch.Tensor, options: argparse.Namespace) -> None:
    with torch.no_grad() if "nograd" in options.mode else contextlib.nullcontext():
        with torch.autocast("cuda", dtype=torch.bfloat16, enabled=options.precision == "bf16"):
            logits = model(ids)
    del logits


def main() -> int:
    options = model_options.parser(__doc__.splitlines()[0]).parse_args()
    model = TransformerLM(options).to("cuda")
    ids = torch.randint(0, options.vocabulary, (options.batch, options.ctx), device="cuda")
    for _ in range(options.warmup):
        forward(model, ids, options)
    torch.cuda.synchronize()
    recording = Recording(options.out)
    forward(model, ids, options)
    torch.cuda.synchronize()
    recording.finish()
    return 0


if __name__ == "__main__":
    sys.exit(main())
