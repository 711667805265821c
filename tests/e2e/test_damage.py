# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""A kept run of which a part was cut off, changed, lost or added: every command that reads it refuses to answer and names
the part."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(REPOSITORY / "tools"))

from dryfit_command import DRYFIT  # noqa: E402

PYTHON = REPOSITORY / ".venv" / "torch-2.6.0" / "bin" / "python"
GPU = "rtx-3060-12gb"
COULD_NOT_TELL = 1

pytestmark = [
    pytest.mark.torch,
    pytest.mark.skipif(not DRYFIT.exists(), reason="bin/dryfit is not built; run make build"),
    pytest.mark.skipif(not PYTHON.exists(), reason=".venv/torch-2.6.0 is missing; run make venv"),
]

SCRIPT = """
import torch

model = torch.nn.Linear(1024, 1024).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(3):
    model(torch.randn(256, 1024, device="cuda")).sum().backward()
    optimizer.step()
"""

READERS = {
    "replay": ["replay", "{run}"],
    "top": ["top", "{run}"],
    "report": ["report", "{run}", "-o", "{out}"],
    "diff": ["diff", "{run}", "{run}"],
    "export": ["export", "{run}", "--format", "csv"],
    "limits": ["limits", "{run}"],
}


def dryfit(*arguments: object) -> "subprocess.CompletedProcess[str]":
    return subprocess.run([str(DRYFIT), *map(str, arguments)], capture_output=True, text=True, timeout=600)


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("damage")
    script = folder / "train.py"
    script.write_text(SCRIPT)
    done = dryfit("run", "--gpu", GPU, "--save", folder / "run", "--", PYTHON, script)
    assert done.returncode == 0, done.stderr
    return folder / "run"


@pytest.fixture
def run(kept: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(kept, tmp_path / "run"))


def the_file(run: Path, pattern: str) -> Path:
    (found,) = run.glob(pattern)
    return found


def read(reader: str, run: Path) -> "subprocess.CompletedProcess[str]":
    out = run.parent / "page.html"
    return dryfit(*(word.format(run=run, out=out) for word in READERS[reader]))


@pytest.mark.parametrize("reader", READERS)
def test_a_sound_run_is_read(run: Path, reader: str) -> None:
    done = read(reader, run)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("reader", READERS)
def test_a_trace_that_was_cut_off_gives_no_answer(run: Path, reader: str) -> None:
    trace = the_file(run, "*/trace-*.dryfit")
    os.truncate(trace, trace.stat().st_size // 2)
    done = read(reader, run)
    assert done.returncode == COULD_NOT_TELL
    assert done.stdout == ""
    assert f"{trace.name}' is cut off" in done.stderr


@pytest.mark.parametrize("pattern", ["*/trace-*", "*/history-*", "*/marks-*", "*/machine.txt", "verdict.json"])
@pytest.mark.parametrize("how", ["empty", "changed", "removed"])
def test_each_part_that_is_damaged_is_named(run: Path, pattern: str, how: str) -> None:
    part = the_file(run, pattern)
    whole = part.read_bytes()
    if how == "removed":
        part.unlink()
    else:
        middle = len(whole) // 2
        part.write_bytes(b"" if how == "empty" else whole[:middle] + bytes([whole[middle] ^ 1]) + whole[middle + 1 :])
    done = read("report", run)
    assert done.returncode == COULD_NOT_TELL
    assert f"{part.name}' " in done.stderr


@pytest.mark.parametrize("reader", READERS)
def test_a_history_that_is_missing_gives_no_answer(run: Path, reader: str) -> None:
    history = the_file(run, "*/history-*.pickle")
    history.unlink()
    done = read(reader, run)
    assert done.returncode == COULD_NOT_TELL
    assert f"{history.name}' is missing" in done.stderr


@pytest.mark.parametrize("reader", READERS)
def test_without_a_manifest_a_trace_shows_that_it_was_cut_off(run: Path, reader: str) -> None:
    for manifest in run.rglob("manifest.txt"):
        manifest.unlink()
    assert read(reader, run).returncode == 0
    trace = the_file(run, "*/trace-*.dryfit")
    os.truncate(trace, trace.stat().st_size // 2)
    done = read(reader, run)
    assert done.returncode == COULD_NOT_TELL
    assert trace.name in done.stderr
    trace.unlink()
    assert read(reader, run).returncode == COULD_NOT_TELL


@pytest.mark.parametrize("name", ["machine.txt", "verdict.json"])
def test_without_a_manifest_garbage_is_named(run: Path, name: str) -> None:
    for manifest in run.rglob("manifest.txt"):
        manifest.unlink()
    the_file(run, f"**/{name}").write_text("garbage")
    for reader in READERS:
        done = read(reader, run)
        assert done.returncode == COULD_NOT_TELL, reader
        assert f"{name}' is damaged" in done.stderr
