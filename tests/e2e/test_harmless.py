# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""A training that saves, resumes and logs as real ones do, in a dry run on two GPUs at once: no file is touched."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(REPOSITORY / "tools"))

from dryfit_command import DRYFIT, dryfit_run  # noqa: E402

ENVIRONMENTS = os.environ.get("DRYFIT_TEST_ENVIRONMENTS", "torch-2.6.0 torch-latest").split()
GPUS = ["rtx-3060-12gb", "rtx-4090"]

pytestmark = [
    pytest.mark.torch,
    pytest.mark.slow,
    pytest.mark.skipif(not DRYFIT.exists(), reason="bin/dryfit is not built; run make build"),
]

PROGRAM = """
import os, shutil, sys
import torch
from torch.utils.data import DataLoader, TensorDataset

assert open("ckpt.pt").read() == "trained for a week"
shutil.rmtree("out")
os.makedirs("out")
model = torch.nn.Linear(256, 256).cuda()
optimizer = torch.optim.Adam(model.parameters())
for step, (batch,) in enumerate(DataLoader(TensorDataset(torch.ones(16, 256)), batch_size=8, num_workers=1)):
    model(batch.cuda()).sum().backward()
    optimizer.step()
    torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict()}, "ckpt.pt")
    open("log", "a").write("step\\n")
kept = torch.load("ckpt.pt", weights_only=True)
model.load_state_dict(kept["model"])
optimizer.load_state_dict(kept["optimizer"])
assert len(open("log").readlines()) == 3
print("resumed", file=sys.stderr)
"""


@pytest.mark.parametrize("environment", ENVIRONMENTS)
def test_a_checkpoint_is_saved_and_resumed_from_and_the_old_one_is_still_there(environment: str, tmp_path: Path) -> None:
    python = REPOSITORY / ".venv" / environment / "bin" / "python"
    if not python.exists():
        pytest.skip(f"no environment .venv/{environment}")
    (tmp_path / "train.py").write_text(PROGRAM)
    (tmp_path / "ckpt.pt").write_text("trained for a week")
    (tmp_path / "log").write_text("before\n")
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "sample.png").write_text("a picture")
    times = {path: path.stat().st_mtime_ns for path in [tmp_path, *tmp_path.rglob("*")]}
    answer = dryfit_run([python, "train.py"], ",".join(GPUS), steps="all", cwd=tmp_path)
    writes = [result["writes"] for result in answer.results]
    if not writes[0]["held_back"]:
        pytest.skip(f"no layer on this machine: {writes[0]['reason']}")
    assert "resumed" in answer.stderr
    assert [result["verdict"] for result in answer.results] == ["fits", "fits"]
    assert (tmp_path / "ckpt.pt").read_text() == "trained for a week"
    assert (tmp_path / "log").read_text() == "before\n"
    assert {path: path.stat().st_mtime_ns for path in [tmp_path, *tmp_path.rglob("*")]} == times
    for each in writes:
        assert each["files"] == 2 and each["largest_file"] == str(tmp_path / "ckpt.pt")
        assert each["largest_bytes"] > 3 * 4 * 256 * 256  # the weights and Adam's two moments
