# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Dry-runs one cell."""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from compat_lib import scratch
from compat_lib.environments import Environment, environment_of
from compat_lib.outcome import NOT_RUN, Outcome, no_answer, not_installed, outcome_of
from compat_lib.programs import Cell
from dryfit_command import DRYFIT, REPOSITORY, Answer, dryfit_run

GRACE_SECONDS = 60


@dataclass(frozen=True)
class Places:
    work: Path = REPOSITORY / "build" / "compat"
    clones: Path = REPOSITORY / "build" / "compat" / "repositories"
    environments: Path = REPOSITORY / ".venv"
    dryfit: Path = DRYFIT

    def folder(self, cell: Cell) -> Path:
        return self.work / "scratch" / cell.name.replace(" ", "-")

    def log(self, cell: Cell) -> Path:
        return self.work / "log" / f"{cell.name.replace(' ', '-')}.txt"

    def environment(self, cell: Cell) -> Environment:
        return environment_of(cell, self.environments)


def ruled_out(cell: Cell, places: Places) -> Outcome | None:
    """Why the cell can't be run here; None: it can."""
    if cell.reason:
        return Outcome("reason", cell.reason)
    environment = places.environment(cell)
    if not environment.versions():
        return NOT_RUN
    missing = environment.missing(cell.program.packages)
    if missing:
        return not_installed(missing[0])
    if cell.program.repository and not scratch.clone_of(cell.program, places.clones).exists():
        return not_installed(cell.program.repository)
    return None


def run(cell: Cell, places: Places, timeout: int) -> Outcome:
    """Runs a cell that isn't ruled out. Its folder stays if there was no verdict."""
    folder = places.folder(cell)
    try:
        scratch.make(folder, cell.program, places.clones)
        outcome = _prepared_and_run(cell, places, timeout)
    except subprocess.TimeoutExpired:
        outcome = no_answer(f"it was stopped {GRACE_SECONDS} s after its time limit", timeout)
    except subprocess.CalledProcessError as error:
        outcome = no_answer(f"the preparation failed: {_last_line(error.stderr)}")
    if outcome.state == "verdict":
        shutil.rmtree(folder, ignore_errors=True)
    return outcome


def _prepared_and_run(cell: Cell, places: Places, timeout: int) -> Outcome:
    folder, environment, program = places.folder(cell), places.environment(cell), cell.program
    variables = scratch.variables(folder, environment, program)
    if program.prepare:
        without_gpu = {**variables, "CUDA_VISIBLE_DEVICES": ""}
        words = [str(environment.python), f"programs/{program.prepare}"]
        subprocess.run(words, cwd=folder, env=without_gpu, check=True, capture_output=True, timeout=timeout)
    answer = dryfit_run(
        [environment.bin / program.command[0], *program.command[1:]],
        program.gpu,
        steps="",
        dryfit=places.dryfit,
        timeout=timeout + GRACE_SECONDS,
        cwd=folder,
        options=("--timeout", str(timeout), *program.options),
        env=variables,
    )
    _write_log(cell, places, answer)
    if not answer.results:
        return no_answer(answer.complaint(), answer.seconds)
    return outcome_of(answer.results[0], answer.seconds)


def _write_log(cell: Cell, places: Places, answer: Answer) -> None:
    log = places.log(cell)
    log.parent.mkdir(parents=True, exist_ok=True)
    log.write_text(f"{answer.stderr}\n{answer.report}\n", encoding="utf-8")


def _last_line(output: bytes | None) -> str:
    lines = (output or b"").decode(errors="replace").strip().splitlines()
    return lines[-1] if lines else "it printed nothing"
