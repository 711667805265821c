# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Profiles a group of rows unless its traces exist, and estimates each row from them."""

from __future__ import annotations

import functools
import json
import subprocess
import tomllib
from dataclasses import replace
from pathlib import Path
from typing import Optional, Sequence

from accuracy_lib.case import Case
from accuracy_lib.models import is_cnn
from accuracy_lib.outcome import Outcome
from accuracy_lib.runner import SCRIPTS, outcome_of
from dryfit_command import REPOSITORY, Answer

from .groups import BATCHES, STEPS, Group

CARDS = REPOSITORY / "cards"
PATIENCE_SECONDS = 3600


class Profiler:
    def __init__(self, dryfit: Path, folder: Path) -> None:
        self._dryfit = dryfit
        self._folder = folder

    def has(self, group: Group) -> bool:
        return all(trace.exists() for trace in group.traces(self._folder))

    def profile(self, group: Group) -> Optional[str]:
        """What went wrong, if anything."""
        self._folder.mkdir(parents=True, exist_ok=True)
        python = REPOSITORY / ".venv" / group.cases[0].venv / "bin" / "python"
        options = ["--steps", str(STEPS), "-o", str(group.output(self._folder))]
        if group.shrunk:
            options += ["--shrink", "batch=" + ",".join(map(str, BATCHES))]
        script, *words = group.job
        done = self._call("profile", *options, "--", str(python), str(SCRIPTS / script), *words)
        return None if done.returncode == 0 else _complaint(done)

    def estimate(self, group: Group, case: Case) -> Outcome:
        traces = [str(trace) for trace in group.traces(self._folder)]
        batch = ["--batch", str(case.facts["batch_size"])] if group.shrunk else []
        done = self._call("estimate", *traces, *batch, "--gpu", case.card, "--json")
        report = json.loads(done.stdout) if done.stdout.startswith("{") else None
        outcome = outcome_of(Answer(done.returncode, report, _complaint(done), 0.0), None)
        return above_first_sample(case, replace(outcome, seconds=None))

    def _call(self, *words: str) -> "subprocess.CompletedProcess[str]":
        command: Sequence[str] = [str(self._dryfit), *words]
        return subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_SECONDS, cwd=REPOSITORY)


def above_first_sample(case: Case, outcome: Outcome) -> Outcome:
    """Note [The first sample] in bench/truth/xmem_job.py: the context is there by then, idle unless Adagrad has filled its
    state with a kernel; with a CNN the model too."""
    peak = outcome.measured.get("device_peak")
    if peak is None:
        return outcome
    loaded = outcome.measured.get("reserved_after_load", 0) if is_cnn(case.facts["model"]) else 0
    kernels_ran = is_cnn(case.facts["model"]) and case.facts["optimizer"] == "Adagrad"
    context = outcome.context if kernels_ran else idle_context(case.card)
    return replace(outcome, measured={**outcome.measured, "device_growth": peak - context - loaded})


@functools.cache
def idle_context(card: str) -> int:
    return tomllib.loads((CARDS / f"{card}.toml").read_text(encoding="utf-8"))["context_memory"]["value"]


def _complaint(done: "subprocess.CompletedProcess[str]") -> str:
    lines = [line for line in done.stderr.splitlines() if line.startswith("dryfit: ")] or done.stderr.splitlines()
    return lines[-1] if lines else f"dryfit ended with exit code {done.returncode}"
