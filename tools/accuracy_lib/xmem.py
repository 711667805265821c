# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""The published runs of xMem (arXiv 2510.21048): a row is one training job, its peak as NVML saw it, and what four
estimators said. The truth is the growth of the device's memory over the first sample (Note [The first sample] in
bench/truth/xmem_job.py); a run that ended for lack of memory has no truth but its verdict (what it had reached is kept
among the facts).

Note [The two eras]: rows without a zero_grad position are older. The authors' public program of that time, the version
that writes a null position, sets CUBLAS_WORKSPACE_CONFIG to ":0:0", so that neither PyTorch nor cuBLAS keeps
workspaces. It calls zero_grad at the end of an iteration in the transformer loop, and between the loss and the
backward pass in the other one. PyTorch, cuDNN and transformers are those of the later rows; torch 2.3.1 with cuDNN 8,
or transformers 4.39, its earlier choices, give other peaks.
"""

from __future__ import annotations

import csv
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any, Optional

from .cards import Cards
from .case import Case, Estimate, RowsError
from .metrics import CAP
from .models import is_cnn, is_known
from .outcome import Result
from .second_run import PUBLISHED_ENDS, capped, share_of

PEERS = ("xmem", "dnnmem", "schedtune", "llmem")
REQUIRED_COLUMNS = ("model", "optimizer", "batch_size", "gpu_name", "zero_grad_mode", "ground", "real_oom")
VENV = "torch-2.6.0"
LARGEST_SHORT_BATCH = 20  # the largest batch whose repeated measurements were published and differ
OLDER_CNN_POSITION, OLDER_TRANSFORMER_POSITION = 1, 2
OLDER_OPTIONS = ("--cublas-workspace", ":0:0")
PUBLISHED_POSITION = "zero_grad position published"
UNPUBLISHED_POSITION = "zero_grad position not published"

Columns = dict[str, str]


def read_cases(path: Path, source: str) -> list[Case]:
    try:
        with path.open(newline="", encoding="utf-8") as file:
            reader = csv.DictReader(file)
            missing = [name for name in REQUIRED_COLUMNS if name not in (reader.fieldnames or [])]
            if missing:
                raise RowsError(f"{path} has no column {', '.join(missing)}")
            rows = list(reader)
    except OSError as error:
        raise RowsError(f"cannot read {path}: {error.strerror}") from error
    cards, seen = Cards(), Counter[str]()
    return [_case(path, line, row, source, cards, seen) for line, row in enumerate(rows, start=2)]


def _case(path: Path, line: int, row: Columns, source: str, cards: Cards, seen: Counter[str]) -> Case:
    try:
        facts = _facts(row)
        peers = {peer: _estimate(row.get(f"{peer}_memory"), row.get(f"{peer}_oom")) for peer in PEERS}
    except (ValueError, TypeError) as error:
        raise RowsError(f"{path}, line {line}: {error}") from error
    card, oom = cards.find(facts["gpu_name"]), row["real_oom"] == "true"
    return Case(
        source=source,
        id=_id(facts, seen),
        group=UNPUBLISHED_POSITION if facts["zero_grad_mode"] is None else PUBLISHED_POSITION,
        card=card or "",
        venv=VENV,
        job=_job(facts),
        truth={} if oom else {"device_growth": facts["ground"]},
        main="device_growth",
        truth_oom=oom,
        peers=peers,
        cannot=_obstacle(facts, card),
        facts=facts,
    )


def _facts(row: Columns) -> dict[str, Any]:
    mode, second = row["zero_grad_mode"], row.get("xmem_2nd_oom")
    return {
        "model": row["model"],
        "optimizer": row["optimizer"],
        "batch_size": int(row["batch_size"]),
        "gpu_name": row["gpu_name"],
        "zero_grad_mode": int(mode) if mode else None,
        "ground": int(float(row["ground"])),
        "total": int(row.get("total_gpu_memory") or 0),
        "second_run_error": float(row["xmem_2nd_error"]) if row.get("xmem_2nd_error") else None,
        PUBLISHED_ENDS: {"xmem": second == "true"} if second else {},
    }


def _estimate(memory: Optional[str], oom: Optional[str]) -> Optional[Estimate]:
    if not memory:
        return None
    if float(memory) < 0:
        return Estimate(None, None)
    return Estimate(int(float(memory)), oom == "true")


def _id(facts: dict[str, Any], seen: Counter[str]) -> str:
    """The settings; equal ones in a file are numbered in its order."""
    mode = "-" if facts["zero_grad_mode"] is None else facts["zero_grad_mode"]
    gpu = facts["gpu_name"].replace("NVIDIA ", "").replace("GeForce ", "")
    name = f"{facts['model']} {facts['optimizer']} batch {facts['batch_size']} mode {mode} {gpu}"
    seen[name] += 1
    return name if seen[name] == 1 else f"{name} #{seen[name]}"


def _job(facts: dict[str, Any]) -> tuple[str, ...]:
    older, position = facts["zero_grad_mode"] is None, facts["zero_grad_mode"]
    if older:
        position = OLDER_CNN_POSITION if is_cnn(facts["model"]) else OLDER_TRANSFORMER_POSITION
    job = ("xmem_job.py", "--model", facts["model"], "--optimizer", facts["optimizer"])
    job = (*job, "--batch", str(facts["batch_size"]), "--zero-grad-mode", str(position))
    return (*job, *OLDER_OPTIONS) if older else job


def _obstacle(facts: dict[str, Any], card: Optional[str]) -> Optional[str]:
    if not is_known(facts["model"]):
        return f"unknown model {facts['model']}"
    return None if card else f"no single GPU in the catalogue is called {facts['gpu_name']}"


def read_second_runs(path: Path, source: str) -> list[Case]:
    """The published second runs of jobs that fitted: the same jobs, capped at xMem's estimate. They follow the first run
    in its process (Note [The process of the first run] in bench/truth/xmem_second_run_job.py), the older ones excepted:
    without cuBLAS's workspaces nothing that PyTorch holds survives it."""
    fitted = [case for case in read_cases(path, source) if case.truth_oom is False]
    return [_second_run(case) for case in fitted if case.facts[PUBLISHED_ENDS]]


