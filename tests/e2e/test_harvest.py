# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""`dryfit harvest` with real models: what a row says, what is skipped, what is refused."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
DRYFIT = REPOSITORY / "bin" / "dryfit"
PYTHON = REPOSITORY / ".venv" / "torch-2.6.0" / "bin" / "python"
LATEST = REPOSITORY / ".venv" / "torch-latest" / "bin" / "python"
WITH_TIMM = REPOSITORY / ".venv" / "harvest" / "bin" / "python"

pytestmark = [
    pytest.mark.torch,
    pytest.mark.slow,
    pytest.mark.skipif(not DRYFIT.exists(), reason="bin/dryfit is not built; run make build"),
    pytest.mark.skipif(not PYTHON.exists(), reason="no environment .venv/torch-2.6.0"),
]

GRID = """
[[jobs]]
source = "torchvision"
model = ["resnet18", "alexnet"]
batch = 2
size = 64
optimizer = "momentum"
checkpointing = true
card = "3060-12"

[[jobs]]
source = "transformers"
model = "bert-small"
batch = 2
size = 32
precision = "bf16-amp"
card = "rtx-3060-12gb"

[[jobs]]
source = "transformers"
model = "bert-small"
batch = 256
size = 512
card = "rtx-3060-12gb"
"""

# Two jobs of one kind, that of RESNET, and one that computes more.
GRID_OF_LATEST = """
[[jobs]]
source = "torchvision"
model = "resnet18"
batch = 2
size = 64
optimizer = ["momentum", "adam", "adafactor"]
checkpointing = true
card = "rtx-3060-12gb"
"""

# One job of each kind; alexnet has no blocks to checkpoint, and one bert does not fit.
GRID_OF_KINDS = """
[[jobs]]
source = "torchvision"
model = ["alexnet", "resnet18"]
batch = 2
size = 64
optimizer = "momentum"
checkpointing = true
card = "rtx-3060-12gb"

[[jobs]]
source = "torchvision"
model = ["squeezenet1_1", "mobilenet_v2"]
batch = 4
size = 64
optimizer = "adam"
precision = "fp16-amp"
card = "rtx-3060-12gb"

[[jobs]]
source = "torchvision"
model = "vit_b_32"
batch = 2
precision = "bf16"
card = "h100-80gb"

[[jobs]]
source = "transformers"
model = ["bert-small", "distilgpt2"]
batch = 2
size = 32
optimizer = "adafactor"
precision = "bf16-amp"
checkpointing = true
card = "h100-80gb"

[[jobs]]
source = "transformers"
model = "bert-small"
batch = 256
size = 512
card = "rtx-3060-12gb"
"""

RESNET = "torchvision/resnet18 size 64 batch 2 momentum fp32 checkpointing on rtx-3060-12gb, torch 2.6.0"
ALEXNET = RESNET.replace("resnet18", "alexnet")
BERT = "transformers/bert-small size 32 batch 2 adamw bf16-amp on rtx-3060-12gb, torch 2.6.0"
LARGE = "transformers/bert-small size 512 batch 256 adamw fp32 on rtx-3060-12gb, torch 2.6.0"


def harvest(*arguments: object, python: Path = PYTHON, **options: Any) -> "subprocess.CompletedProcess[str]":
    command = [str(DRYFIT), "harvest", "--python", str(python), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=900, **options)


def rows_in(path: Path) -> "dict[str, dict[str, Any]]":
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    assert len({row["key"] for row in rows}) == len(rows)
    return {row["key"]: row for row in rows}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("harvest")
    (folder / "grid.toml").write_text(GRID)
    return folder


@pytest.fixture(scope="module")
def rows(folder: Path) -> "dict[str, dict[str, Any]]":
    done = harvest("--grid", folder / "grid.toml", "--out", folder / "jobs.jsonl", "--jobs", 2)
    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith(": 4 jobs added (1 failed), 0 already there, 0 left\n")
    return rows_in(folder / "jobs.jsonl")


def test_Each_job_is_one_row(rows: "dict[str, dict[str, Any]]") -> None:
    assert set(rows) == {RESNET, ALEXNET, BERT, LARGE}
    assert rows[RESNET]["job"] == {
        "source": "torchvision",
        "model": "resnet18",
        "batch": 2,
        "size": 64,
        "optimizer": "momentum",
        "precision": "fp32",
        "checkpointing": True,
        "card": "rtx-3060-12gb",
    }


@pytest.mark.parametrize("key", [RESNET, BERT])
def test_A_row_has_exact_peaks_and_work(rows: "dict[str, dict[str, Any]]", key: str) -> None:
    row = rows[key]
    assert row["verdict"] == "fits" and row["steps"] == 3
    assert row["torch"]["peak_allocated_bytes"] <= row["torch"]["peak_reserved_bytes"] < row["device"]["peak_bytes"]
    assert row["software"]["torch"].startswith("2.6.0")
    layers = sum(layer["flops"] for layer in row["layers"])
    assert layers + sum(module["flops"] for module in row["other_modules"]) == row["compute"]["flops"] > 0
    assert row["seconds"] > 0


