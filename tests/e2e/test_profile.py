# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""`dryfit profile -- command` with real PyTorch: the trace, the end after the requested steps, and the errors."""

from __future__ import annotations

import gzip
import json
import os
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
DRYFIT = Path(os.environ.get("DRYFIT_UNDER_TEST", ROOT / "bin" / "dryfit"))
PYTHON = ROOT / ".venv" / "torch-2.6.0" / "bin" / "python"

pytestmark = [
    pytest.mark.torch,
    pytest.mark.skipif(not PYTHON.exists(), reason="no environment .venv/torch-2.6.0"),
    pytest.mark.skipif(not DRYFIT.exists(), reason="bin/dryfit is not built; run make build"),
]

TRAINING = """
import atexit, torch
from torch.utils.data import DataLoader, TensorDataset
atexit.register(print, "exit handler")
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = torch.nn.Linear(64, 8).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
try:
    for batch, in DataLoader(TensorDataset(torch.rand(512, 64)), batch_size=32):
        loss = model(batch.to(device)).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print("step on", loss.device.type, len(batch), flush=True)
finally:
    print("finally")
"""


def profile(folder: Path, *words: object, timeout: float = 600) -> "subprocess.CompletedProcess[str]":
    command = [str(DRYFIT), "profile", *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, timeout=timeout, cwd=folder)


def content(path: Path) -> "dict[str, Any]":
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return json.load(file)


def test_a_program_is_ended_after_its_steps_and_leaves_a_compressed_trace(tmp_path: Path) -> None:
    done = profile(tmp_path, "--steps", "2", "--json", "--", PYTHON, "-c", TRAINING)
    assert done.returncode == 0, done.stderr
    assert done.stderr.splitlines() == ["step on cuda 32"]  # the second is not printed: it ends in its optimizer step
    [trace_json] = json.loads(done.stdout)["traces"]
    assert (trace_json["steps"], trace_json["ended"], trace_json["hook_errors"]) == (2, "steps", [])
    trace = tmp_path / "trace.json.gz"
    assert trace_json["bytes"] == trace.stat().st_size
    assert trace_json["json_bytes"] > 4 * trace_json["bytes"]
    facts = content(trace)["dryfit"]
    assert facts["command"][:2] == [str(PYTHON), "-c"]
    assert (facts["steps"], facts["ended"]) == (2, "steps")
    assert [path.name for path in tmp_path.iterdir()] == ["trace.json.gz"]


def test_a_program_that_is_ended_leaves_no_folder_of_pytorchs(tmp_path: Path) -> None:
    program = "import torch.distributed.nn.jit.instantiator as i\nprint(i._TEMP_DIR.name, flush=True)\n" + TRAINING
    done = profile(tmp_path, "--steps", "1", "--", PYTHON, "-c", program)
    assert done.returncode == 0, done.stderr
    assert not Path(done.stdout.splitlines()[0]).exists()


def test_two_small_batches_make_two_traces(tmp_path: Path) -> None:
    done = profile(tmp_path, "--steps", "1", "--shrink", "batch=2,4", "-o", "t.json.gz", "--", PYTHON, "-c", TRAINING)
    assert done.returncode == 0, done.stderr
    assert "next: dryfit estimate t.batch-2.json.gz t.batch-4.json.gz --batch 32" in done.stdout
    for batch in (2, 4):
        assert content(tmp_path / f"t.batch-{batch}.json.gz")["dryfit"]["shrunk"] == {"batch": batch, "from": 32}


NETWORK = """
import sys, torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
model = nn.Sequential(nn.Conv2d(3, 32, 3), nn.BatchNorm2d(32), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Dropout(0.1),
                      nn.Linear(32 * 15 * 15, 64), nn.LayerNorm(64), nn.GELU(), nn.Linear(64, 10)).cuda()
optimizer = torch.optim.AdamW(model.parameters())
data = TensorDataset(torch.rand(96, 3, 32, 32), torch.zeros(96, dtype=torch.int64))
for images, labels in DataLoader(data, batch_size=int(sys.argv[1])):
    loss = nn.functional.cross_entropy(model(images.cuda()), labels.cuda())
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
"""


