# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Runs one case with `dryfit run`: its job in a folder of its own, its measurements, and the comparison."""

from __future__ import annotations

import json
import shutil
import subprocess
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Optional

from dryfit_command import REPOSITORY, Answer, dryfit_run

from .case import Case
from .catalogue import Compare, Source
from .outcome import Outcome

PATIENCE_SECONDS = 900
SCRIPTS = REPOSITORY / "bench" / "truth"
MEASURED = "measured.json"


@dataclass(frozen=True)
class Runner:
    dryfit: Path
    python: Optional[Path] = None  # instead of each case's own

    def python_of(self, case: Case) -> Path:
        return self.python or REPOSITORY / ".venv" / case.venv / "bin" / "python"

    def obstacle(self, case: Case) -> Optional[str]:
        """Why the case cannot be run on this machine as it is."""
        return None if self.python_of(case).exists() else f"the Python environment {case.venv} does not exist"

    def run(self, case: Case, source: Optional[Source]) -> Outcome:
        folder = Path(tempfile.mkdtemp(prefix="accuracy-"))
        try:
            return self._run_in(folder, case, source)
        except subprocess.TimeoutExpired:
            return Outcome(error=f"no answer after {PATIENCE_SECONDS} s", passing=True)
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def _run_in(self, folder: Path, case: Case, source: Optional[Source]) -> Outcome:
        script, *arguments = case.job
        answer = dryfit_run(
            [self.python_of(case), SCRIPTS / script, *arguments, "--out", folder],
            case.card,
            steps="all",
            dryfit=self.dryfit,
            timeout=PATIENCE_SECONDS,
            cwd=REPOSITORY,
            options=("--keep-writes", *case.options),
        )
        outcome = outcome_of(answer, _read_measured(folder))
        compare = source.compare if source else None
        return outcome if outcome.error or not compare else _with_comparison(outcome, case, folder, compare)


def _read_measured(folder: Path) -> Optional[dict[str, int]]:
    path = folder / MEASURED
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else None


def outcome_of(answer: Answer, job_measured: Optional[dict[str, int]]) -> Outcome:
    """The job's own numbers take precedence: they are from the moments at which the truth was measured."""
    seconds = round(answer.seconds, 2)
    answered = answer.returncode in (0, 3) or (answer.returncode == 1 and job_measured is not None)
    if not answered or not answer.results:
        return Outcome(seconds=seconds, error=answer.complaint(), passing=answer.returncode < 0)
    result = answer.results[0]
    return Outcome(
        measured={**reported_fields(result), **(job_measured or {})},
        verdict=result["verdict"].replace("_", "-"),
        capacity=result["capacity_bytes"],
        context=result["outside_torch"]["context_bytes"],
        reason=result["reason"],
        limits=result.get("limits") or {},
        seconds=seconds,
    )


def reported_fields(result: dict[str, Any]) -> dict[str, int]:
    """Dryfit's own numbers, under the names of accuracy_lib.case."""
    torch, device, context = result["torch"], result["device_peak_bytes"], result["outside_torch"]["context_bytes"]
    oom = result["oom"] or {}
    fields = {
        "peak_reserved": torch["peak_reserved_bytes"],
        "peak_allocated": torch["peak_allocated_bytes"],
        "reserved_after_load": torch["reserved_after_load_bytes"],
        "device_peak": device,
        "device_growth": None if device is None or context is None else device - context,
        "oom_requested": oom.get("requested_bytes"),
        "oom_free": oom.get("device_free_bytes"),
    }
    return {name: value for name, value in fields.items() if value is not None}


def _with_comparison(outcome: Outcome, case: Case, folder: Path, compare: Compare) -> Outcome:
    try:
        return replace(outcome, compared=compare(case, folder))
    except (OSError, ValueError, KeyError, IndexError) as error:
        return replace(outcome, error=f"comparison failed: {type(error).__name__}: {error}")
