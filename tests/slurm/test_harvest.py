# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""`dryfit harvest --on slurm` on a real Slurm cluster. Run by `make test-slurm`, which installs it; elsewhere skipped."""

from __future__ import annotations

import importlib.util
import json
import os
import signal
import subprocess
import time
from pathlib import Path
from typing import Any, Iterator

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
DRYFIT = REPOSITORY / "bin" / "dryfit"
PYTHON = REPOSITORY / ".venv" / "torch-2.6.0" / "bin" / "python"
DIFFERENT_EACH_TIME = ("seconds", "host_peak_rss_bytes")

pytestmark = [
    pytest.mark.torch,
    pytest.mark.slow,
    pytest.mark.skipif("DRYFIT_TEST_SLURM" not in os.environ, reason="make test-slurm runs it"),
]

GRID = """
[[jobs]]
source = "torchvision"
model = ["resnet18", "alexnet"]
batch = 2
size = 64
optimizer = ["momentum", "adam"]
card = "rtx-3060-12gb"

[[jobs]]
source = "torchvision"
model = "squeezenet1_1"
batch = 2
size = 64
card = "rtx-3060-12gb"
"""
JOBS = 5
NEVER = "--sbatch-arg=--begin=now+1hour"


def load_cluster() -> Any:
    spec = importlib.util.spec_from_file_location("cluster", Path(__file__).with_name("cluster.py"))
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.Cluster()


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    cluster = load_cluster()
    try:
        cluster.up()
        yield cluster
    finally:
        cluster.down()


class Harvest:
    def __init__(self, cluster: Any, folder: Path) -> None:
        # A name with a space and a quote goes through sbatch and a shell.
        self.folder = folder / "it's here"
        self.folder.mkdir()
        self.grid = self.folder / "grid.toml"
        self.grid.write_text(GRID)
        self.out = self.folder / "jobs.jsonl"
        self.array = self.folder / "jobs.jsonl.slurm"
        self.cluster = cluster

    def words(self, *options: str) -> "list[str]":
        grid = ["--grid", str(self.grid), "--python", str(PYTHON), "--out", str(self.out)]
        return [str(DRYFIT), "harvest", *grid, *options]

    def run(self, *options: str) -> "subprocess.CompletedProcess[str]":
        words = self.words("--on", "slurm", *options)
        return subprocess.run(words, capture_output=True, text=True, timeout=900, env=self.cluster.environment)

    def rows(self, path: "Path | None" = None) -> "dict[str, Any]":
        rows = [json.loads(line) for line in (path or self.out).read_text().splitlines()]
        for row in rows:
            for key in DIFFERENT_EACH_TIME:
                del row[key]
        keyed = {row["key"]: row for row in rows}
        assert len(keyed) == len(rows), "no row is there twice"
        return keyed


@pytest.fixture
def harvest(cluster: Any, tmp_path: Path) -> Iterator[Harvest]:
    yield Harvest(cluster, tmp_path)
    for job in cluster.queued():
        cluster.output("scancel", job)
    while cluster.queued():
        time.sleep(0.2)


def test_an_array_harvests_what_one_process_does(harvest: Harvest) -> None:
    done = harvest.run("--tasks", "2", "--cpus", "1", "--time", "30:00", "--partition", "small")
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"{JOBS} jobs in 2 tasks" in done.stdout
    assert f"{harvest.out}: {JOBS} jobs added, 0 already there, 0 left" in done.stdout
    assert not harvest.array.exists(), "nothing is left behind"
    alone = harvest.folder / "alone.jsonl"
    words = harvest.words("--jobs", "2")
    words[words.index(str(harvest.out))] = str(alone)
    assert subprocess.run(words, capture_output=True, timeout=900).returncode == 0
    assert harvest.rows() == harvest.rows(alone)
    again = harvest.run()
    assert again.returncode == 0
    assert f"{harvest.out}: 0 jobs added, {JOBS} already there, 0 left" in again.stdout


