# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Forward passes and training steps of fresh models, one after another in one process; the last one is recorded.

Each job gets a model of its own, which dies with the job.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import NamedTuple, Optional

import torch

import model_options
from course_model import Size, autocast
from kkaitlyn_model import DEVICE, AdamW, TransformerLM, cross_entropy
from recording import Recording


class Job(NamedTuple):
    """Text form: MODE:CTX, e.g. train:128."""

    mode: str  # "forward_grad" or "train"
    ctx: int

    @staticmethod
    def parse(text: str) -> Job:
        mode, _, ctx = text.partition(":")
        return Job(mode, int(ctx))


def run(job: Job, options: argparse.Namespace, out: Optional[Path]) -> None:
    size = Size(options.d_model, options.d_ff, options.layers, options.heads)
    model = TransformerLM(size, job.ctx, options.vocabulary)
    optimizer = AdamW(model.parameters())
    if options.compiled:
        model = torch.compile(model)
    ids = torch.randint(0, options.vocabulary, (options.batch, job.ctx), device=DEVICE)
    recording = Recording(out) if out else None
    if options.empty_cache:
        torch.cuda.empty_cache()
    with autocast(options.precision):
        if job.mode == "train":
            optimizer.zero_grad()
            logits = model(ids)
            loss = cross_entropy(logits.view(-1, options.vocabulary), ids.view(-1))
            loss.backward()
            optimizer.step()
        else:
            logits = model(ids)
        torch.cuda.synchronize()
        if recording:
            recording.finish()


def main() -> int:
    parser = model_options.parser(__doc__.splitlines()[0])
    parser.add_argument("--before", type=Job.parse, nargs="*", default=[], metavar="MODE:CTX", help="jobs run earlier")
    parser.add_argument("--empty-cache", action="store_true", help="give back cached memory before each step")
    parser.add_argument("--compiled", action="store_true", help="through torch.compile")
    options = parser.parse_args()
    torch.set_float32_matmul_precision("high")
    for job in options.before:
        run(job, options, None)
    run(Job(options.mode, options.ctx), options, options.out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