def test_The_layers_come_in_the_order_of_the_forward_pass(rows: "dict[str, dict[str, Any]]") -> None:
    row = rows[RESNET]
    assert row["layers_complete"] and row["model"]["parameters"] == 11_689_512
    assert sum(layer["parameters"] for layer in row["layers"]) == 11_689_512
    first, last = dict(row["layers"][0]), row["layers"][-1]
    held = first.pop("held_bytes")
    assert first == {
        "name": "conv1",
        "kind": "Conv2d",
        "inputs": [[2, 3, 64, 64]],
        "outputs": [[2, 64, 32, 32]],
        "parameters": 9408,
        "kernel_size": [7, 7],
        "stride": [2, 2],
        "groups": 1,
        "between_bytes": 0,
        "flops": 2 * 2 * 2 * 64 * 32 * 32 * 3 * 49,  # forward, and the gradient of the weights
    }
    assert held >= 2 * 64 * 32 * 32 * 4
    assert last["name"] == "fc" and last["kind"] == "Linear"


def test_The_growth_of_a_forward_pass_is_that_of_its_layers_and_of_what_lies_between(
    rows: "dict[str, dict[str, Any]]",
) -> None:
    row = rows[RESNET]
    grown = sum(layer["between_bytes"] + layer["held_bytes"] for layer in row["layers"])
    assert any(layer["between_bytes"] != 0 for layer in row["layers"])
    assert grown == row["model"]["forward_bytes"] > 0
    assert rows[LARGE]["model"]["forward_bytes"] is None


def test_A_job_that_is_impossible_says_why(rows: "dict[str, dict[str, Any]]") -> None:
    row = rows[ALEXNET]
    assert row["verdict"] == "cannot-tell"
    assert row["failure"] == "job: the model has no blocks to checkpoint"
    assert row["compute"] is None and row["layers"] == []


def test_A_job_that_does_not_fit_was_counted_on_a_card_without_end(rows: "dict[str, dict[str, Any]]") -> None:
    row = rows[LARGE]
    assert row["verdict"] == "does-not-fit" and row["steps"] == 0 and row["oom"]["step"] == 1
    assert row["device"]["peak_bytes"] <= row["device"]["capacity_bytes"] < 13e9
    # Six operations for a token and a weight, but for the embeddings, of which only the output's are multiplied.
    tokens, weights = 256 * 512, row["model"]["parameters"] - 512 * 512
    assert 1 < row["compute"]["flops"] / (6 * tokens * weights) < 1.2


def plain_run(python: Path, row: "dict[str, Any]", folder: Path) -> "dict[str, Any]":
    """The row's job under `dryfit run`, which counts nothing."""
    job = REPOSITORY / "python" / "dryfit" / "hooks" / "_dryfit_harvest" / "job.py"
    command = [DRYFIT, "run", "--gpu", row["job"]["card"], "--no-history", "--json", "--", python, job, "run"]
    arguments = [json.dumps(row["job"]), folder / "layers.json"]
    done = subprocess.run([*map(str, [*command, *arguments])], capture_output=True, text=True, timeout=900)
    return json.loads(done.stdout)["results"][0]


def assert_same_memory(row: "dict[str, Any]", run: "dict[str, Any]") -> None:
    assert {key: run["torch"][key] for key in row["torch"]} == row["torch"]
    assert run["device_peak_bytes"] == row["device"]["peak_bytes"]


@pytest.mark.parametrize("key", [RESNET, BERT])
def test_A_row_has_the_memory_of_a_run_that_does_not_count(
    rows: "dict[str, dict[str, Any]]", key: str, tmp_path: Path
) -> None:
    assert_same_memory(rows[key], plain_run(PYTHON, rows[key], tmp_path))


def rows_but_for_what_they_took(*arguments: object, out: Path) -> "dict[str, dict[str, Any]]":
    done = harvest("--out", out, *arguments)
    assert done.returncode == 0, done.stderr
    own = {"seconds", "host_peak_rss_bytes"}
    return {key: {name: row[name] for name in row if name not in own} for key, row in rows_in(out).items()}


def test_A_forked_job_has_the_row_of_one_in_a_process_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "grid.toml").write_text(GRID_OF_KINDS)
    forked = rows_but_for_what_they_took("--grid", tmp_path / "grid.toml", out=tmp_path / "forked.jsonl")
    afresh = rows_but_for_what_they_took("--afresh", "--grid", tmp_path / "grid.toml", out=tmp_path / "afresh.jsonl")
    assert len(forked) == 8
    assert sorted(row["verdict"] for row in forked.values()) == ["cannot-tell", "does-not-fit", *["fits"] * 6]
    assert forked == afresh


