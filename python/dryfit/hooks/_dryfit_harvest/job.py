# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""One training job from its description, as a small trainer would write it.

    job.py list                      prints what this Python environment can train, as JSON
    job.py run DESCRIPTION LAYERS    trains until it is stopped; writes the sequence of layers to the file LAYERS
    job.py serve SOURCE              does the same for each request on a socket, in a fork of itself (serving.py)

A description is a JSON object as in docs/harvest.md. If it is wrong, a line on stderr says why.
"""

from __future__ import annotations

import json
import os
import sys
from typing import Any, Callable, Dict

sys.path[0] = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

from _dryfit_harvest import beginning, catalogue, serving  # noqa: E402


def main() -> int:
    if sys.argv[1:] == ["list"]:
        print(json.dumps(catalogue.available()))
        return 0
    if len(sys.argv) == 4 and sys.argv[1] == "run":
        beginning.begin()
        return run(json.loads(sys.argv[2]), sys.argv[3])
    if len(sys.argv) == 3 and sys.argv[1] == "serve":
        request = serving.wait_for_job(sys.argv[2], beginning.begin())
        return run(request["description"], request["layers"]) if request else 0
    print(__doc__, file=sys.stderr)
    return 2


def run(description: Dict[str, Any], layers_file: str) -> int:
    try:
        train(description, layers_file)
    except catalogue.Impossible as error:
        print(f"job: {error}", file=sys.stderr)
        return 1
    return 0


def train(description: Dict[str, Any], layers_file: str) -> None:
    import torch

    from _dryfit_harvest import checkpointing, training
    from _dryfit_harvest.layers import LayerSequence

    torch.manual_seed(0)
    subject = catalogue.build(torch, description)
    if description["checkpointing"]:
        checkpointing.enable(torch, subject.model)
    precision = training.Precision(torch, description["precision"])
    model = precision.prepared(subject.model).to("cuda").train()
    optimizer = training.optimizer(torch, description["optimizer"], model.parameters())
    with LayerSequence(torch, model, layers_file):
        step(torch, subject.loss, model, optimizer, precision, description["batch"])
    while True:
        step(torch, subject.loss, model, optimizer, precision, description["batch"])


def step(torch: Any, loss_of: Callable[..., Any], model: Any, optimizer: Any, precision: Any, batch: int) -> None:
    with precision.autocast():
        loss = loss_of(model, batch, precision.inputs)
    precision.backward(loss)
    precision.step(optimizer)
    optimizer.zero_grad()


if __name__ == "__main__":
    sys.exit(main())
