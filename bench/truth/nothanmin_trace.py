# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Training steps on the sum of the logits, the last one recorded: all of it, or its forward pass alone."""

from __future__ import annotations

import argparse
import sys

import torch

import model_options
from course_model import Size, autocast
from nothanmin_model import AdamW, TransformerLM
from recording import Recording

DEVICE = "cuda"


def run(options: argparse.Namespace) -> None:
    size = Size(options.d_model, options.d_ff, options.layers, options.heads)
    model = TransformerLM(size, options.vocabulary).to(DEVICE)
    optimizer = AdamW(model.parameters())
    ids = torch.randint(0, options.vocabulary, (options.batch, options.ctx), device=DEVICE)
    recording = None
    for step in range(options.warmup + 1):
        if step == options.warmup:
            recording = Recording(options.out)
        with autocast(options.precision):
            logits = model(ids)
            if recording and options.mode == "forward_grad_after_train":
                torch.cuda.synchronize()
                recording.finish()
                return
        loss = logits.sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        torch.cuda.synchronize()
    recording.finish()


def main() -> int:
    run(model_options.parser(__doc__.splitlines()[0]).parse_args())
    return 0


if __name__ == "__main__":
    sys.exit(main())
