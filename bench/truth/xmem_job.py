# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""One training job of the published xMem measurements (arXiv 2510.21048), written anew from its description.

The order of the statements and the lifetime of every variable matter: one tensor kept one statement longer changes the
peak. The loops therefore hold exactly what the published loops hold, at the same places.
"""

from __future__ import annotations

import argparse
import json
import sys
from typing import Any, Iterator

import torch
from torch import nn

import xmem_models

ITERATIONS = 4
IMAGE_SIZE = 86
SEQUENCE_LENGTH = 128
PADDED_LENGTH = 96
IGNORED_LABEL = -100
LEARNING_RATE = 0.001


def build_optimizer(name: str, parameters: Iterator[nn.Parameter]) -> torch.optim.Optimizer:
    return getattr(torch.optim, name)(parameters, lr=LEARNING_RATE)


def image_loader(batch_size: int) -> Iterator[tuple[torch.Tensor, torch.Tensor]]:
    while True:
        yield torch.zeros(batch_size, 3, IMAGE_SIZE, IMAGE_SIZE), torch.zeros(batch_size, dtype=torch.int64)


def text_loader(batch_size: int, first_row_padded: bool) -> Iterator[dict[str, torch.Tensor]]:
    """Batches as a padding collator makes them: every row but the longest ends in padding."""
    while True:
        input_ids = torch.zeros(batch_size, SEQUENCE_LENGTH, dtype=torch.int64)
        attention_mask = torch.ones_like(input_ids)
        attention_mask[0 if first_row_padded else 1 :, PADDED_LENGTH:] = 0
        labels = input_ids.masked_fill(attention_mask == 0, IGNORED_LABEL)
        yield {"input_ids": input_ids, "attention_mask": attention_mask, "labels": labels}


def train_cnn(model: nn.Module, options: argparse.Namespace) -> int:
    device, mode = "cuda:0", options.zero_grad_mode
    model.to(device)
    model.train()
    optimizer = build_optimizer(options.optimizer, model.parameters())
    criterion = nn.CrossEntropyLoss()
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=7, gamma=0.1)
    loaded = torch.cuda.memory_reserved()
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
        print(f"iteration {index}: loss {loss_value.item():.4f}", flush=True)
        if index >= ITERATIONS - 1:
            break
    return loaded


def train_transformer(model: nn.Module, options: argparse.Namespace, first_row_padded: bool) -> int:
    device, mode = "cuda:0", options.zero_grad_mode
    model.train()
    optimizer = build_optimizer(options.optimizer, model.parameters())
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=7, gamma=0.1)
    model.to(device)
    loaded = torch.cuda.memory_reserved()
    for index, batch in enumerate(text_loader(options.batch, first_row_padded)):
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
    return loaded


def build_uninitialised(facts: dict[str, Any]) -> nn.Module:
    """Without random weights transformers leaves the tied ones apart, so they are tied here."""
    from transformers.modeling_utils import no_init_weights

    with no_init_weights():
        model = xmem_models.build_transformer(facts)
    model.tie_weights()
    return model


def run(options: argparse.Namespace) -> dict[str, Any]:
    torch.cuda.get_device_properties(0)
    cnn = xmem_models.find_cnn(options.model)
    if cnn:
        loaded = train_cnn(xmem_models.build_cnn(cnn), options)
    else:
        facts = xmem_models.find_transformer(options.model)
        model = build_uninitialised(facts) if options.skip_init else xmem_models.build_transformer(facts)
        loaded = train_transformer(model, options, facts.get("padded_to_maximum", False))
    return {
        "reserved": torch.cuda.max_memory_reserved(),
        "allocated": torch.cuda.max_memory_allocated(),
        "reserved_after_load": loaded,
        "alloc_retries": torch.cuda.memory_stats()["num_alloc_retries"],
    }


def parse(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", required=True, help="name as published, e.g. MnasNet or T5-small")
    parser.add_argument("--optimizer", required=True, help="a class of torch.optim")
    parser.add_argument("--batch", required=True, type=int)
    parser.add_argument("--zero-grad-mode", type=int, default=0, choices=(0, 1, 2), help="loop top, mid, end")
    parser.add_argument("--skip-init", action="store_true", help="leave transformer weights uninitialised")
    parser.add_argument("--print-stats", action="store_true", help="print PyTorch's own peaks as JSON at the end")
    return parser.parse_args(arguments)


def main() -> int:
    options = parse(sys.argv[1:])
    if not xmem_models.is_known(options.model):
        print(f"xmem_job: unknown model {options.model!r}", file=sys.stderr)
        return 2
    stats = run(options)
    if options.print_stats:
        print(json.dumps(stats))
    return 0


if __name__ == "__main__":
    sys.exit(main())