def estimated(folder: Path, *words: object) -> "dict[str, Any]":
    command = [str(DRYFIT), "estimate", *map(str, words), "--gpu", "rtx-3060-12gb", "--json"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, cwd=folder)
    assert done.returncode == 0, done.stderr
    [result] = json.loads(done.stdout)["results"]
    return result["torch"]


def test_two_small_batches_predict_the_profile_of_a_large_one(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(NETWORK, encoding="utf-8")
    whole = profile(tmp_path, "--steps", "3", "-o", "whole.json.gz", "--", PYTHON, "train.py", "32")
    parts = profile(tmp_path, "--steps", "3", "--shrink", "batch=4,8", "-o", "s.json.gz", "--", PYTHON, "train.py", "{batch}")
    assert (whole.returncode, parts.returncode) == (0, 0), whole.stderr + parts.stderr
    shrunk = ("s.batch-4.json.gz", "s.batch-8.json.gz")
    own = estimated(tmp_path, "whole.json.gz")
    assert own["peak_allocated_bytes"] > 10 << 20
    assert estimated(tmp_path, *shrunk, "--batch", "32") == own
    assert estimated(tmp_path, *shrunk, "--batch", "8") == estimated(tmp_path, shrunk[1])


def test_a_program_whose_batch_cannot_be_changed_gets_a_hint(tmp_path: Path) -> None:
    program = TRAINING.replace("batch_size=32", "batch_size=None")
    done = profile(tmp_path, "--steps", "1", "--shrink", "batch=2,4", "--", PYTHON, "-c", program)
    assert done.returncode == 1
    assert "cannot change the program's batch" in done.stderr
    assert "{batch}" in done.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "program, sentence",
    [
        ("import torch; raise ValueError('own fault')", "failed with code 1 before its first optimizer step"),
        ("import torch", "ended without running an optimizer step"),
        ("print('hello')", "no Python process imported PyTorch"),
        ("import torch, os, signal; os.kill(os.getpid(), signal.SIGKILL)", "was killed after 0 steps"),
    ],
)
def test_a_program_that_does_not_train_gets_a_sentence(tmp_path: Path, program: str, sentence: str) -> None:
    done = profile(tmp_path, "--", PYTHON, "-c", program)
    assert (done.returncode, list(tmp_path.iterdir())) == (1, [])
    assert sentence in done.stderr
    if "own fault" in program:
        assert "ValueError: own fault" in done.stderr


def test_a_program_that_fails_later_keeps_its_trace(tmp_path: Path) -> None:
    program = TRAINING.replace("        print(", "        raise SystemExit(7)\n        print(")
    done = profile(tmp_path, "--", PYTHON, "-c", program)
    assert done.returncode == 1
    assert "the program failed with code 7 after these steps" in done.stdout
    assert content(tmp_path / "trace.json.gz")["dryfit"]["steps"] == 1


def test_an_interruption_ends_the_program_and_leaves_nothing(tmp_path: Path) -> None:
    endless = "import torch, time\nprint('begun', flush=True)\ntime.sleep(1_000_000)"
    command = [str(DRYFIT), "profile", "--", str(PYTHON), "-c", endless]
    process = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=tmp_path,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # a shell in the background ignores SIGINT
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "begun\n"
    process.send_signal(signal.SIGINT)
    _, stderr = process.communicate(timeout=600)
    assert process.returncode == 1
    assert "dryfit: interrupted" in stderr
    assert list(tmp_path.iterdir()) == []


def test_wrong_usage_is_refused_before_anything_runs(tmp_path: Path) -> None:
    for words in (
        ["--shrink", "batch=4", "--", PYTHON],
        ["--steps", "none", "--", PYTHON],
        ["-o", "trace.txt", "--", PYTHON],
        ["-o", "missing/trace.json", "--", PYTHON],
        ["--", "no-such-program"],
        ["--"],
        ["--", PYTHON, "{batch}"],
    ):
        done = profile(tmp_path, *words)
        assert (done.returncode, done.stdout) == (2, ""), words
        assert done.stderr.startswith("dryfit: "), words
