# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""What a run leaves behind where it may leave nothing."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
DRYFIT = Path(os.environ.get("DRYFIT_UNDER_TEST", ROOT / "bin" / "dryfit"))
GPU = "rtx-3060-12gb"
COULD_NOT_TELL, WRONG_USAGE = 1, 2

pytestmark = pytest.mark.skipif(not DRYFIT.exists(), reason="bin/dryfit is not built; run make build")


@pytest.fixture
def temporary(tmp_path: Path) -> Path:
    path = tmp_path / "temporary"
    path.mkdir()
    return path


def environment(temporary: Path) -> "dict[str, str]":
    return {**os.environ, "TMPDIR": str(temporary), "XDG_CACHE_HOME": str(temporary.parent / "cache")}


def test_a_reader_that_goes_away_leaves_no_folder(temporary: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [str(DRYFIT), "run", "--gpu", GPU, "--", "true"],
        stdout=writing,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(temporary),
    )
    os.close(writing)
    assert done.returncode == COULD_NOT_TELL
    assert "cannot write the report to stdout" in done.stderr
    assert list(temporary.iterdir()) == []


def test_of_two_runs_at_once_one_gets_the_folder(temporary: Path, tmp_path: Path) -> None:
    """The first one's program waits until the second was refused."""
    script = f"""
        "{DRYFIT}" run --gpu {GPU} --save "{tmp_path}/run" -- true
        echo "second: $?"
    """
    first = subprocess.run(
        [str(DRYFIT), "run", "--gpu", GPU, "--save", str(tmp_path / "run"), "--", "sh", "-c", script],
        capture_output=True,
        text=True,
        env=environment(temporary),
    )
    assert f"second: {WRONG_USAGE}" in first.stdout
    assert "exists and is not an empty folder" in first.stderr or "another run is being saved" in first.stderr
    assert not (tmp_path / "run" / "unfinished").exists()
    assert (tmp_path / "run" / "verdict.json").exists()
