# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Small training jobs whose memory moves in ways that the examples don't show.

    job.py detector|compiled|accumulation|checkpointing|lora4 [--batch-size N]
"""

from __future__ import annotations

import argparse
from typing import Any, Callable, Dict, List

import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

WIDTH, HEADS, LENGTH, VOCABULARY = 768, 12, 512, 32000


class Block(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.qkv, self.out = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.mlp = nn.Sequential(nn.Linear(WIDTH, 4 * WIDTH), nn.GELU(), nn.Linear(4 * WIDTH, WIDTH))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        batch, length, _ = x.shape
        parts = self.qkv(self.first(x)).view(batch, length, 3, HEADS, -1).permute(2, 0, 3, 1, 4)
        mixed = nn.functional.scaled_dot_product_attention(parts[0], parts[1], parts[2], is_causal=True)
        x = x + self.out(mixed.transpose(1, 2).reshape(batch, length, WIDTH))
        return x + self.mlp(self.second(x))


class Decoder(nn.Module):
    def __init__(self, layers: int, checkpointing: bool = False) -> None:
        super().__init__()
        self.tokens = nn.Embedding(VOCABULARY, WIDTH)
        self.blocks = nn.ModuleList(Block() for _ in range(layers))
        self.head = nn.Linear(WIDTH, VOCABULARY, bias=False)
        self.checkpointing = checkpointing

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        x = self.tokens(tokens)
        for block in self.blocks:
            x = checkpoint(block, x, use_reentrant=False) if self.checkpointing else block(x)
        logits = self.head(x)
        return nn.functional.cross_entropy(logits.flatten(0, 1), tokens.flatten())


def batch_of(size: int) -> torch.Tensor:
    return torch.zeros(size, LENGTH, dtype=torch.int64).cuda()


def train(model: nn.Module, loss_of: Callable[[], torch.Tensor], steps: int, accumulated: int = 1) -> None:
    optimizer = torch.optim.AdamW([p for p in model.parameters() if p.requires_grad], lr=1e-4)
    for _ in range(steps):
        for _ in range(accumulated):
            (loss_of() / accumulated).backward()
        optimizer.step()
        optimizer.zero_grad()


def decoder(
    options: argparse.Namespace, accumulated: int = 1, checkpointing: bool = False, compiled: bool = False
) -> None:
    model = Decoder(6, checkpointing).cuda()
    called = torch.compile(model) if compiled else model
    train(model, lambda: called(batch_of(options.batch_size)), options.steps, accumulated)


def detector(options: argparse.Namespace) -> None:
    from torchvision.models.detection import retinanet_resnet50_fpn

    model = retinanet_resnet50_fpn(weights=None, weights_backbone=None, num_classes=20).cuda().train()

    def loss() -> torch.Tensor:
        images: List[torch.Tensor] = [torch.zeros(3, 480, 640).cuda() for _ in range(options.batch_size)]
        box = torch.tensor([[40.0, 40.0, 200.0, 200.0]]).cuda()
        targets = [{"boxes": box, "labels": torch.ones(1, dtype=torch.int64).cuda()} for _ in images]
        return sum(model(images, targets).values())

    train(model, loss, options.steps)


class FourBit(torch.autograd.Function):
    """A product with a weight of packed 4-bit numbers, which is unpacked for it, forward and backward."""

    @staticmethod
    def forward(ctx: Any, x: torch.Tensor, packed: torch.Tensor, levels: torch.Tensor) -> torch.Tensor:
        ctx.save_for_backward(packed, levels)
        return x @ unpacked(packed, levels).t()

    @staticmethod
    def backward(ctx: Any, gradient: torch.Tensor) -> Any:
        return gradient @ unpacked(*ctx.saved_tensors), None, None


def unpacked(packed: torch.Tensor, levels: torch.Tensor) -> torch.Tensor:
    nibbles = torch.stack((packed >> 4, packed & 15), dim=-1).flatten(1)
    return levels[nibbles.int()]


class LoraLinear(nn.Module):
    def __init__(self, base: nn.Linear, rank: int = 8) -> None:
        super().__init__()
        outputs, inputs = base.weight.shape
        self.register_buffer("packed", torch.zeros(outputs, inputs // 2, dtype=torch.uint8))
        self.register_buffer("levels", torch.linspace(-1, 1, 16, dtype=torch.bfloat16))
        self.down = nn.Linear(inputs, rank, bias=False, dtype=torch.bfloat16)
        self.up = nn.Linear(rank, outputs, bias=False, dtype=torch.bfloat16)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return FourBit.apply(x, self.packed, self.levels) + self.up(self.down(x))


def lora4(options: argparse.Namespace) -> None:
    model = Decoder(12).to(torch.bfloat16).requires_grad_(False)
    for block in model.blocks:
        block.qkv, block.out = LoraLinear(block.qkv), LoraLinear(block.out)
        block.mlp[0], block.mlp[2] = LoraLinear(block.mlp[0]), LoraLinear(block.mlp[2])
    model.cuda()
    train(model, lambda: model(batch_of(options.batch_size)), options.steps)


KINDS: Dict[str, Callable[[argparse.Namespace], None]] = {
    "detector": detector,
    "compiled": lambda options: decoder(options, compiled=True),
    "accumulation": lambda options: decoder(options, accumulated=4),
    "checkpointing": lambda options: decoder(options, checkpointing=True),
    "lora4": lora4,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kind", choices=KINDS)
    parser.add_argument("--batch-size", type=int, default=8)
    parser.add_argument("--steps", type=int, default=3)
    options = parser.parse_args()
    KINDS[options.kind](options)


if __name__ == "__main__":
    main()
