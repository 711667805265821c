# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Normalisations."""

from __future__ import annotations

import torch
from torch import nn

from .row import DEVICE, Row, Task, bystander

COMPILED_BESIDE = "2025-01"  # that month's rms_norm had a third provider, a compiled module


def given_gradient_task(module: nn.Module, other: object, shape: tuple[int, ...], row: Row) -> Task:
    """Both providers' modules live; the gradient is made once."""
    x = torch.randn(shape, dtype=row.dtype, device=DEVICE)
    dy = torch.randn_like(x)
    x.requires_grad_(True)

    def forward(_: object = other) -> torch.Tensor:
        return module(x)

    return Task(forward, gradient="given", given=dy, module=module)


def one_input_task(module: nn.Module, shape: tuple[int, ...], dtype: torch.dtype) -> Task:
    x = torch.randn(shape, dtype=dtype, device=DEVICE, requires_grad=True)
    return Task(lambda: module(x))


class RmsNorm(nn.Module):
    """As in Hugging Face's Llama: computed in float32, the weight in float32."""

    def __init__(self, size: int, eps: float) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(size))
        self.eps = eps

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        dtype = x.dtype
        x = x.to(torch.float32)
        variance = x.pow(2).mean(-1, keepdim=True)
        x = x * torch.rsqrt(variance + self.eps)
        return self.weight * x.to(dtype)


def rms_norm(row: Row) -> Task:
    if row.shared:
        size = row.size("hidden_size")
        return one_input_task(RmsNorm(size, row.config["eps"]).to(DEVICE), (row.sequence, size), row.dtype)
    size = row.size("H")
    count = 2 if row.measured[:7] == COMPILED_BESIDE else 1
    others = [bystander(RmsNorm(size, row.config["eps"])) for _ in range(count)]
    module = RmsNorm(size, row.config["eps"]).to(DEVICE)
    return given_gradient_task(module, others, (row.size("M"), size), row)


def layer_norm(row: Row) -> Task:
    eps = row.config["eps"]
    if row.shared:
        size = row.size("hidden_size")
        module = nn.LayerNorm(size, eps=eps).to(DEVICE).to(row.dtype)
        return one_input_task(module, (row.sequence, size), row.dtype)
    size = int(row.x)
    other = bystander(nn.LayerNorm(size))
    return given_gradient_task(nn.LayerNorm(size, eps=eps).to(DEVICE), other, (row.size("M"), size), row)


def group_norm(row: Row) -> Task:
    per_group, eps, width = row.size("channels_per_group"), row.config["eps"], row.size("H")
    channels = row.size("hidden_size" if row.shared else "C")
    if row.shared:
        module = nn.GroupNorm(channels // per_group, channels, eps=eps).to(device=DEVICE, dtype=row.dtype)
        return one_input_task(module, (max(1, row.tokens // width), channels, width), row.dtype)
    other = bystander(nn.GroupNorm(channels // per_group, channels))
    module = nn.GroupNorm(channels // per_group, channels, eps=eps).to(DEVICE)
    return given_gradient_task(module, other, (row.size("M"), channels, width), row)


def megatron_rms_norm(row: Row) -> Task:
    size = int(row.x)
    module = nn.RMSNorm(size, eps=1e-6).to(DEVICE).to(torch.bfloat16)
    x = torch.randn(row.size("S"), row.size("B"), size, device=DEVICE, dtype=torch.bfloat16, requires_grad=True)

    def full() -> None:
        y = module(x)
        y.sum().backward()

    return Task(lambda: module(x), full=full)


class AddRmsNorm(nn.Module):
    """Adds a residual in float32 and normalises; gives the norm and the sum."""

    def __init__(self, size: int, eps: float) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(size))
        self.eps = eps

    def forward(self, x: torch.Tensor, residual: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        dtype = x.dtype
        x = x.to(torch.float32)
        residual = residual.to(torch.float32)
        x = x + residual
        residual = x
        variance = x.pow(2).mean(-1, keepdim=True)
        x = x * torch.rsqrt(variance + self.eps)
        return self.weight * x.to(dtype), residual.to(dtype)


def fused_add_rms_norm(row: Row) -> Task:
    return shared_add_rms_norm(row) if row.shared else add_rms_norm(row)


def shared_add_rms_norm(row: Row) -> Task:
    shape = (row.tokens, row.size("hidden_size"))
    x = torch.randn(shape, dtype=row.dtype, device=DEVICE, requires_grad=True)
    residual = torch.randn(shape, dtype=row.dtype, device=DEVICE, requires_grad=True)
    module = AddRmsNorm(shape[1], row.config["eps"]).to(DEVICE)
    return Task(lambda: module(x, residual)[0])


def add_rms_norm(row: Row) -> Task:
    """Three providers' modules live; one of them holds another with a weight of its own."""
    shape, eps = (row.size("M"), row.size("H")), row.config["eps"]
    others = [bystander(AddRmsNorm(shape[1], eps)) for _ in range(3)]
    module = AddRmsNorm(shape[1], eps).to(DEVICE)
    x = torch.randn(shape, dtype=row.dtype, device=DEVICE)
    residual = torch.randn(shape, dtype=row.dtype, device=DEVICE)
    gradients = (torch.randn_like(x), torch.randn_like(residual))
    x.requires_grad_(True)
    residual.requires_grad_(True)

    def full(_: list[nn.Module] = others) -> None:
        y, total = module(x, residual)
        torch.autograd.backward((y, total), gradients)

    return Task(lambda: module(x, residual)[0], full=full)


class PolyNorm(nn.Module):
    """A weighted sum of the normalised third, second and first powers, and a bias; computed in float32."""

    def __init__(self, eps: float) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.full((3,), 1.0 / 3.0))
        self.bias = nn.Parameter(torch.tensor(1.0))
        self.eps = eps

    def normalise(self, x: torch.Tensor) -> torch.Tensor:
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.eps)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        dtype = x.dtype
        x = x.to(torch.float32)
        cubes, squares, same = x**3, x**2, x**1
        third = self.normalise(cubes)
        second = self.normalise(squares)
        first = self.normalise(same)
        y = self.weight[0] * third + self.weight[1] * second + self.weight[2] * first + self.bias
        return y.to(dtype)


def poly_norm(row: Row) -> Task:
    if row.shared:
        shape = (row.sequence, row.size("hidden_size"))
        return one_input_task(PolyNorm(row.config["eps"]).to(DEVICE), shape, row.dtype)
    other = bystander(PolyNorm(row.config["eps"]))
    return given_gradient_task(PolyNorm(row.config["eps"]).to(DEVICE), other, (row.size("M"), row.size("H")), row)


class DynamicTanh(nn.Module):
    def __init__(self, size: int, with_beta: bool) -> None:
        super().__init__()
        self.alpha = nn.Parameter(torch.ones(1) * 0.5)
        self.gamma = nn.Parameter(torch.ones(size))
        self.beta = nn.Parameter(torch.zeros(size)) if with_beta else None

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if self.beta is None:
            return self.gamma * torch.tanh(x * self.alpha)
        return self.gamma * torch.tanh(x * self.alpha) + self.beta


def dyt(row: Row) -> Task:
    size = row.size("hidden_size")
    module: nn.Module = DynamicTanh(size, row.config["beta"]).to(DEVICE)
    if row.provider == "torch_compile":
        module = torch.compile(module)
    return one_input_task(module, (row.tokens, size), row.dtype)