def _second_run(case: Case) -> Case:
    said, total = case.peers["xmem"], case.facts["total"]
    if said is None or said.bytes is None or not total:
        return replace(case, truth={}, peers={}, cannot="the row doesn't give the cap: xmem_memory, total_gpu_memory")
    share = share_of(said.bytes, total)
    facts = {name: value for name, value in case.facts.items() if name != PUBLISHED_ENDS}
    oom, growth = case.facts[PUBLISHED_ENDS]["xmem"], _second_growth(case, said.bytes, float(share) * total)
    second = replace(capped(case, share), truth={}, truth_oom=oom, peers={}, facts={**facts, CAP: share})
    if case.facts["zero_grad_mode"] is None:
        return second
    truth = {} if growth is None else {"device_growth": growth}
    return replace(second, truth=truth, job=("xmem_second_run_job.py", *second.job[1:]))


def _second_growth(case: Case, estimate: int, cap: float) -> Optional[int]:
    """What was published is its distance from the estimate, to either side; it can't have been above the cap. When the
    first sample of a CNN was taken is not known."""
    error = case.facts["second_run_error"]
    if error is None or is_cnn(case.facts["model"]):
        return None
    distance = round(error * case.facts["ground"])
    return estimate - distance if distance == 0 or estimate + distance > cap else None


def explain_transformer(case: Case, measured: dict[str, int]) -> Optional[str]:
    if case.facts["batch_size"] > LARGEST_SHORT_BATCH:
        return None
    lines = case.facts["batch_size"]
    return f"probably a batch shorter than 128 tokens: each is as long as the longest of its {lines} random lines"


def explain_cnn(case: Case, measured: dict[str, int]) -> Optional[str]:
    """Our number lacks what was not yet on the card at the first sample."""
    truth, ours = case.truth.get("device_growth"), measured.get("device_growth")
    loaded = measured.get("reserved_after_load", 0)
    if truth is None or ours is None or not 0 < truth - ours < loaded:
        return None
    share = (loaded - (truth - ours)) / loaded
    return f"the first sample was taken while the model was being copied: about {share:.0%} of it was on the GPU"


def line_of(result: Result) -> dict[str, Any]:
    """One line of --json for a study with --xmem-rows."""
    case, outcome = result.case, result.outcome
    keys = ("model", "optimizer", "batch_size", "gpu_name", "zero_grad_mode")
    error = case.cannot or outcome.error
    return {
        "source": case.source,
        **{name: case.facts[name] for name in keys},
        "truth_bytes": case.facts["ground"],
        "truth_oom": case.truth_oom,
        "ours_bytes": result.ours("peak_reserved"),
        "ours_device_bytes": result.ours("device_peak"),
        "ours_context_bytes": outcome.context,
        "ours_reserved_after_load_bytes": result.ours("reserved_after_load"),
        "ours_verdict": outcome.verdict,
        "seconds": outcome.seconds,
        **({"error": error} if error else {}),
        "peers": {peer: estimate and estimate._asdict() for peer, estimate in case.peers.items()},
    }
