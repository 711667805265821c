# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""What `dryfit predict` says of xMem's jobs, from the catalogue it comes with: name, size, batch, optimizer, precision.

Where the loop keeps the gradients and the previous outputs is no part of such a description.
"""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any, Optional, Sequence

from .case import Case, RowsError
from .models import find_cnn

IMAGE_SIZE, SEQUENCE_LENGTH = 86, 128
PATIENCE_SECONDS = 600


def description(case: Case, line: int) -> dict[str, Any]:
    facts = case.facts
    cnn = find_cnn(facts["model"])
    return {
        "id": line,
        "model": f"torchvision/{cnn[0]}" if cnn else f"transformers/{facts['model'].rsplit('/', 1)[-1].lower()}",
        "size": IMAGE_SIZE if cnn else SEQUENCE_LENGTH,
        "batch": facts["batch_size"],
        "optimizer": facts["optimizer"].lower(),
        "precision": "fp32",
        "gpu": [case.card],
    }


def predict(dryfit: Path, cases: Sequence[Case]) -> list[Optional[dict[str, Any]]]:
    """For each case the answer for its GPU, or None: it can't be described. Raises RowsError if there is none at all."""
    lines = [json.dumps(description(case, line)) + "\n" for line, case in enumerate(cases)]
    done = subprocess.run(
        [dryfit, "predict", "-", "--json"],
        input="".join(lines),
        capture_output=True,
        text=True,
        timeout=PATIENCE_SECONDS,
    )
    answers = {said["id"]: said for said in map(json.loads, done.stdout.splitlines()) if "cards" in said}
    if cases and not done.stdout:
        raise RowsError(f"`dryfit predict` gave no answer: {done.stderr.strip()}")
    return [answers[line]["cards"][0] if line in answers else None for line in range(len(cases))]
