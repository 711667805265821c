# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Calls `dryfit run --json` and reads its report. Shared by the tools, the benchmarks and the end-to-end tests."""

from __future__ import annotations

import json
import re
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Mapping, Optional, Sequence

GRACE_SECONDS = 15
REPOSITORY = Path(__file__).resolve().parents[1]
DRYFIT = REPOSITORY / "bin" / "dryfit"


@dataclass(frozen=True)
class Answer:
    """How `dryfit run` ended. `report` is None if it printed none."""

    returncode: int
    report: Optional[dict[str, Any]]
    stderr: str
    seconds: float

    @property
    def results(self) -> list[dict[str, Any]]:
        return (self.report or {}).get("results") or []

    def complaint(self) -> str:
        """The last line on stderr, which says what went wrong."""
        lines = self.stderr.strip().splitlines()
        return lines[-1] if lines else f"dryfit ended with exit code {self.returncode}"


def dryfit_run(
    command: Sequence[str | Path],
    gpus: str,
    steps: str = "3",
    dryfit: Path = DRYFIT,
    timeout: float = 900,
    cwd: Optional[Path] = None,
    options: Sequence[str] = (),
    env: Optional[Mapping[str, str]] = None,
) -> Answer:
    """Without steps, Dryfit's own default. Raises subprocess.TimeoutExpired after terminating Dryfit."""
    chosen = ["--steps", steps] if steps else []
    started = time.monotonic()
    process = subprocess.Popen(
        [str(part) for part in (dryfit, "run", "--json", "--gpu", gpus, *chosen, *options, "--", *command)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        cwd=cwd,
        env=env,
    )
    try:
        stdout, stderr = process.communicate(timeout=timeout)
    except BaseException:
        _end(process)
        raise
    return Answer(process.returncode, find_report(stdout), stderr, time.monotonic() - started)


def _end(process: subprocess.Popen) -> None:
    process.terminate()
    try:
        process.communicate(timeout=GRACE_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()


def find_report(stdout: str) -> Optional[dict[str, Any]]:
    """The report, separated from what the program itself printed."""
    for start in re.finditer(r'\{\s*"dryfit"', stdout):
        try:
            return json.JSONDecoder().raw_decode(stdout, start.start())[0]
        except json.JSONDecodeError:
            continue
    return None
