# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""One eager attention head, forward and backward, recorded from an empty allocator."""

from __future__ import annotations

import argparse
import math
import sys
from pathlib import Path

import torch
from einops import einsum

from recording import Recording


def softmax(x: torch.Tensor, dim: int) -> torch.Tensor:
    largest = torch.max(x, dim=dim, keepdim=True).values
    exponentials = torch.exp(x - largest)
    total = torch.sum(exponentials, dim=dim, keepdim=True)
    return exponentials / total


def attention(query: torch.Tensor, key: torch.Tensor, value: torch.Tensor) -> torch.Tensor:
    scores = einsum(query, key, "b q d, b k d -> b q k") / math.sqrt(query.shape[-1])
    weights = softmax(scores, -1)
    return einsum(weights, value, "b q k, b k d -> b q d")


def run(shape: tuple[int, int, int], out: Path) -> None:
    recording = Recording(out)
    query, key, value = (torch.randn(shape, device="cuda", requires_grad=True) for _ in range(3))
    output = attention(query, key, value)
    loss = output.sum()
    loss.backward()
    torch.cuda.synchronize()
    recording.finish()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--batch", required=True, type=int)
    parser.add_argument("--ctx", required=True, type=int)
    parser.add_argument("--d-head", required=True, type=int)
    parser.add_argument("--out", required=True, type=Path)
    options = parser.parse_args()
    run((options.batch, options.ctx, options.d_head), options.out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
