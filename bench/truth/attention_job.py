# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""A published sweep over attention sizes: one process that measures one configuration after the other.

What a configuration leaves behind (variables not yet bound anew, workspaces of the matrix products) is part of the next
measurement, so a whole sweep is one job. measured.json has one field per configuration: seq256_d16 and so on.
"""

from __future__ import annotations

import argparse
import math
import os
import sys
from pathlib import Path
from typing import Callable, Iterator, NamedTuple, Optional

import torch
from torch import nn

import course_model
import measured
from measured import Fields

Attention = Callable[[torch.Tensor, torch.Tensor, torch.Tensor], torch.Tensor]


class Configuration(NamedTuple):
    batch: int
    seq: int
    d_model: int

    @property
    def field(self) -> str:
        return f"seq{self.seq}_d{self.d_model}"

    def random(self, requires_grad: bool = True, device: str = "cuda") -> torch.Tensor:
        return torch.randn(self.batch, self.seq, self.d_model, device=device, requires_grad=requires_grad)


class Sweep(NamedTuple):
    configurations: list[Configuration]
    compiled: bool
    backward: bool

    def prepare(self, function: Callable) -> Callable:
        return torch.compile(function) if self.compiled else function

    def measure(self, measure_one: Callable[[Configuration], int]) -> Fields:
        return {configuration.field: measure_one(configuration) for configuration in self.configurations}


def plain_attention(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    scores = torch.matmul(q, k.transpose(-2, -1)) / math.sqrt(q.shape[-1])
    weights = torch.softmax(scores, dim=-1)
    return torch.matmul(weights, v)


def magma27(sweep: Sweep) -> Fields:
    """q, k and v are made on the CPU and moved: on the GPU they are no leaves and get no gradients."""
    attention: Attention = sweep.prepare(plain_attention)

    def measure_one(configuration: Configuration) -> int:
        q, k, v = (configuration.random(device="cpu").cuda() for _ in range(3))
        for _ in range(5):
            attention(q, k, v).sum().backward()
        output = attention(q, k, v)
        allocated = torch.cuda.memory_allocated()
        output.sum().backward()
        return allocated

    return sweep.measure(measure_one)


def silmont2000(sweep: Sweep) -> Fields:
    """Gradients are dropped after each step."""
    attention: Attention = sweep.prepare(course_model.scaled_dot_product_attention)

    def measure_one(configuration: Configuration) -> int:
        q, k, v = (configuration.random() for _ in range(3))
        for _ in range(2):
            output = attention(q, k, v)
            allocated = torch.cuda.memory_allocated()
            loss = output.sum()
            loss.backward()
            q.grad = k.grad = v.grad = None
        del loss
        return allocated

    return sweep.measure(measure_one)


def silmont2000_older(sweep: Sweep) -> Fields:
    """Gradients stay, and so does the graph of the step before."""
    attention: Attention = sweep.prepare(course_model.scaled_dot_product_attention)

    def measure_one(configuration: Configuration) -> int:
        q, k, v = (configuration.random() for _ in range(3))
        for _ in range(2):
            output = attention(q, k, v)
            allocated = torch.cuda.memory_allocated()
            loss = output.sum()
            loss.backward(retain_graph=True)
        del loss
        return allocated

    return sweep.measure(measure_one)


class SingleHeadAttention(nn.Module):
    def __init__(self, d_model: int) -> None:
        super().__init__()
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_model, d_model)
        self.v_proj = nn.Linear(d_model, d_model)
        self.o_proj = nn.Linear(d_model, d_model)

    def forward(self, x: torch.Tensor, mask: Optional[torch.Tensor]) -> torch.Tensor:
        q, k, v = self.q_proj(x), self.k_proj(x), self.v_proj(x)
        return self.o_proj(course_model.scaled_dot_product_attention(q, k, v, mask))


def bolongcheng(sweep: Sweep) -> Fields:
    """The peak over all steps, compiling and tuning included; gradients accumulate. Every size is compiled anew."""

    def step(module: nn.Module, x: torch.Tensor, mask: torch.Tensor) -> None:
        y = module(x, mask)
        if sweep.backward:
            y.sum().backward()

    torch.cuda.memory._set_allocator_settings("expandable_segments:True")

    def measure_one(configuration: Configuration) -> int:
        torch.compiler.reset()
        torch.cuda.reset_peak_memory_stats()
        module = sweep.prepare(SingleHeadAttention(configuration.d_model).to("cuda"))
        x = configuration.random(requires_grad=False)
        mask = torch.triu(torch.ones(configuration.seq, configuration.seq, device="cuda", dtype=torch.bool))
        for _ in range(105):
            step(module, x, mask)
        return torch.cuda.max_memory_allocated()

    return sweep.measure(measure_one)


def wedsonlin(sweep: Sweep) -> Fields:
    """The last output of the warm-up is still there when the next one is measured."""
    attention: Attention = sweep.prepare(course_model.scaled_dot_product_attention)

    def measure_one(configuration: Configuration) -> int:
        q, k, v = (configuration.random() for _ in range(3))
        d_o = configuration.random(requires_grad=False)
        for _ in range(5):
            warm_output = attention(q, k, v)
            warm_output.backward(d_o)
            q.grad = k.grad = v.grad = None
        torch.cuda.empty_cache()
        output = attention(q, k, v)
        allocated = torch.cuda.memory_allocated()
        del warm_output, output
        return allocated

    return sweep.measure(measure_one)


AUTHORS: dict[str, Callable[[Sweep], Fields]] = {
    "MAGMA27": magma27,
    "silmont2000": silmont2000,
    "silmont2000-older": silmont2000_older,
    "bolongcheng": bolongcheng,
    "Wedsonlin": wedsonlin,
}


def read_configurations(batch: int, words: list[str]) -> Iterator[Configuration]:
    for word in words:
        seq, d_model = word.split("x")
        yield Configuration(batch, int(seq), int(d_model))


def parse(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--author", required=True, choices=AUTHORS)
    parser.add_argument("--batch", required=True, type=int)
    parser.add_argument("--compiled", action="store_true")
    parser.add_argument("--backward", action="store_true", help="where forward and backward are variants")
    parser.add_argument("--sweep", required=True, nargs="+", metavar="SEQxD", help="in the order of the sweep")
    parser.add_argument("--out", required=True, type=Path, help="folder for measured.json")
    return parser.parse_args(arguments)


def main() -> int:
    options = parse(sys.argv[1:])
    os.environ["TORCHINDUCTOR_CACHE_DIR"] = str(options.out / "inductor")  # what was tuned before is not tuned again
    configurations = list(read_configurations(options.batch, options.sweep))
    fields = AUTHORS[options.author](Sweep(configurations, options.compiled, options.backward))
    measured.write(options.out, fields)
    return 0


if __name__ == "__main__":
    sys.exit(main())
