# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Attention written out: multi-token attention over given scores, its sparse form, and neighbourhood attention."""

from __future__ import annotations

import math
from typing import Optional

import torch
from torch import nn
from torch.nn import functional

from .norms import given_gradient_task
from .row import DEVICE, Row, Task, bystander

ONE_PROVIDER_ALIVE = "2026-04-18"  # since then the other provider's module is gone when the peak is taken


class ScoreConvolution(nn.Module):
    """Masks causal scores, makes probabilities of them, convolves those over queries and keys, masks again."""

    def __init__(self, row: Row) -> None:
        super().__init__()
        inputs, outputs, kernel, self.groups = (row.size(name) for name in ("C_in", "C_out", "K", "groups"))
        self.padding = kernel // 2
        weight = torch.empty(outputs, inputs // self.groups, kernel, kernel, dtype=row.dtype, device=DEVICE)
        self.weight = nn.Parameter(weight)
        self.bias = nn.Parameter(torch.empty(outputs, dtype=row.dtype, device=DEVICE)) if row.config["bias"] else None

    def convolve(self, x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor | None) -> torch.Tensor:
        return functional.conv2d(x, weight, bias, stride=1, padding=self.padding, groups=self.groups)


def causal_mask(length: int) -> torch.Tensor:
    return torch.tril(torch.ones(length, length, dtype=torch.bool, device=DEVICE)).view(1, 1, length, length)


class MultiToken(ScoreConvolution):
    def forward(self, scores: torch.Tensor) -> torch.Tensor:
        mask = causal_mask(scores.shape[-1])
        low = torch.tensor(-1e9, device=DEVICE, dtype=scores.dtype)
        zero = torch.tensor(0.0, device=DEVICE, dtype=scores.dtype)
        masked = scores.masked_fill(~mask, low)
        probabilities = functional.softmax(masked, dim=-1)
        y = self.convolve(probabilities, self.weight, self.bias)
        return y.masked_fill(~mask, zero)


class SparseMultiToken(ScoreConvolution):
    """With sparsemax, all in float32; rows without support get no probability."""

    def forward(self, scores: torch.Tensor) -> torch.Tensor:
        length = scores.shape[-1]
        mask = causal_mask(length)
        low = torch.tensor(-1e9, device=DEVICE, dtype=torch.float32)
        zero = torch.tensor(0.0, device=DEVICE, dtype=torch.float32)
        wide = scores.float()
        z = wide.masked_fill(~mask, low)
        ordered, _ = torch.sort(z, dim=-1, descending=True)
        sums = torch.cumsum(ordered, dim=-1)
        ranks = torch.arange(1, length + 1, device=DEVICE, dtype=z.dtype).view(1, 1, 1, length)
        real = ordered > -1e8
        supported = (1 + ranks * ordered > sums) & real
        count = torch.sum(supported, dim=-1, keepdim=True)
        safe_count = torch.max(count, torch.ones_like(count))
        sum_of_support = torch.gather(sums, dim=-1, index=safe_count.long() - 1)
        threshold = (sum_of_support - 1) / safe_count.to(z.dtype)
        threshold = torch.where(count == 0, torch.full_like(threshold, float("inf")), threshold)
        probabilities = torch.clamp(z - threshold, min=0)
        weight = self.weight.float()
        bias = self.bias.float() if self.bias is not None else None
        y = self.convolve(probabilities, weight, bias)
        return y.masked_fill(~mask, zero).to(scores.dtype)


def score_task(row: Row, module: type[ScoreConvolution]) -> Task:
    length = row.size("L")
    shape = (row.size("B"), row.size("C_in"), length, length)
    return given_gradient_task(module(row), other_provider(row, module), shape, row)


def other_provider(row: Row, module: type[nn.Module]) -> Optional[nn.Module]:
    return bystander(module(row)).to(row.dtype) if row.measured < ONE_PROVIDER_ALIVE else None


def multi_token_attention(row: Row) -> Task:
    return score_task(row, MultiToken)


def sparse_multi_token_attention(row: Row) -> Task:
    return score_task(row, SparseMultiToken)


class Neighbourhood(nn.Module):
    """Attention of every token to those at most half a kernel away.

    Kernel size and dilation decide only which elements of the mask are set, one by one, which takes no memory.
    """

    def __init__(self, row: Row) -> None:
        super().__init__()
        hidden, self.heads = row.size("hidden_size"), row.size("num_heads")
        self.scale = 1.0 / math.sqrt(hidden // self.heads)
        self.query, self.key, self.value, self.out = (
            nn.Linear(hidden, hidden, bias=row.config["bias"]) for _ in range(4)
        )

    def split(self, x: torch.Tensor) -> torch.Tensor:
        batch, length, hidden = x.shape
        return x.view(batch, length, self.heads, hidden // self.heads).transpose(1, 2)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        batch, length, hidden = x.shape
        query, key, value = self.query(x), self.key(x), self.value(x)
        query, key, value = self.split(query), self.split(key), self.split(value)
        scores = torch.matmul(query, key.transpose(-2, -1)) * self.scale
        mask = torch.zeros(length, length, device=DEVICE, dtype=torch.bool)
        scores = scores.masked_fill(~mask, float("-inf"))
        weights = torch.softmax(scores, dim=-1)
        attended = torch.matmul(weights, value)
        attended = attended.transpose(1, 2).contiguous().view(batch, length, hidden)
        return self.out(attended)


def fused_neighborhood_attention(row: Row) -> Task:
    other = other_provider(row, Neighbourhood)
    module = Neighbourhood(row).to(DEVICE).to(row.dtype)
    shape = (row.size("batch_size"), row.size("seq_len"), row.size("hidden_size"))
    return given_gradient_task(module, other, shape, row)
