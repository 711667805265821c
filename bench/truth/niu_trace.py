# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""The Transformer of the NiuHuangxiaozi recordings, built and run from an empty allocator.

Written anew from its description in words. The order of the statements and the lifetime of every variable are those of
the recorded runs; names bound to a value that is used once are therefore kept as they are.
"""

from __future__ import annotations

import argparse
import math
import sys
from typing import Any, Callable, Iterable, NamedTuple, Optional

import torch
from einops import einsum, rearrange
from torch import nn

import model_options
from recording import Recording

DEVICE = "cuda"
POSITIONS = 256
ROPE_BASE = 10000
NORM_EPSILON = 1e-5
ITERATIONS = 3


class Size(NamedTuple):
    d_model: int
    d_ff: int
    layers: int
    heads: int
    vocabulary: int


def weight(rows: int, columns: int) -> nn.Parameter:
    parameter = nn.Parameter(torch.empty((rows, columns), device=DEVICE))
    nn.init.trunc_normal_(parameter)
    return parameter


class Linear(nn.Module):
    def __init__(self, inputs: int, outputs: int) -> None:
        super().__init__()
        self.weight = weight(outputs, inputs)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return einsum(x, self.weight, "... i, o i -> ... o")


class Embedding(nn.Module):
    def __init__(self, entries: int, d_model: int) -> None:
        super().__init__()
        self.weight = weight(entries, d_model)

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        return self.weight[ids]


class RMSNorm(nn.Module):
    def __init__(self, d_model: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(d_model, device=DEVICE))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        rms = torch.sqrt(torch.mean(x**2, dim=-1, keepdim=True) + NORM_EPSILON)
        return x / rms * self.weight


class RotaryEmbedding(nn.Module):
    """Its tables stay on the CPU; every call copies the rows it needs."""

    def __init__(self, d_head: int) -> None:
        super().__init__()
        frequencies = 1.0 / (ROPE_BASE ** (torch.arange(0, d_head, 2) / d_head))
        angles = torch.outer(torch.arange(POSITIONS).float(), frequencies)
        self.sin = torch.sin(angles)
        self.cos = torch.cos(angles)

    def forward(self, x: torch.Tensor, positions: torch.Tensor) -> torch.Tensor:
        sin = self.sin[positions].to(device=x.device).unsqueeze(-1)
        cos = self.cos[positions].to(device=x.device).unsqueeze(-1)
        pairs = x.reshape(*x.shape[:-1], x.shape[-1] // 2, 2)
        first = cos * pairs[..., :1] - sin * pairs[..., 1:]
        second = sin * pairs[..., :1] + cos * pairs[..., 1:]
        return torch.cat([first, second], dim=-1).reshape(x.shape)


def softmax(x: torch.Tensor, dim: int) -> torch.Tensor:
    """Computes the exponentials twice."""
    largest, _ = torch.max(x, dim=dim, keepdim=True)
    return torch.exp(x - largest) / torch.sum(torch.exp(x - largest), dim=dim, keepdim=True)


def scaled_dot_product_attention(
    queries: torch.Tensor, keys: torch.Tensor, values: torch.Tensor, mask: torch.Tensor
) -> torch.Tensor:
    mask = mask.to(device=queries.device)
    scores = einsum(queries, keys, "... q d, ... k d -> ... q k")
    scaled = scores / torch.sqrt(torch.tensor(queries.shape[-1]).to(queries.device))
    scaled.masked_fill_(~mask.bool(), float("-inf"))
    weights = softmax(scaled, -1)
    return einsum(weights, values, "... q k, ... k d -> ... q d")


class CausalSelfAttention(nn.Module):
    def __init__(self, size: Size) -> None:
        super().__init__()
        self.heads = size.heads
        self.q_proj = Linear(size.d_model, size.d_model)
        self.k_proj = Linear(size.d_model, size.d_model)
        self.v_proj = Linear(size.d_model, size.d_model)
        self.output_proj = Linear(size.d_model, size.d_model)
        self.rope = RotaryEmbedding(size.d_model // size.heads)

    def split(self, x: torch.Tensor) -> torch.Tensor:
        return rearrange(x, "b s (h d) -> b h s d", h=self.heads)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        length = x.shape[1]
        queries = self.q_proj(x)
        keys = self.k_proj(x)
        values = self.v_proj(x)
        queries, keys, values = self.split(queries), self.split(keys), self.split(values)
        positions = torch.arange(length)
        queries = self.rope(queries, positions)
        keys = self.rope(keys, positions)
        mask = torch.tril(torch.ones(length, length))
        attended = scaled_dot_product_attention(queries, keys, values, mask)
        attended = rearrange(attended, "b h s d -> b s (h d)")
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
        gate = silu(self.w1(x))
        return self.w2(gate * self.w3(x))


class Block(nn.Module):
    def __init__(self, size: Size) -> None:
        super().__init__()
        self.ln1 = RMSNorm(size.d_model)
        self.ln2 = RMSNorm(size.d_model)
        self.attn = CausalSelfAttention(size)
        self.ffn = SwiGLU(size)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        normalised = self.ln1(x)
        attended = self.attn(normalised)
        y = x + attended
        normalised_again = self.ln2(y)
        fed = self.ffn(normalised_again)
        return y + fed


class TransformerLM(nn.Module):
    def __init__(self, size: Size) -> None:
        super().__init__()
        self.embedding = Embedding(size.vocabulary, size.d_model)
        self.blocks = nn.ModuleList(Block(size) for _ in range(size.layers))
        self.ln_final = RMSNorm(size.d_model)
        self.lm_head = Linear(size.d_model, size.vocabulary)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.embedding(x)
        for block in self.blocks:
            x = block(x)
        return self.lm_head(self.ln_final(x))


def cross_entropy(logits: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
    largest, _ = torch.max(logits, dim=-1, keepdim=True)
    log_probabilities = logits - largest - torch.log(torch.sum(torch.exp(logits - largest), dim=-1, keepdim=True))
    one_hot = torch.zeros_like(log_probabilities)
    one_hot.scatter_(1, labels.unsqueeze(1), 1)
    return -torch.sum(one_hot * log_probabilities) / logits.shape[0]


class Adam(torch.optim.Optimizer):
    """Moments exist from the beginning; every step replaces moments and weights by new tensors."""

    def __init__(self, params: Iterable[nn.Parameter], lr: float = 1e-3, weight_decay: float = 0.0) -> None:
        super().__init__(params, {"lr": lr, "weight_decay": weight_decay})
        self.steps = 0
        for group in self.param_groups:
            for p in group["params"]:
                self.state[p]["m"] = torch.zeros_like(p.data)
                self.state[p]["v"] = torch.zeros_like(p.data)

    def step(self, closure: Optional[Callable[[], Any]] = None) -> None:
        self.steps += 1
        beta_1, beta_2 = 0.9, 0.95
        for group in self.param_groups:
            lr, weight_decay = group["lr"], group["weight_decay"]
            for p in group["params"]:
                grad = p.grad.data
                state = self.state[p]
                m = state["m"]
                new_m = beta_1 * m + (1 - beta_1) * grad
                state["m"] = new_m
                v = state["v"]
                new_v = beta_2 * v + (1 - beta_2) * grad**2
                state["v"] = new_v
                rate = lr * math.sqrt(1 - beta_2**self.steps) / (1 - beta_1**self.steps)
                p.data = p.data - rate * (new_m / (torch.sqrt(new_v) + 1e-8))
                p.data = p.data - lr * weight_decay * p.data


def autocast(options: argparse.Namespace) -> torch.autocast:
    return torch.autocast("cuda", dtype=torch.bfloat16, enabled=options.precision == "bf16")


def random_ids(vocabulary: int, *shape: int) -> torch.Tensor:
    return torch.randint(0, vocabulary, shape).to(device=DEVICE)


def forward(model: TransformerLM, options: argparse.Namespace, recording: Recording) -> None:
    ids = random_ids(options.vocabulary, options.batch, options.ctx)
    for _ in range(ITERATIONS):
        with autocast(options):
            model(ids)
    recording.finish()


def train(model: TransformerLM, options: argparse.Namespace, recording: Recording) -> None:
    optimizer = Adam(model.parameters())
    ids = random_ids(options.vocabulary, options.batch, options.ctx)
    labels = random_ids(options.vocabulary, options.batch)
    with autocast(options):
        for _ in range(ITERATIONS):
            optimizer.zero_grad()
            output = model(ids)
            logits = output[:, -1, :]
            loss = cross_entropy(logits, labels)
            loss.backward()
            optimizer.step()
    recording.finish()


def main() -> int:
    options = model_options.parser(__doc__.splitlines()[0]).parse_args()
    recording = Recording(options.out)
    size = Size(options.d_model, options.d_ff, options.layers, options.heads, options.vocabulary)
    run = train if options.mode == "train" else forward
    run(TransformerLM(size), options, recording)
    return 0


if __name__ == "__main__":
    sys.exit(main())
