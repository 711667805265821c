# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""`dryfit observe -- command` around real PyTorch. The stand-in driver plays the machine's own: the whole is a dry run."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
DRYFIT = Path(os.environ.get("DRYFIT_UNDER_TEST", ROOT / "bin" / "dryfit"))
PYTHON = ROOT / ".venv" / "torch-2.6.0" / "bin" / "python"

pytestmark = [
    pytest.mark.torch,
    pytest.mark.skipif(not PYTHON.exists(), reason="no environment .venv/torch-2.6.0"),
]

TRAINING = """
import torch
model = torch.nn.Linear(4096, 4096).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(2):
    model(torch.zeros(64, 4096, device="cuda")).sum().backward()
    optimizer.step()
"""


def observed(folder: Path, program: str) -> "tuple[dict[str, Any], list[dict[str, Any]]]":
    """What a dry run says of the program, and what was recorded inside of it."""
    history = folder / "history.db"
    inner = [str(DRYFIT), "observe", "--history", str(history), "--", str(PYTHON), "-c", program]
    outer = [str(DRYFIT), "run", "--json", "--gpu", "rtx-3060-12gb", "--steps", "all", "--keep-writes", "--", *inner]
    environment = {k: v for k, v in os.environ.items() if not k.startswith("SLURM_")}
    ran = subprocess.run(outer, capture_output=True, text=True, timeout=300, env=environment)
    listed = subprocess.run(
        [str(DRYFIT), "history", "list", "--json", "--history", str(history)], capture_output=True, text=True
    )
    return json.loads(ran.stdout), json.loads(listed.stdout)["records"]


def test_the_peak_is_the_one_that_the_driver_saw(tmp_path: Path) -> None:
    report, (record,) = observed(tmp_path, TRAINING)
    (card,) = report["results"]
    assert record["peak_bytes"] == card["device_peak_bytes"]  # NVML shows it to a process without CUDA, too
    assert (record["kind"], record["outcome"], record["card"]) == ("device", "ok", "rtx-3060-12gb")
    assert record["software"]["torch"].startswith("2.6.0")


def test_running_out_of_memory_is_recorded(tmp_path: Path) -> None:
    _, (record,) = observed(tmp_path, TRAINING + "torch.zeros(64 << 30, dtype=torch.uint8, device='cuda')")
    assert record["outcome"] == "out-of-memory"
    assert record["peak_bytes"] > 0
