# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""`dryfit estimate` on traces that torch.profiler really made on the CPU: whole, cut off, foreign, empty, damaged."""

from __future__ import annotations

import gzip
import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
DRYFIT = REPOSITORY / "bin" / "dryfit"
PYTHON = REPOSITORY / ".venv/torch-2.6.0/bin/python"
CARD = "rtx-3060-12gb"
FITS, COULD_NOT_TELL, WRONG_USAGE, DOES_NOT_FIT = 0, 1, 2, 3

pytestmark = [
    pytest.mark.torch,
    pytest.mark.slow,
    pytest.mark.skipif(not DRYFIT.exists(), reason="bin/dryfit is not built; run make build"),
    pytest.mark.skipif(not PYTHON.exists(), reason="no .venv/torch-2.6.0; run make setup"),
]

# A job for a card and for the CPU alike. On the CPU it profiles itself, as a user would, from its first step on.
JOB = """
import contextlib, sys
import torch
from torch import nn

device = "cuda" if torch.cuda.is_available() else "cpu"
trace = sys.argv[1] if len(sys.argv) > 1 else ""
with torch.device(device):
    model = nn.Sequential(
        nn.Conv2d(3, 32, 3, padding=1), nn.BatchNorm2d(32), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(32, 64, 3, padding=1),
        nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Dropout(0.1), nn.Linear(64, 4096), nn.ReLU(), nn.Linear(4096, 1000),
    )
optimizer = torch.optim.AdamW(model.parameters())
profiler = torch.profiler.profile(
    activities=[torch.profiler.ProfilerActivity.CPU], profile_memory=True, record_shapes=True, with_stack=True
)
with profiler if trace else contextlib.nullcontext():
    for _ in range(3):
        images = torch.zeros(16, 3, 64, 64).to(device)
        labels = torch.zeros(16, dtype=torch.int64).to(device)
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(images), labels).backward()
        optimizer.step()
if trace:
    profiler.export_chrome_trace(trace)
"""


