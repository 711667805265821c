# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""One training job of the published xMem measurements (arXiv 2510.21048), written anew from its description.

The order of the statements and the lifetime of every variable matter: one tensor kept one statement longer changes the
peak. The loops therefore hold exactly what the published loops hold, at the same places.

Note [The first sample]: the published value is the highest reading of NVML minus the first one, both taken by a thread
that is started right before the loop. The context is on the card by then. The transformer loop sleeps for two seconds,
so its first reading shows the context alone. The loop of the convolutional networks goes on at once while the thread
still loads NVML: the model, and the state that Adagrad makes in its constructor, are on the card before the first
reading. ConvNeXt-Base, which takes longest to copy, was caught on the way, differently in each run; it too is taken as
loaded here.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from itertools import cycle
from pathlib import Path
from typing import Any, Iterator, NamedTuple, Sequence

import torch
from torch import nn

import xmem_models

ITERATIONS = 4
IMAGE_SIZE = 86
SEQUENCE_LENGTH = 128
IGNORED_LABEL = -100
LEARNING_RATE = 0.001


class Start(NamedTuple):
    """Before the first iteration, in bytes."""

    loaded: int  # reserved by PyTorch once the model is on the card
    first_sample: int  # in use on the device when the measurement began


def device_in_use() -> int:
    free, total = torch.cuda.mem_get_info()
    return total - free


def device_peak() -> int:
    """What libraries, code and the context hold never shrinks, so it is highest at the end."""
    return torch.cuda.max_memory_reserved() + device_in_use() - torch.cuda.memory_reserved()


def build_optimizer(name: str, parameters: Iterator[nn.Parameter]) -> torch.optim.Optimizer:
    return getattr(torch.optim, name)(parameters, lr=LEARNING_RATE)


def image_loader(batch_size: int) -> Iterator[tuple[torch.Tensor, torch.Tensor]]:
    while True:
        yield torch.zeros(batch_size, 3, IMAGE_SIZE, IMAGE_SIZE), torch.zeros(batch_size, dtype=torch.int64)


def text_loader(
    batch_size: int, lengths: Sequence[int], first_row_padded: bool
) -> Iterator[dict[str, torch.Tensor]]:
    """Batches as a padding collator makes them: every row but the longest ends in padding."""
    for length in cycle(lengths):
        input_ids = torch.zeros(batch_size, length, dtype=torch.int64)
        attention_mask = torch.ones_like(input_ids)
        attention_mask[0 if first_row_padded else 1 :, length * 3 // 4 :] = 0
        labels = input_ids.masked_fill(attention_mask == 0, IGNORED_LABEL)
        yield {"input_ids": input_ids, "attention_mask": attention_mask, "labels": labels}


def train_cnn(model: nn.Module, options: argparse.Namespace) -> Start:
    device, mode = "cuda:0", options.zero_grad_mode
    model.to(device)
    model.train()
    optimizer = build_optimizer(options.optimizer, model.parameters())
    criterion = nn.CrossEntropyLoss()
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=7, gamma=0.1)
    model.to(device)  # moves nothing: what is reserved here stands in the report too, as that of a loaded model
    start = Start(torch.cuda.memory_reserved(), device_in_use())
    for index, (inputs, labels) in enumerate(image_loader(options.batch)):
        if mode == 0:
            optimizer.zero_grad()
        inputs, labels = inputs.to(device), labels.to(device)
        outputs = model(inputs)
        loss_value = criterion(outputs, labels)
        if mode == 1:
            optimizer.zero_grad()
        loss_value.backward()
        optimizer.step()
        _, preds = torch.max(outputs, 1)
        if mode == 2:
            optimizer.zero_grad()
        scheduler.step()
        print(f"iteration {index}: learning rate {scheduler.get_last_lr()}", flush=True)
        if index >= ITERATIONS - 1:
            break
    return start


def train_transformer(model: nn.Module, options: argparse.Namespace, first_row_padded: bool) -> Start:
    device, mode = "cuda:0", options.zero_grad_mode
    first_sample = device_in_use()
    model.train()
    optimizer = build_optimizer(options.optimizer, model.parameters())
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=7, gamma=0.1)
    model.to(device)
    start = Start(torch.cuda.memory_reserved(), first_sample)
    for index, batch in enumerate(text_loader(options.batch, options.lengths, first_row_padded)):
        if mode == 0:
            optimizer.zero_grad()
        batch = {key: value.to(device) for key, value in batch.items()}
        outputs = model(**batch)
        if mode == 1:
            optimizer.zero_grad()
        loss = outputs.loss
        loss.backward()
        optimizer.step()
        if mode == 2:
            optimizer.zero_grad()
        scheduler.step()
        if index >= ITERATIONS - 1:
            break
    return start


def build_uninitialised(facts: dict[str, Any]) -> nn.Module:
    """Without random weights transformers leaves the tied ones apart, so they are tied here."""
    from transformers.modeling_utils import no_init_weights

    with no_init_weights():
        model = xmem_models.build_transformer(facts)
    model.tie_weights()
    return model


def run(options: argparse.Namespace) -> dict[str, Any]:
    if options.cublas_workspace is not None:
        os.environ["CUBLAS_WORKSPACE_CONFIG"] = options.cublas_workspace
    torch.cuda.get_device_properties(0)
    if options.memory_fraction is not None:
        torch.cuda.set_per_process_memory_fraction(options.memory_fraction)
    cnn = xmem_models.find_cnn(options.model)
    if cnn:
        start = train_cnn(xmem_models.build_cnn(cnn), options)
    else:
        facts = xmem_models.find_transformer(options.model)
        model = build_uninitialised(facts) if options.skip_init else xmem_models.build_transformer(facts)
        start = train_transformer(model, options, facts.get("padded_to_maximum", False))
    return {
        "peak_reserved": torch.cuda.max_memory_reserved(),
        "peak_allocated": torch.cuda.max_memory_allocated(),
        "reserved_after_load": start.loaded,
        "device_growth": device_peak() - start.first_sample,
        "alloc_retries": torch.cuda.memory_stats()["num_alloc_retries"],
    }


def lengths_of(text: str) -> list[int]:
    return [int(part) for part in text.split(",")]


def parse(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", required=True, help="name as published, e.g. MnasNet or T5-small")
    parser.add_argument("--optimizer", required=True, help="a class of torch.optim")
    parser.add_argument("--batch", required=True, type=int)
    parser.add_argument("--zero-grad-mode", type=int, default=0, choices=(0, 1, 2), help="loop top, mid, end")
    parser.add_argument("--cublas-workspace", metavar="CONFIG", help="CUBLAS_WORKSPACE_CONFIG, set by the job itself")
    parser.add_argument("--lengths", type=lengths_of, default=[SEQUENCE_LENGTH], help="tokens per text batch: 128,97")
    parser.add_argument("--skip-init", action="store_true", help="leave transformer weights uninitialised")
    parser.add_argument("--memory-fraction", type=float, help="cap PyTorch's allocator at this share of the card")
    parser.add_argument("--out", type=Path, help="an existing folder: PyTorch's own peaks go to measured.json there")
    return parser.parse_args(arguments)


def main() -> int:
    options = parse(sys.argv[1:])
    if not xmem_models.is_known(options.model):
        print(f"xmem_job: unknown model {options.model!r}", file=sys.stderr)
        return 2
    measured = run(options)
    if options.out:
        (options.out / "measured.json").write_text(json.dumps(measured), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
