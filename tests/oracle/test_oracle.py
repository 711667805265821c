# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""The allocator model against everything recorded that is at hand."""
from __future__ import annotations

import json
import os
import re
import subprocess
import tarfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
ORACLE = ROOT / "bin" / "dryfit-oracle"
DATA = Path(os.environ.get("DATA", ROOT / ".." / "shared" / "data"))


def run_oracle(*arguments: object) -> "tuple[int, str]":
    """Exit code and last line."""
    done = subprocess.run([ORACLE, *map(str, arguments)], capture_output=True, text=True, timeout=600)
    return done.returncode, done.stdout.splitlines()[-1] if done.stdout else done.stderr


def test_the_sample_agrees_in_every_column() -> None:
    assert run_oracle(ROOT / "tests/oracle/sample") == (0, "11 traces, 3300 operations, 0 mismatches")


def test_a_wrong_column_is_named_and_counted(tmp_path: Path) -> None:
    sample = (ROOT / "tests/oracle/sample/36_gc_train.tsv").read_text().splitlines()
    fields = sample[9].split("\t")
    fields[3] = "1"
    sample[9] = "\t".join(fields)
    (tmp_path / "36_gc_train.tsv").write_text("\n".join(sample) + "\n")
    done = subprocess.run([ORACLE, tmp_path], capture_output=True, text=True)
    assert done.returncode == 1
    assert "line 10, reserved: expected 1, got" in done.stdout
    assert done.stdout.endswith("1 traces, 300 operations, 1 mismatches\n")


def test_an_empty_folder_is_not_a_success(tmp_path: Path) -> None:
    assert run_oracle(tmp_path)[0] == 2


def test_the_recording_is_replayed_exactly() -> None:
    assert run_oracle("--snapshots", ROOT / "tests/oracle/recordings") == (0, "1 of 1 traces exact")


@pytest.fixture
def whole_oracle(tmp_path: Path) -> Path:
    archive = DATA / "allocator-oracle.tar.xz"
    if not archive.exists():
        pytest.skip(f"no {archive}")
    with tarfile.open(archive) as tar:
        tar.extractall(tmp_path)
    return tmp_path / "allocator-oracle"


def test_the_whole_oracle_agrees_in_every_column(whole_oracle: Path) -> None:
    code, line = run_oracle(whole_oracle)
    assert code == 0
    assert line.endswith(" 0 mismatches")


@pytest.mark.parametrize("version", ["2.14", "2.13", "2.9", "2.6.0", "2.3", "2.0", "1.13.1"])
def test_versions_that_answered_alike_do_so_here(whole_oracle: Path, tmp_path: Path, version: str) -> None:
    folder = tmp_path / "same"
    folder.mkdir()
    for trace in json.loads((whole_oracle / "manifest.json").read_text()):
        path = whole_oracle / f"{trace['id']}.tsv"
        if version in trace["identical_in"] and path.exists():
            text = re.sub(r"version=.* conf=", f"version={version} conf=", path.read_text(), count=1)
            (folder / path.name).write_text(text)
    code, line = run_oracle(folder)
    assert code == 0, line


def test_nearly_all_recordings_at_hand_are_replayed_exactly() -> None:
    traces = DATA / "ground-truth/snapshots/traces"
    if not traces.exists():
        pytest.skip(f"no {traces}")
    code, line = run_oracle("--snapshots", traces)
    exact, total = map(int, re.fullmatch(r"(\d+) of (\d+) traces exact", line).groups())
    assert code == 0
    assert exact >= total - 1
