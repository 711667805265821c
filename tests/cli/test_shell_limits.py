# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Limits that a shell sets (ulimit): each is named, with the command that raises it."""

from __future__ import annotations

import os
import shlex
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
DRYFIT = Path(os.environ.get("DRYFIT_UNDER_TEST", ROOT / "bin" / "dryfit"))
COULD_NOT_TELL = 1

pytestmark = pytest.mark.skipif(not DRYFIT.exists(), reason="bin/dryfit is not built; run make build")

ENDLESS = "while :; do :; done"


@pytest.mark.parametrize(
    "limit, program, part",
    [
        ("-n 10", "true", "ulimit -n"),
        ("-f 1", "true", "ulimit -f"),
        ("-S -t 1", ENDLESS, "ulimit -t"),
        ("-t 1", ENDLESS, "ulimit -t"),
    ],
)
def test_a_limit_that_was_reached_is_named(tmp_path: Path, limit: str, program: str, part: str) -> None:
    command = shlex.join([str(DRYFIT), "run", "--gpu", "rtx-3060-12gb", "--", "sh", "-c", program])
    done = subprocess.run(
        ["sh", "-c", f"ulimit {limit} && exec {command}"],
        capture_output=True,
        text=True,
        env={**os.environ, "TMPDIR": str(tmp_path), "LC_ALL": "C"},
    )
    assert done.returncode == COULD_NOT_TELL, done.stderr
    assert part in " ".join((done.stdout + done.stderr).split())
    assert list(tmp_path.iterdir()) == []


def test_the_program_has_its_own_answer_to_a_limit_on_files(tmp_path: Path) -> None:
    """SIGXFSZ is ignored by us and not by the program."""
    program = f"ulimit -f 1; head -c 10000 /dev/zero > '{tmp_path}/file'; echo code $?"
    done = subprocess.run(
        [str(DRYFIT), "run", "--gpu", "rtx-3060-12gb", "--", "sh", "-c", program], capture_output=True, text=True
    )
    assert "code 153" in done.stdout, done.stdout + done.stderr
