# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""One forward pass of the course Transformer after warm-up, as bolongcheng recorded it, with or without a graph."""

from __future__ import annotations

import os
import sys

import torch

import course_model
import model_options
from recording import Recording


class Run:
    def __init__(self, size: course_model.Size, ctx: int, vocabulary: int, batch: int, precision: str) -> None:
        self.precision = precision
        self.model = course_model.TransformerLM(size, ctx, vocabulary).to("cuda")
        self.inputs = torch.randint(0, vocabulary, (batch, ctx), device="cuda")

    def forward_grad(self) -> None:
        """The graph lives as long as the name, which outlives the autocast region."""
        with course_model.autocast(self.precision):
            logits = self.model(self.inputs)  # noqa: F841

    @torch.no_grad()
    def forward_nograd(self) -> None:
        with course_model.autocast(self.precision):
            self.model(self.inputs)


def main() -> int:
    parser = model_options.parser(__doc__.splitlines()[0])
    parser.add_argument("--expandable-segments", action="store_true")
    options = parser.parse_args()
    if options.expandable_segments:
        os.environ["PYTORCH_CUDA_ALLOC_CONF"] = "expandable_segments:True"
    size = course_model.Size(options.d_model, options.d_ff, options.layers, options.heads)
    run = Run(size, options.ctx, options.vocabulary, options.batch, options.precision)
    step = {"forward_grad": run.forward_grad, "forward_nograd": run.forward_nograd}[options.mode]
    for _ in range(options.warmup):
        step()
    torch.cuda.synchronize()
    recording = Recording(options.out)
    step()
    torch.cuda.synchronize()
    recording.finish()
    return 0


if __name__ == "__main__":
    sys.exit(main())
