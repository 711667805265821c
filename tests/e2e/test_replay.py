# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Replays of dry runs beside what PyTorch's own allocator did in them: every example, under every PyTorch there is, under
the recorded conditions and under others."""

from __future__ import annotations

import json
import os
import pickle
import subprocess
import sys
from functools import lru_cache
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(REPOSITORY / "tools"))

from dryfit_command import DRYFIT, Answer, dryfit_run  # noqa: E402

CARD = "a100-40gb"
EXAMPLES = ("resnet50", "gpt2", "vit_amp", "lstm")
ENVIRONMENTS = ("torch-2.6.0", "torch-latest")
CONFIGURATIONS = ("expandable_segments:True", "max_split_size_mb:64", "roundup_power2_divisions:4")
FREES = ("free_requested", "free_completed")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not DRYFIT.exists(), reason="bin/dryfit is not built; run make build"),
]

Snapshot = dict[str, Any]


class Run:
    """A dry run that was kept, and what PyTorch recorded in it."""

    def __init__(self, folder: Path, answer: Answer) -> None:
        self.folder = folder
        self.result = answer.results[0]
        (history,) = folder.glob("*/history-*.pickle")
        self.history = history
        self.snapshot: Snapshot = pickle.loads(history.read_bytes())


def replayed(source: Path, *options: str, code: int = 0) -> dict[str, Any]:
    """The report of a replay."""
    command = [str(DRYFIT), "replay", str(source), "--json", *options]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    assert done.returncode == code, done.stderr
    return json.loads(done.stdout)


class Replay:
    def __init__(self, run: Run, output: Path, *options: str) -> None:
        self.output = output
        self.report = replayed(run.folder, "--write-snapshot", str(output), *options)
        (self.result,) = self.report["results"]
        self.snapshot: Snapshot = pickle.loads(output.read_bytes())


def interpreter(environment: str) -> Path:
    python = REPOSITORY / ".venv" / environment / "bin" / "python"
    if not python.exists():
        pytest.skip(f"no environment .venv/{environment}")
    return python


@lru_cache(maxsize=None)
def dry_run(environment: str, example: str, workplace: Path, configuration: str = "", card: str = CARD) -> Run:
    folder = workplace / f"{environment}-{example}-{configuration.replace(':', '-')}-{card}"
    command: list[str | Path] = [interpreter(environment), REPOSITORY / "examples" / f"{example}.py"]
    if configuration:
        command = ["env", f"PYTORCH_CUDA_ALLOC_CONF={configuration}", *command]
    answer = dryfit_run(command, card, cwd=workplace, timeout=600, options=("--save", str(folder)))
    assert answer.results, answer.stderr
    return Run(folder, answer)


@pytest.fixture(scope="session")
def workplace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    os.environ.pop("PYTORCH_CUDA_ALLOC_CONF", None)
    return tmp_path_factory.mktemp("replay")


@pytest.fixture(params=ENVIRONMENTS)
def environment(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture(params=EXAMPLES)
def example(request: pytest.FixtureRequest) -> str:
    return request.param


def events(snapshot: Snapshot, addresses: bool) -> list[tuple[Any, ...]]:
    """What happened, in order; optionally without the addresses."""
    entries = [entry for entry in snapshot["device_traces"][0] if entry["action"] != "snapshot"]
    keys = ("action", "size", "stream", "addr") if addresses else ("action", "size", "stream")
    return [tuple(entry[key] for key in keys) for entry in entries]


def with_frees_sorted(happened: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """Autocast drops the weights it has cast in the order of a hash of host addresses: another one in every run."""
    result: list[tuple[Any, ...]] = []
    for are_frees, group in groupby(happened, key=lambda event: event[0] in FREES):
        result += sorted(group) if are_frees else group
    return result


def block(block: dict[str, Any], of: dict[str, Any]) -> tuple[Any, ...]:
    free = block["state"] == "inactive"
    return block["address"] - of["address"], block["size"], block["state"], 0 if free else block["requested_size"]


def layout(snapshot: Snapshot, addresses: bool) -> list[tuple[Any, ...]]:
    """The segments at the end with all their blocks; without addresses, in an order of their own."""
    names = ("total_size", "allocated_size", "active_size", "requested_size", "stream", "segment_type", "is_expandable")
    return sorted(
        (
            segment["address"] if addresses else 0,
            *(segment[name] for name in names),
            tuple(block(each, segment) for each in segment["blocks"]),
        )
        for segment in snapshot["segments"]
    )


def assert_same_peaks(replay: dict[str, Any], run: dict[str, Any]) -> None:
    assert replay["peak_reserved_bytes"] == run["torch"]["peak_reserved_bytes"]
    assert replay["peak_allocated_bytes"] == run["torch"]["peak_allocated_bytes"]
    assert replay["device_peak_bytes"] == run["device_peak_bytes"]
    assert replay["alloc_retries"] == run["torch"]["alloc_retries"]


def test_A_replay_of_a_run_is_the_run_to_the_byte(
    environment: str, example: str, workplace: Path, tmp_path: Path
) -> None:
    run = dry_run(environment, example, workplace)
    replay = Replay(run, tmp_path / "replayed.pickle")
    assert replay.report["recording"]["from_beginning"]
    assert replay.report["diagnostics"] == []
    assert_same_peaks(replay.result, run.result)
    assert events(replay.snapshot, addresses=True) == events(run.snapshot, addresses=True)
    assert layout(replay.snapshot, addresses=True) == layout(run.snapshot, addresses=True)


@pytest.mark.parametrize("configuration", CONFIGURATIONS)
def test_A_replay_under_another_configuration_is_a_run_under_it(
    environment: str, example: str, configuration: str, workplace: Path, tmp_path: Path
) -> None:
    recorded = dry_run(environment, example, workplace)
    real = dry_run(environment, example, workplace, configuration)
    replay = Replay(recorded, tmp_path / "replayed.pickle", "--alloc-conf", configuration)
    assert replay.result["caveats"] == []
    assert_same_peaks(replay.result, real.result)
    happened = with_frees_sorted(events(real.snapshot, addresses=False))
    assert with_frees_sorted(events(replay.snapshot, addresses=False)) == happened
    assert sorted(map(size_of, replay.snapshot["segments"])) == sorted(map(size_of, real.snapshot["segments"]))


def size_of(segment: dict[str, Any]) -> int:
    return segment["total_size"]


def test_A_replay_on_a_card_that_is_too_small_fails_where_the_run_does(environment: str, workplace: Path) -> None:
    recorded = dry_run(environment, "gpt2", workplace)
    real = dry_run(environment, "gpt2", workplace, card="rtx-4060-8gb").result
    (result,) = replayed(recorded.folder, "--gpu", "rtx-4060-8gb", code=3)["results"]
    assert real["verdict"] == result["verdict"] == "does-not-fit"
    assert_same_peaks(result, real)
    for number in ("requested_bytes", "device_free_bytes"):
        assert result["oom"][number] == real["oom"][number]


# Runs under PyTorch: opens a snapshot with its own tools (all that need no download), and adds up what the memory timeline shows.
OPEN = """
import json, pickle, sys
from torch.cuda import _memory_viz
data = pickle.load(open(sys.argv[1], "rb"))
texts = [_memory_viz.segsum(data), _memory_viz.trace(data), _memory_viz.trace_plot(data), _memory_viz.segment_plot(data)]
allocated = reserved = most_allocated = most_reserved = 0
for entry in data["device_traces"][0]:
    allocated += {"alloc": entry["size"], "free_completed": -entry["size"]}.get(entry["action"], 0)
    reserved += {"segment_alloc": entry["size"], "segment_map": entry["size"], "segment_free": -entry["size"],
                 "segment_unmap": -entry["size"]}.get(entry["action"], 0)
    most_allocated, most_reserved = max(most_allocated, allocated), max(most_reserved, reserved)
print(json.dumps({"texts": list(map(len, texts)), "allocated": most_allocated, "reserved": most_reserved}))
"""


def opened_by_torch(environment: str, file: Path) -> dict[str, Any]:
    command = [str(interpreter(environment)), "-c", OPEN, str(file)]
    return json.loads(subprocess.run(command, capture_output=True, text=True, check=True, timeout=300).stdout)


@pytest.mark.parametrize("configuration", ("", "expandable_segments:True"))
def test_A_written_snapshot_opens_in_PyTorchs_tools_with_the_same_peak(
    environment: str, configuration: str, workplace: Path, tmp_path: Path
) -> None:
    run = dry_run(environment, "lstm", workplace)
    replay = Replay(run, tmp_path / "replayed.pickle", "--alloc-conf", configuration)
    written = opened_by_torch(environment, replay.output)
    recorded = opened_by_torch(environment, run.history)
    assert min(written["texts"]) > 0
    assert written["reserved"] == replay.result["peak_reserved_bytes"]
    assert written["allocated"] == recorded["allocated"]
    (result,) = replayed(replay.output)["results"]
    assert result["peak_reserved_bytes"] == replay.result["peak_reserved_bytes"]
    assert result["alloc_conf"] == configuration
