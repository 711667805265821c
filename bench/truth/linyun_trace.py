# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""One step of the course Transformer after warm-up, as LINYUNLinYun recorded it: torch's AdamW, loss on fp32 logits."""

from __future__ import annotations

import argparse
import contextlib
import sys

import torch
import torch.nn.functional as F

import course_model
import model_options
from recording import Recording

LEARNING_RATE = 1e-3


class Run:
    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        size = course_model.Size(options.d_model, options.d_ff, options.layers, options.heads)
        self.model = course_model.TransformerLM(size, options.ctx, options.vocabulary).to("cuda")
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=LEARNING_RATE)
        self.inputs = self.random_ids()
        self.targets = self.random_ids()

    def random_ids(self) -> torch.Tensor:
        return torch.randint(0, self.options.vocabulary, (self.options.batch, self.options.ctx), device="cuda")

    def forward(self) -> torch.Tensor:
        with course_model.autocast(self.options.precision):
            return self.model(self.inputs)

    def step(self) -> None:
        """The graph of a step without backward is dropped at its end."""
        mode = self.options.mode
        self.optimizer.zero_grad(set_to_none=True)
        with torch.no_grad() if "nograd" in mode else contextlib.nullcontext():
            logits = self.forward()
        if mode.startswith("forward") and "backward" not in mode:
            return
        loss = F.cross_entropy(logits.float().reshape(-1, self.options.vocabulary), self.targets.reshape(-1))
        loss.backward()
        if mode.startswith("train"):
            self.optimizer.step()


def main() -> int:
    options = model_options.parser(__doc__.splitlines()[0]).parse_args()
    run = Run(options)
    for _ in range(options.warmup):
        run.step()
    torch.cuda.synchronize()
    if options.mode.endswith("emptycache"):
        torch.cuda.empty_cache()
    recording = Recording(options.out)
    run.step()
    torch.cuda.synchronize()
    recording.finish()
    return 0


if __name__ == "__main__":
    sys.exit(main())