def run(*arguments: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run([str(word) for word in arguments], capture_output=True, text=True, timeout=300)


def estimate(*arguments: object) -> subprocess.CompletedProcess[str]:
    return run(DRYFIT, "estimate", *arguments)


def only_result(finished: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    (result,) = json.loads(finished.stdout)["results"]
    return result


@pytest.fixture(scope="module")
def job(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("estimate") / "job.py"
    path.write_text(JOB, encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def trace(job: Path) -> Path:
    path = job.with_name("trace.json")
    made = run(PYTHON, job, path)
    assert made.returncode == 0, made.stderr
    return path


def test_a_users_own_trace_gives_what_a_dry_run_gives_and_names_what_is_missing(trace: Path, job: Path) -> None:
    estimated = estimate(trace, "--gpu", CARD, "--torch", "2.6.0", "--json")
    assert estimated.returncode == FITS, estimated.stderr
    found = only_result(estimated)
    assert found["verdict"] == "fits"
    assert found["obtained"] == "estimated"
    assert found["steps"] == 3
    assert "parameters" in [gap["name"] for gap in found["gaps"]]
    counted = only_result(run(DRYFIT, "run", "--gpu", CARD, "--json", "--", PYTHON, job))
    assert counted["obtained"] == "counted"
    assert counted["gaps"] == []
    allocated = counted["torch"]["peak_allocated_bytes"]
    assert abs(found["torch"]["peak_allocated_bytes"] - allocated) <= 0.05 * allocated
    assert found.keys() == counted.keys()
    assert found["peak_at"] == counted["peak_at"]


def test_compressed_or_not_the_answer_is_the_same(trace: Path) -> None:
    compressed = trace.with_name("trace.json.gz")
    compressed.write_bytes(gzip.compress(trace.read_bytes()))
    plain, packed = (only_result(estimate(path, "--gpu", CARD, "--json")) for path in (trace, compressed))
    for result in (plain, packed):
        del result["seconds"], result["host_peak_rss_bytes"]
    assert plain == packed


def test_several_cards_are_a_table_and_the_smallest_decides_the_exit_code(trace: Path, tmp_path: Path) -> None:
    finished = estimate(trace, "--gpu", f"{CARD},a100-40gb")
    assert finished.returncode == FITS
    assert CARD in finished.stdout and "a100-40gb" in finished.stdout
    assert "not in the trace: parameters" in finished.stdout
    assert "device peak: estimated" in finished.stdout


@pytest.mark.parametrize("share", (0.93, 0.97))
def test_a_trace_that_was_cut_off_is_a_marked_partial_answer(trace: Path, tmp_path: Path, share: float) -> None:
    cut = tmp_path / "cut.json"
    text = trace.read_bytes()
    # Memory events come last in the file: a trace cut off before them contains nothing to estimate from.
    memory = text.find(b'"[memory]"')
    cut.write_bytes(text[: memory + int((len(text) - memory) * share)])
    finished = estimate(cut, "--gpu", CARD, "--json")
    assert finished.returncode == COULD_NOT_TELL
    found = only_result(finished)
    assert found["verdict"] == "cannot-tell"
    assert "it ends in the middle" in found["reason"]
    assert found["torch"]["peak_reserved_bytes"] > 0


@pytest.mark.parametrize(
    "content, part",
    [
        (b"", "it is empty"),
        (b"hello", "it is not JSON"),
        (b'{"results": [1, 2]}', 'no "traceEvents"'),
        (b'{"traceEvents": [{"ph": "X", "name": "a", "cat": "kernel", "ts": 1, "dur": 1}]}', "[memory]"),
        (b'{"traceEvents": [{"ph": "X", "na', "[memory]"),
        (b"\x80\x04\x95\x00\x00", "it is not JSON"),
        (gzip.compress(b'{"traceEvents": [1, 2, 3]}', mtime=0)[:14], "compressed data"),
        (b'{"dryfit": {"format": 99}, "traceEvents": []}', "format 99"),
    ],
    ids=("empty", "text", "foreign", "no-memory", "cut-off", "pickle", "cut-off-gzip", "newer"),
)
def test_anything_but_a_trace_gets_one_sentence_and_a_hint(tmp_path: Path, content: bytes, part: str) -> None:
    path = tmp_path / "trace.json"
    path.write_bytes(content)
    finished = estimate(path, "--gpu", CARD)
    assert finished.returncode == WRONG_USAGE
    assert part in finished.stderr
    assert finished.stderr.startswith("dryfit: ")
    assert finished.stdout == ""
    assert len(finished.stderr.splitlines()) == 2


def test_damage_in_the_middle_is_counted_and_gives_no_answer(trace: Path, tmp_path: Path) -> None:
    text = trace.read_text(encoding="utf-8")
    damaged = tmp_path / "damaged.json"
    damaged.write_text(text.replace('"Bytes": ', '"Bytes": oops', 3), encoding="utf-8")
    finished = estimate(damaged, "--gpu", CARD, "--json")
    assert finished.returncode == COULD_NOT_TELL
    found = only_result(finished)
    assert {"name": "estimate.damaged_events", "count": 3} in found["diagnostics"]
    assert "a [memory] event that can't be read" in found["reason"]


def test_one_event_of_another_kind_of_device_gives_no_answer(trace: Path, tmp_path: Path) -> None:
    text = trace.read_text(encoding="utf-8")
    damaged = tmp_path / "damaged.json"
    damaged.write_text(text.replace('"Device Type": 0', '"Device Type": 7', 1), encoding="utf-8")
    finished = estimate(damaged, "--gpu", CARD)
    assert finished.returncode == COULD_NOT_TELL
    assert "Device Type 7" in finished.stdout


def test_help_shows_an_example_and_wrong_usage_a_sentence(trace: Path) -> None:
    text = estimate("--help").stdout
    assert "dryfit estimate trace.json.gz --gpu" in text
    assert "Exit code" in text
    assert estimate(trace).returncode == WRONG_USAGE
    assert estimate("/nonexistent/trace.json", "--gpu", CARD).returncode == WRONG_USAGE
    assert estimate(trace, "--gpu", "no-such-card").returncode == WRONG_USAGE
