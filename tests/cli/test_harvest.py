# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""What `dryfit harvest` refuses before it looks for PyTorch. The rest: tests/e2e/test_harvest.py, tests/slurm."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
DRYFIT = Path(os.environ.get("DRYFIT_UNDER_TEST", ROOT / "bin" / "dryfit"))

WRONG_USAGE = 2


@pytest.mark.parametrize(
    "options, part",
    [
        (["--on", "slurm"], "sbatch is not installed"),
        (["--on", "moon"], "unknown place 'moon'"),
        (["--tasks", "3"], "--tasks needs --on slurm"),
        (["--no-wait"], "--no-wait needs --on slurm"),
        (["--sbatch-arg=--mem=8G"], "--sbatch-arg needs --on slurm"),
        (["--on", "slurm", "--tasks", "0"], "--tasks"),
    ],
)
def test_an_unknown_place_is_refused_with_a_reason(tmp_path: Path, options: "list[str]", part: str) -> None:
    out = tmp_path / "jobs.jsonl"
    done = subprocess.run(
        [str(DRYFIT), "harvest", "--out", str(out), *options],
        capture_output=True,
        text=True,
        timeout=600,
        env={**os.environ, "PATH": "/nonexistent"},
    )
    assert done.returncode == WRONG_USAGE
    assert part in done.stderr
    assert list(tmp_path.iterdir()) == []
