# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""One published peak of the course Transformer: warm-up steps, then one step that is measured stage by stage.

Two authors: `stages` builds on the GPU, uses the course optimizer and reads the memory after every stage; `torch-adamw`
builds on the CPU, uses torch.optim.AdamW and reads the peak of the last step. A step that runs out of memory is
measured where the exception is caught, as the authors did: while the frames it passed through are still alive.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from typing import Callable, Optional

import torch
import torch.nn.functional as F
from torch.utils.checkpoint import checkpoint

import course_model
import measured
from measured import Fields

LEARNING_RATE = 1e-3
SETTLING_SECONDS = 1  # after an exception the thread of the backward pass lets go of its last gradient a moment later


class CheckpointedLM(course_model.TransformerLM):
    """Recomputes groups of blocks in the backward pass: `segments` groups, or the halves of each block."""

    def __init__(self, size: course_model.Size, context_length: int, segments: int) -> None:
        super().__init__(size, context_length)
        self.parts = self._halves() if segments > size.layers else self._groups(size.layers // segments)

    def _groups(self, length: int) -> list[Callable[[torch.Tensor], torch.Tensor]]:
        starts = range(0, len(self.layers), length)
        return [torch.nn.Sequential(*self.layers[start : start + length]) for start in starts]

    def _halves(self) -> list[Callable[[torch.Tensor], torch.Tensor]]:
        return [half for layer in self.layers for half in (attention_half(layer), ffn_half(layer))]

    def run_blocks(self, x: torch.Tensor) -> torch.Tensor:
        for part in self.parts:
            x = checkpoint(part, x, use_reentrant=False)
        return x


def attention_half(layer: course_model.TransformerBlock) -> Callable[[torch.Tensor], torch.Tensor]:
    return lambda x: x + layer.attn(layer.ln1(x))


def ffn_half(layer: course_model.TransformerBlock) -> Callable[[torch.Tensor], torch.Tensor]:
    return lambda x: x + layer.ffn(layer.ln2(x))


def build_model(options: argparse.Namespace) -> course_model.TransformerLM:
    size = course_model.SIZES[options.size]
    if options.segments:
        return CheckpointedLM(size, options.seq, options.segments)
    return course_model.TransformerLM(size, options.seq)


def random_ids(options: argparse.Namespace) -> torch.Tensor:
    return torch.randint(0, course_model.VOCABULARY, (options.batch, options.seq), device="cuda")


class StagesRun:
    def __init__(self, options: argparse.Namespace, fields: Fields) -> None:
        self.options = options
        self.fields = fields
        with torch.device("cuda"):
            self.model = build_model(options)
        self.optimizer = course_model.AdamW(self.model.parameters()) if options.mode == "train" else None
        self.x, self.y = random_ids(options), random_ids(options)
        fields["init_allocated"] = torch.cuda.memory_allocated()
        fields["init_reserved"] = torch.cuda.memory_reserved()

    def read(self, stage: str) -> None:
        self.fields[f"after_{stage}_allocated"] = torch.cuda.memory_allocated()
        self.fields[f"after_{stage}_peak_allocated"] = torch.cuda.max_memory_allocated()

    def step(self) -> torch.Tensor:
        """In mode forward what is returned is a view: it keeps the logits alive."""
        self.model.zero_grad(set_to_none=True)
        with course_model.autocast(self.options.precision):
            logits = self.model(self.x)
            if self.options.mode == "forward":
                self.read("forward")
                return logits[0, 0, 0].detach()
            loss = F.cross_entropy(logits.flatten(0, 1).float(), self.y.flatten())
            self.read("forward")
        loss.backward()
        self.read("backward")
        if self.optimizer:
            self.optimizer.step()
            self.read("optimizer")
        return loss.detach()

    def run(self) -> None:
        for _ in range(self.options.warmup + self.options.timed):
            self.step()
        torch.cuda.synchronize()
        self.model.zero_grad(set_to_none=True)
        torch.cuda.reset_peak_memory_stats()
        value = self.step()
        read_end(self.fields)
        del value


def run_torch_adamw(options: argparse.Namespace, fields: Fields) -> None:
    model = build_model(options).to("cuda")
    optimizer = torch.optim.AdamW(model.parameters(), lr=LEARNING_RATE)
    x, y = random_ids(options), random_ids(options)

    def step() -> None:
        optimizer.zero_grad(set_to_none=True)
        with course_model.autocast(options.precision):
            logits = model(x)
        if options.mode == "forward":
            return
        loss = F.cross_entropy(logits.float().reshape(-1, course_model.VOCABULARY), y.reshape(-1))
        loss.backward()
        if options.mode == "train":
            optimizer.step()

    for _ in range(options.warmup + options.timed):
        step()
    torch.cuda.synchronize()
    torch.cuda.reset_peak_memory_stats()
    step()
    read_end(fields)


def read_end(fields: Fields) -> None:
    fields["end_allocated"] = torch.cuda.memory_allocated()
    fields["end_reserved"] = torch.cuda.memory_reserved()
    fields["peak_allocated"] = torch.cuda.max_memory_allocated()
    fields["peak_reserved"] = torch.cuda.max_memory_reserved()


def parse(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--run", required=True, choices=("stages", "torch-adamw"))
    parser.add_argument("--size", required=True, choices=course_model.SIZES)
    parser.add_argument("--seq", required=True, type=int)
    parser.add_argument("--batch", type=int, default=course_model.BATCH)
    parser.add_argument("--precision", required=True, choices=("fp32", "bf16"))
    parser.add_argument("--mode", required=True, choices=("forward", "backward", "train"))
    parser.add_argument("--segments", type=int, help="recompute in this many parts; more than blocks: halves of blocks")
    parser.add_argument("--warmup", type=int, default=0)
    parser.add_argument("--timed", type=int, default=0)
    parser.add_argument("--out", required=True, type=Path, help="folder for measured.json")
    return parser.parse_args(arguments)


def main() -> int:
    options = parse(sys.argv[1:])
    fields: Fields = {}
    try:
        if options.run == "stages":
            StagesRun(options, fields).run()
        else:
            run_torch_adamw(options, fields)
    except torch.OutOfMemoryError as error:
        time.sleep(SETTLING_SECONDS)
        read_end(fields)
        fields.update(measured.read_oom_message(str(error)))
        print(measured.failing_place(error), file=sys.stderr)
    measured.write(options.out, fields)
    return 0


if __name__ == "__main__":
    sys.exit(main())