def test_without_waiting_the_same_command_collects_later(harvest: Harvest) -> None:
    submitted = harvest.run("--tasks", "3", "--no-wait")
    assert submitted.returncode == 0, submitted.stderr
    assert "run the same command again to collect" in submitted.stdout
    (job,) = harvest.cluster.queued()
    again = harvest.run("--tasks", "3", "--no-wait")
    assert again.returncode == 0 and "submitted" not in again.stdout
    assert harvest.cluster.queued() in ([job], [])
    done = harvest.run("--tasks", "3")
    assert done.returncode == 0, done.stdout + done.stderr
    assert len(harvest.rows()) == JOBS


def test_what_an_array_left_undone_is_submitted_again(harvest: Harvest) -> None:
    assert harvest.run("--limit", "2", "--tasks", "2").returncode == 0
    first = harvest.rows()
    assert harvest.run("--no-wait", NEVER).returncode == 0
    (job,) = harvest.cluster.queued()
    part = harvest.array / "part-0.jsonl"
    row = json.loads(harvest.out.read_text().splitlines()[0])
    part.write_text(json.dumps(row) + "\n" + '{"key":"cut o')
    harvest.cluster.output("scancel", job)
    while harvest.cluster.queued():
        time.sleep(0.2)
    done = harvest.run("--tasks", "2")
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"{JOBS - 2} jobs in 2 tasks" in done.stdout
    rows = harvest.rows()
    assert len(rows) == JOBS
    assert {key: rows[key] for key in first} == first


def test_an_array_that_ends_early_is_reported(harvest: Harvest) -> None:
    waiting = subprocess.Popen(
        harvest.words("--on", "slurm", NEVER),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=harvest.cluster.environment,
    )
    while not (jobs := harvest.cluster.queued()):
        time.sleep(0.2)
    harvest.cluster.output("scancel", jobs[0])
    output, errors = waiting.communicate(timeout=300)
    assert waiting.returncode == 1
    assert f"{JOBS} left" in output
    assert f"job {jobs[0]} ended before all jobs were done" in errors
    assert "run the same command to submit what is left" in errors


def test_an_interruption_leaves_the_array_in_the_queue(harvest: Harvest) -> None:
    waiting = subprocess.Popen(
        harvest.words("--on", "slurm", NEVER),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=harvest.cluster.environment,
        # A script that runs the tests in the background ignores SIGINT.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    while not harvest.cluster.queued() or not (harvest.array / "array.json").exists():
        time.sleep(0.2)
    time.sleep(1)
    waiting.send_signal(signal.SIGINT)
    _, errors = waiting.communicate(timeout=300)
    (job,) = harvest.cluster.queued()
    assert waiting.returncode == 1
    assert f"job {job} continues" in errors and f"scancel {job}" in errors


def test_what_sbatch_rejects_is_reported_in_its_words(harvest: Harvest) -> None:
    refused = harvest.run("--partition", "no-such-partition")
    assert refused.returncode == 1
    assert "sbatch rejected the job: " in refused.stderr and "partition" in refused.stderr
    assert "harvest.sh" in refused.stderr


def test_a_controller_that_does_not_answer_gets_no_second_array(harvest: Harvest) -> None:
    assert harvest.run("--no-wait", NEVER).returncode == 0
    configuration = harvest.folder / "elsewhere.conf"
    text = Path(harvest.cluster.environment["SLURM_CONF"]).read_text()
    lines = ["SlurmctldPort=1" if line.startswith("SlurmctldPort") else line for line in text.splitlines()]
    configuration.write_text("\n".join(lines + ["MessageTimeout=2", ""]))
    words = harvest.words("--on", "slurm")
    environment = {**harvest.cluster.environment, "SLURM_CONF": str(configuration)}
    done = subprocess.run(words, capture_output=True, text=True, timeout=300, env=environment)
    assert done.returncode == 1
    assert "squeue failed" in done.stderr
    assert len(harvest.cluster.queued()) == 1
