# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""One published job through `dryfit run`."""

from __future__ import annotations

import subprocess
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Optional

from dryfit_command import Answer, dryfit_run

from .rows import JobKey

PATIENCE_SECONDS = 900


@dataclass(frozen=True)
class Outcome:
    """What Dryfit said about one job; `error` is set when it could not tell."""

    ours_bytes: Optional[int] = None
    ours_device_bytes: Optional[int] = None
    ours_context_bytes: Optional[int] = None
    ours_reserved_after_load_bytes: Optional[int] = None
    ours_verdict: Optional[str] = None
    seconds: Optional[float] = None
    error: Optional[str] = None

    def fields(self) -> dict[str, Any]:
        values = asdict(self)
        if self.error is None:
            del values["error"]
        return values


@dataclass(frozen=True)
class Runner:
    dryfit: Path
    python: Path
    job_script: Path

    def command(self, key: JobKey) -> list[str]:
        job = [str(self.python), str(self.job_script), "--model", key.model, "--optimizer", key.optimizer]
        return job + ["--batch", str(key.batch_size), "--zero-grad-mode", str(key.zero_grad_mode or 0)]

    def run(self, key: JobKey, card: str) -> Outcome:
        try:
            answer = dryfit_run(self.command(key), card, steps="all", dryfit=self.dryfit, timeout=PATIENCE_SECONDS)
        except subprocess.TimeoutExpired:
            return Outcome(error=f"no answer after {PATIENCE_SECONDS} s")
        return outcome_of(answer)


def outcome_of(answer: Answer) -> Outcome:
    seconds = round(answer.seconds, 2)
    if answer.returncode not in (0, 3) or not answer.results:
        return Outcome(seconds=seconds, error=answer.complaint())
    result = answer.results[0]
    return Outcome(
        ours_bytes=result["torch"]["peak_reserved_bytes"],
        ours_device_bytes=result["device_peak_bytes"],
        ours_context_bytes=result["outside_torch"]["context_bytes"],
        ours_reserved_after_load_bytes=result["torch"]["reserved_after_load_bytes"],
        ours_verdict=result["verdict"],
        seconds=seconds,
    )
