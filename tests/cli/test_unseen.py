# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""What the shipped model predicts for architectures that were never harvested: `dryfit predict` against the dry runs of
data/harvest/unseen.toml. Their models are described by data/harvest/unseen-models.jsonl, made from the probes among them."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DRYFIT = Path(os.environ.get("DRYFIT_UNDER_TEST", ROOT / "bin" / "dryfit"))
HARVEST = ROOT / "data" / "harvest"


def test_the_surrogate_is_near_the_dry_run_and_its_bound_holds() -> None:
    rows = [json.loads(line) for line in (HARVEST / "unseen.jsonl").read_text().splitlines()]
    fitting = [r for r in rows if r["verdict"] in ("fits", "tight") and not r["torch"]["alloc_retries"]]
    jobs = [r for r in fitting if r["job"]["optimizer"] != "sgd"]  # plain SGD are the probes
    assert len(jobs) > 200
    lines = "".join(json.dumps(_question(r["job"])) + "\n" for r in jobs)
    command = [DRYFIT, "predict", "--models", HARVEST / "unseen-models.jsonl", "--no-calibration", "-"]
    done = subprocess.run(list(map(str, command)), input=lines, capture_output=True, text=True, timeout=600, check=False)
    answers = [json.loads(line)["cards"][0] for line in done.stdout.splitlines()]
    assert len(answers) == len(jobs), done.stderr
    needs = [r["device"]["peak_bytes"] - r["device"]["context_bytes"] for r in jobs]
    assert {answer["known_by"] for answer in answers} == {"probes"}
    errors = [abs(answer["median_bytes"] / need - 1) for answer, need in zip(answers, needs)]
    bounds = [answer["upper_bytes"] / need for answer, need in zip(answers, needs)]
    assert statistics.median(errors) <= 0.05
    assert sum(bound >= 1 for bound in bounds) / len(bounds) >= 0.94
    assert statistics.mean(bounds) - 1 <= 0.15


def _question(job: dict[str, object]) -> dict[str, object]:
    names = ("model", "batch", "optimizer", "precision", "checkpointing")
    return {**{name: job[name] for name in names}, "gpu": job["card"]}
