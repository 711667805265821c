# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""torchrun on several GPUs, whose runs go side by side on one machine."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(REPOSITORY / "tools"))

from dryfit_command import DRYFIT  # noqa: E402

ENVIRONMENTS = ("torch-2.6.0", "torch-latest")
GPUS = ["a100-40gb", "rtx-3060-12gb"]
HANGING_SECONDS = 1800  # no machine is that slow: what takes longer hangs

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not DRYFIT.exists(), reason="bin/dryfit is not built; run make build"),
]

# Each run waits until the other one has begun: both launchers are there at the same time.
PROGRAM = """
import pathlib, sys, time
import torch

place = pathlib.Path(sys.argv[1])
(place / torch.cuda.get_device_name().replace(" ", "-")).touch()
while len(list(place.iterdir())) < 2:
    time.sleep(0.05)
model = torch.nn.Linear(8, 8).cuda()
optimizer = torch.optim.SGD(model.parameters(), 0.1)
for _ in range(2):
    model(torch.randn(4, 8, device="cuda")).sum().backward()
    optimizer.step()
"""


@pytest.fixture(params=ENVIRONMENTS)
def environment(request: pytest.FixtureRequest) -> str:
    return request.param


def test_runs_of_torchrun_do_not_take_each_others_port(environment: str, tmp_path: Path) -> None:
    launcher = REPOSITORY / ".venv" / environment / "bin" / "torchrun"
    if not launcher.exists():
        pytest.skip(f"no environment .venv/{environment}")
    script, place = tmp_path / "train.py", tmp_path / "begun"
    script.write_text(PROGRAM)
    place.mkdir()
    command = [launcher, "--nproc-per-node", "1", script, place]
    done = subprocess.run(
        [DRYFIT, "run", "--json", "--jobs", "2", "--keep-writes", "--timeout", "10m", "--gpu", ",".join(GPUS), "--steps", "2", "--", *command],
        capture_output=True, text=True, timeout=HANGING_SECONDS, cwd=tmp_path,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert [result["verdict"] for result in json.loads(done.stdout)["results"]] == ["fits", "fits"]
