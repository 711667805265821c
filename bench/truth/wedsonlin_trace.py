# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""One step of the course Transformer after warm-up, as Wedsonlin recorded it: the course's own loss and AdamW."""

from __future__ import annotations

import argparse
import contextlib
import sys
from typing import ContextManager

import torch

import course_model
import model_options
from recording import Recording

RECORDED_STEPS = 1


def random_ids(steps: int, options: argparse.Namespace) -> torch.Tensor:
    return torch.randint(0, options.vocabulary, (steps, options.batch, options.ctx), device="cuda")


def train(model: course_model.TransformerLM, options: argparse.Namespace) -> None:
    """Frees what the warm-up left, records the steps, and stops before their gradients are dropped."""
    optimizer = course_model.AdamW(model.parameters())
    inputs, recorded_inputs = random_ids(options.warmup, options), random_ids(RECORDED_STEPS, options)
    targets, recorded_targets = random_ids(options.warmup, options), random_ids(RECORDED_STEPS, options)
    for i in range(options.warmup):
        with course_model.autocast(options.precision):
            output = model(inputs[i])
            loss = course_model.cross_entropy(output, targets[i])
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
    torch.cuda.synchronize()
    del output, loss
    optimizer.zero_grad(set_to_none=True)
    recording = Recording(options.out)
    for i in range(RECORDED_STEPS):
        with course_model.autocast(options.precision):
            output = model(recorded_inputs[i])
            loss = course_model.cross_entropy(output, recorded_targets[i])
        loss.backward()
        optimizer.step()
    torch.cuda.synchronize()
    recording.finish()


def infer(model: course_model.TransformerLM, options: argparse.Namespace) -> None:
    model.eval()
    inputs, recorded_inputs = random_ids(options.warmup, options), random_ids(RECORDED_STEPS, options)
    with without_gradients(options.mode):
        for i in range(options.warmup):
            with course_model.autocast(options.precision):
                model(inputs[i])
        torch.cuda.synchronize()
        recording = Recording(options.out)
        for i in range(RECORDED_STEPS):
            with course_model.autocast(options.precision):
                model(recorded_inputs[i])
        torch.cuda.synchronize()
        recording.finish()


def without_gradients(mode: str) -> ContextManager[None]:
    return torch.inference_mode() if mode == "inference" else contextlib.nullcontext()


def main() -> int:
    options = model_options.parser(__doc__.splitlines()[0]).parse_args()
    size = course_model.Size(options.d_model, options.d_ff, options.layers, options.heads)
    model = course_model.TransformerLM(size, options.ctx, options.vocabulary).to("cuda")
    if options.mode.startswith("train"):
        train(model, options)
    else:
        infer(model, options)
    return 0


if __name__ == "__main__":
    sys.exit(main())