@pytest.mark.parametrize("way", [[], ["--afresh"]])
def test_A_job_that_takes_too_long_is_a_row(folder: Path, tmp_path: Path, way: "list[str]") -> None:
    out = tmp_path / "jobs.jsonl"
    done = harvest("--grid", folder / "grid.toml", "--out", out, "--limit", 2, "--jobs", 2, "--timeout", "1", *way)
    assert done.returncode == 0, done.stderr
    assert {row["verdict"] for row in rows_in(out).values()} == {"cannot-tell"}
    assert len(rows_in(out)) == 2


@pytest.mark.skipif(not LATEST.exists(), reason="no environment .venv/torch-latest")
def test_Where_counting_takes_runs_of_its_own_jobs_of_one_kind_share_one(
    rows: "dict[str, dict[str, Any]]", tmp_path: Path
) -> None:
    (tmp_path / "grid.toml").write_text(GRID_OF_LATEST)
    out = tmp_path / "jobs.jsonl"
    done = harvest("--grid", tmp_path / "grid.toml", "--out", out, "--jobs", 1, python=LATEST)
    assert done.returncode == 0, done.stderr
    by_optimizer = {row["job"]["optimizer"]: row for row in rows_in(out).values()}
    assert by_optimizer["momentum"]["compute"] == by_optimizer["adam"]["compute"] == rows[RESNET]["compute"]
    assert by_optimizer["adafactor"]["compute"]["flops"] > by_optimizer["adam"]["compute"]["flops"]
    assert_same_memory(by_optimizer["adam"], plain_run(LATEST, by_optimizer["adam"], tmp_path))


def test_What_is_there_is_not_run_again(rows: "dict[str, dict[str, Any]]", folder: Path) -> None:
    before = (folder / "jobs.jsonl").read_bytes()
    done = harvest("--grid", folder / "grid.toml", "--out", folder / "jobs.jsonl")
    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith(": 0 jobs added (0 failed), 4 already there, 0 left\n")
    assert (folder / "jobs.jsonl").read_bytes() == before


def test_An_interruption_leaves_a_sound_file_and_no_process(folder: Path) -> None:
    out = folder / "interrupted.jsonl"
    command = [DRYFIT, "harvest", "--python", PYTHON, "--grid", folder / "grid.toml", "--out", out, "--jobs", 1]
    environment = {**os.environ, "TMPDIR": str(folder)}
    process = subprocess.Popen(
        list(map(str, command)),
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # a shell in the background ignores SIGINT
    )
    deadline = time.monotonic() + 300
    while not list(folder.glob("dryfit-*/run/trace-*")) and time.monotonic() < deadline:
        time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    stdout, stderr = process.communicate(timeout=600)
    assert process.returncode == 1, stderr
    assert b"Run the same command again to continue." in stderr
    assert rows_in(out) == {} or len(rows_in(out)) < 4
    assert list(folder.glob("dryfit-*")) == []


def test_Jobs_are_listed_without_running_any(folder: Path) -> None:
    done = harvest("--grid", folder / "grid.toml", "--list-jobs", "--limit", 2)
    assert done.returncode == 0 and len(done.stdout.splitlines()) == 2
    assert set(done.stdout.splitlines()) < {RESNET, ALEXNET, BERT, LARGE}


def test_The_built_in_grid_has_thousands_of_jobs() -> None:
    jobs = harvest("--list-jobs").stdout.splitlines()
    assert len(set(jobs)) == len(jobs) > 10_000


@pytest.mark.skipif(not WITH_TIMM.exists(), reason="no environment .venv/harvest; run make venv-harvest")
def test_The_grid_of_the_first_data_set_has_a_reference_row_for_each_model_and_size() -> None:
    listed = harvest("--list-jobs", "--grid", REPOSITORY / "data/harvest/first.toml", python=WITH_TIMM).stdout
    jobs = listed.splitlines()
    assert len(set(jobs)) == len(jobs) >= 3000
    subjects = {job.split(" batch ")[0] for job in jobs}
    alike = " batch 2 sgd fp32 on h100-80gb, torch 2.6.0"
    assert {job[: -len(alike)] for job in jobs if job.endswith(alike)} == subjects


@pytest.mark.parametrize(
    "grid, complaint",
    [
        (GRID.replace("alexnet", "alexnetto"), "torchvision has no model 'alexnetto'"),
        (GRID.replace("3060-12", "voodoo2"), "voodoo2"),
        (GRID.replace("bf16-amp", "int3"), "unknown precision 'int3'"),
    ],
)
def test_A_wrong_grid_is_refused(tmp_path: Path, grid: str, complaint: str) -> None:
    (tmp_path / "grid.toml").write_text(grid)
    done = harvest("--grid", tmp_path / "grid.toml", "--out", tmp_path / "jobs.jsonl")
    assert done.returncode == 2
    assert complaint in done.stderr
    assert not (tmp_path / "jobs.jsonl").exists()
