# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""A small program of a kind, to see what the card holds outside PyTorch's allocator: context, libraries, code."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import torch
from torch import nn

import measured

DEVICE = "cuda"
TOKENS, WIDTH, VOCABULARY = 128, 512, 1000
STEPS = 2


class Language(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(VOCABULARY, WIDTH)
        self.layers = nn.ModuleList(
            nn.TransformerEncoderLayer(WIDTH, nhead=8, batch_first=True, norm_first=True) for _ in range(2)
        )
        self.head = nn.Linear(WIDTH, VOCABULARY)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        hidden = self.embedding(tokens)
        for layer in self.layers:
            hidden = layer(hidden)
        return self.head(hidden)


class Vision(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.features = nn.Sequential(
            *(nn.Conv2d(3, 64, 7, stride=2, padding=3), nn.BatchNorm2d(64), nn.ReLU()),
            *(nn.Conv2d(64, 128, 3, padding=1), nn.BatchNorm2d(128), nn.ReLU()),
            nn.AdaptiveAvgPool2d(1),
        )
        self.head = nn.Linear(128, VOCABULARY)

    def forward(self, images: torch.Tensor) -> torch.Tensor:
        return self.head(self.features(images).flatten(1))


def idle() -> None:
    torch.cuda.init()
    torch.cuda.mem_get_info()


def elementwise() -> None:
    torch.randn(1 << 20, device=DEVICE).cumsum(0).mul_(2)


def train(model: nn.Module, inputs: torch.Tensor) -> None:
    optimizer = torch.optim.AdamW(model.parameters())
    for _ in range(STEPS):
        logits = model(inputs).flatten(0, -2)
        loss = nn.functional.cross_entropy(logits, torch.zeros(len(logits), dtype=torch.int64, device=DEVICE))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        loss.item()


def training() -> None:
    train(Language().to(DEVICE), torch.zeros(4, TOKENS, dtype=torch.int64, device=DEVICE))


def convolution() -> None:
    train(Vision().to(DEVICE), torch.zeros(4, 3, 224, 224, device=DEVICE))


@torch.no_grad()
def inference() -> None:
    model = Language().to(DEVICE, torch.bfloat16).eval()
    for length in (TOKENS, 1):
        model(torch.zeros(1, length, dtype=torch.int64, device=DEVICE))[:, -1].argmax(-1).tolist()


WORKLOADS = {work.__name__: work for work in (idle, elementwise, training, convolution, inference)}


def outside_torch() -> int:
    free, total = torch.cuda.mem_get_info()
    return total - free - torch.cuda.memory_reserved()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--workload", required=True, choices=sorted(WORKLOADS))
    parser.add_argument("--out", required=True, type=Path, help="folder for measured.json")
    options = parser.parse_args()
    WORKLOADS[options.workload]()
    measured.write(options.out, {"outside_torch": outside_torch()})
    return 0


if __name__ == "__main__":
    sys.exit(main())
