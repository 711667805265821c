# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""A training job that runs on a GPU or on the CPU, for the comparison of `dryfit estimate` with `dryfit run`.

    python estimate_job.py resnet50 --batch 8 --optimizer AdamW
    python estimate_job.py gpt2 --batch 2 --trace trace.json    # with torch.profiler alone, as a user would run it
"""
from __future__ import annotations

import argparse
import contextlib
import sys
from pathlib import Path
from typing import Any, Iterator

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "truth"))
from xmem_models import build_cnn, build_transformer, find_cnn, find_transformer  # noqa: E402

SEQUENCE_LENGTH = 64


def image_batches(options: argparse.Namespace) -> Iterator[tuple[Any, ...]]:
    count = options.batch * options.steps
    data = TensorDataset(torch.zeros(count, 3, options.size, options.size), torch.zeros(count, dtype=torch.int64))
    return iter(DataLoader(data, batch_size=options.batch))


def text_batches(options: argparse.Namespace) -> Iterator[tuple[Any, ...]]:
    count = options.batch * options.steps
    return iter(DataLoader(TensorDataset(torch.zeros(count, SEQUENCE_LENGTH, dtype=torch.int64)), batch_size=options.batch))


def build(name: str) -> tuple[nn.Module, bool]:
    cnn = find_cnn(name)
    if cnn:
        return build_cnn(cnn), True
    facts = find_transformer(name)
    if facts is None:
        sys.exit(f"unknown model '{name}'")
    return build_transformer(facts), False


def train(options: argparse.Namespace, device: str) -> None:
    model, is_cnn = build(options.model)
    model.to(device)
    model.train()
    optimizer = getattr(torch.optim, options.optimizer)(model.parameters(), lr=0.001)
    criterion = nn.CrossEntropyLoss()
    with profiled(options.trace):
        for batch in image_batches(options) if is_cnn else text_batches(options):
            batch = [each.to(device) for each in batch]
            optimizer.zero_grad()
            if is_cnn:
                loss = criterion(model(batch[0]), batch[1])
            else:
                loss = model(input_ids=batch[0], labels=batch[0]).loss
            loss.backward()
            optimizer.step()


@contextlib.contextmanager
def profiled(trace: str) -> Iterator[None]:
    if not trace:
        yield
        return
    with torch.profiler.profile(
        activities=[torch.profiler.ProfilerActivity.CPU], profile_memory=True, record_shapes=True
    ) as profiler:
        yield
    profiler.export_chrome_trace(trace)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model")
    parser.add_argument("--batch", type=int, default=4)
    parser.add_argument("--size", type=int, default=86)
    parser.add_argument("--optimizer", default="AdamW")
    parser.add_argument("--steps", type=int, default=3)
    parser.add_argument("--trace", default="")
    options = parser.parse_args()
    train(options, "cuda" if torch.cuda.is_available() else "cpu")


if __name__ == "__main__":
    main()
