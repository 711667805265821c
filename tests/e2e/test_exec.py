# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""A program that trains a step and then replaces itself by exec: its two lives are not added up."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(REPOSITORY / "tools"))

from dryfit_command import DRYFIT, dryfit_run  # noqa: E402

PYTHON = REPOSITORY / ".venv" / "torch-2.6.0" / "bin" / "python"
GPU = "rtx-3060-12gb"

pytestmark = [
    pytest.mark.torch,
    pytest.mark.skipif(not DRYFIT.exists(), reason="bin/dryfit is not built; run make build"),
    pytest.mark.skipif(not PYTHON.exists(), reason=".venv/torch-2.6.0 is missing; run make venv"),
]

SCRIPT = """
import os, sys, torch

model = torch.nn.Linear(4096, 4096).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
model(torch.randn(256, 4096, device="cuda")).sum().backward()
optimizer.step()
if len(sys.argv) > 1:
    os.execv(sys.executable, [sys.executable, __file__])
"""


def test_a_program_that_replaces_itself_counts_once(tmp_path: Path) -> None:
    script = tmp_path / "train.py"
    script.write_text(SCRIPT)

    def result(folder: str, *arguments: str) -> "dict[str, Any]":
        options = ["--save", str(tmp_path / folder)]
        (found,) = dryfit_run([PYTHON, script, *arguments], GPU, "3", options=options).results
        return found

    once, twice = result("once"), result("twice", "again")
    for key in ("device_peak_bytes", "device_peak_low_bytes", "device_peak_high_bytes", "torch"):
        assert twice[key] == once[key], key
    assert "sharing" not in twice
    replays = [
        subprocess.run([str(DRYFIT), "replay", str(tmp_path / folder), "--json"], capture_output=True, text=True)
        for folder in ("once", "twice")
    ]
    first, second = (json.loads(done.stdout)["results"][0] for done in replays)
    assert second == first
