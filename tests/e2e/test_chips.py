# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""One bfloat16 training with the operators that libraries choose by chip (products, convolution, attention), on a card of
each generation, under every PyTorch there is that has code for it."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(REPOSITORY / "tools"))

from dryfit_command import DRYFIT, dryfit_run  # noqa: E402

JOB = REPOSITORY / "bench" / "jobs" / "h100_bf16.py"
# What the wheels of a version have code for, among the generations of the catalogue.
CHIPS = {
    "torch-2.6.0": ("a100-40gb", "rtx-4090-24gb", "h100-80gb"),
    "torch-2.11.0": ("a100-40gb", "h100-80gb", "b200-180gb", "rtx-5090-32gb"),
    "torch-latest": ("a100-40gb", "h100-80gb", "b200-180gb", "rtx-5090-32gb"),
}

pytestmark = pytest.mark.skipif(not DRYFIT.exists(), reason="bin/dryfit is not built; run make build")


@pytest.fixture(params=CHIPS)
def environment(request: pytest.FixtureRequest) -> str:
    return request.param


def test_Bfloat16_training_runs_on_every_generation(environment: str, tmp_path: Path) -> None:
    python = REPOSITORY / ".venv" / environment / "bin" / "python"
    if not python.exists():
        pytest.skip(f"no environment .venv/{environment}")
    answer = dryfit_run([python, JOB], ",".join(CHIPS[environment]), cwd=tmp_path, timeout=600)
    assert answer.returncode == 0, answer.stderr
    assert [(result["card"], result["verdict"]) for result in answer.results] == [
        (card, "fits") for card in CHIPS[environment]
    ]
