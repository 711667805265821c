# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""--cap, --gpu-limit and `dryfit limits` with PyTorch itself: what they promise is what a run with that cap does."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
DRYFIT = Path(os.environ.get("DRYFIT_UNDER_TEST", ROOT / "bin" / "dryfit"))
ENVIRONMENTS = os.environ.get("DRYFIT_TEST_ENVIRONMENTS", "torch-2.6.0 torch-latest").split()
GPU = "rtx-3060-12gb"
MEMORY = 12622168064
MIB = 1 << 20
PERCENT = MEMORY // 100

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not DRYFIT.exists(), reason="bin/dryfit is not built; run make build"),
]

# Needs about 720 MiB at once, and takes 1320 MiB when it may. Its output says what PyTorch sees of the GPU.
PROGRAM = """
import sys
import torch
from torch import nn

if "--own-fraction" in sys.argv:
    torch.cuda.set_per_process_memory_fraction(float(sys.argv[-1]))
model = nn.Linear(256, 256).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
print("free, total:", *torch.cuda.mem_get_info())
model(torch.zeros(8, 256).cuda()).sum().backward()
for _ in range(5):
    for size in (600, 700):
        batch = torch.empty(size << 20, dtype=torch.uint8, device="cuda")
        del batch
    model(torch.zeros(8, 256).cuda()).sum().backward()
    optimizer.step()
    optimizer.zero_grad()
"""


@pytest.fixture(params=ENVIRONMENTS)
def torch_python(request: pytest.FixtureRequest) -> Path:
    python = ROOT / ".venv" / request.param / "bin" / "python"
    if not python.exists():
        pytest.skip(f"no environment .venv/{request.param}")
    return python


@pytest.fixture
def program(tmp_path: Path) -> Path:
    file = tmp_path / "train.py"
    file.write_text(PROGRAM)
    return file


def dryfit(*arguments: object) -> "subprocess.CompletedProcess[str]":
    return subprocess.run([str(DRYFIT), *map(str, arguments)], capture_output=True, text=True, timeout=900)


def run(python: Path, program: Path, *options: str, script: "tuple[str, ...]" = (), code: int = 0) -> dict[str, Any]:
    done = dryfit("run", "--gpu", GPU, "--json", *options, "--", python, program, *script)
    assert done.returncode == code, done.stderr
    return {**json.loads(done.stdout)["results"][0], "output": done.stderr}


def test_a_cap_is_a_limit_of_the_allocator(torch_python: Path, program: Path) -> None:
    usual = run(torch_python, program)
    assert usual["verdict"] == "fits" and usual["cap_bytes"] is None
    capped = run(torch_python, program, "--cap", "1000MiB")
    assert capped["verdict"] == "tight"
    assert capped["cap_bytes"] == 1000 * MIB
    assert capped["torch"]["alloc_retries"] == 1
    assert capped["torch"]["peak_reserved_bytes"] <= 1000 * MIB < usual["torch"]["peak_reserved_bytes"]
    failed = run(torch_python, program, "--cap", "500MiB", code=3)
    assert failed["reason"] == "PyTorch's allocator reached its cap of 500 MiB"
    assert failed["oom"]["requested_bytes"] < failed["oom"]["device_free_bytes"]


def test_the_smaller_of_two_caps_counts(torch_python: Path, program: Path) -> None:
    run(torch_python, program, "--cap", "500MiB", script=("--own-fraction", "0.9"), code=3)
    run(torch_python, program, "--cap", "90%", script=("--own-fraction", "0.04"), code=3)


def test_a_GPU_limit_leaves_the_rest_to_others(torch_python: Path, program: Path) -> None:
    limited = run(torch_python, program, "--gpu-limit", "1200MiB")
    assert limited["verdict"] == "tight"
    assert limited["capacity_bytes"] == limited["gpu_limit_bytes"] == 1200 * MIB
    assert limited["device_peak_bytes"] <= 1200 * MIB
    (line,) = [line for line in limited["output"].splitlines() if line.startswith("free, total:")]
    free, total = map(int, line.split()[-2:])
    assert total == MEMORY and free < 1200 * MIB
    assert run(torch_python, program, "--gpu-limit", "700MiB", code=3)["verdict"] == "does-not-fit"


def test_limits_are_what_runs_with_these_caps_do(torch_python: Path, program: Path) -> None:
    done = dryfit("limits", "--gpu", GPU, "--json", "--", torch_python, program)
    assert done.returncode == 0, done.stderr
    limits = json.loads(done.stdout)["limits"]
    assert limits["obtained"] == "dry-runs"
    assert 700 * MIB < limits["least_cap_bytes"] < limits["comfortable_cap_bytes"] < limits["to_request_bytes"]
    assert limits["dry_runs"] == sum(point["obtained"] == "dry-runs" for point in limits["curve"])
    comfortable = run(torch_python, program, "--cap", str(limits["comfortable_cap_bytes"]))
    assert comfortable["verdict"] == "fits" and comfortable["torch"]["alloc_retries"] == 0
    least = limits["least_cap_bytes"]
    assert run(torch_python, program, "--cap", f"{limits['least_cap_fraction']:.4f}")["verdict"] == "tight"
    run(torch_python, program, "--cap", str(least - PERCENT), code=3)


def test_a_recording_has_the_limits_of_its_run(torch_python: Path, program: Path, tmp_path: Path) -> None:
    run(torch_python, program, "--save", str(tmp_path / "run"))
    done = dryfit("limits", tmp_path / "run", "--json")
    assert done.returncode == 0, done.stderr
    limits = json.loads(done.stdout)["limits"]
    assert limits["obtained"] == "replay" and limits["dry_runs"] == 0
    run(torch_python, program, "--cap", str(limits["least_cap_bytes"]))
    run(torch_python, program, "--cap", str(limits["least_cap_bytes"] - PERCENT), code=3)
    text = dryfit("limits", tmp_path / "run").stdout
    assert "least cap" in text and "torch.cuda.set_per_process_memory_fraction(0." in text
    replayed = dryfit("replay", tmp_path / "run", "--cap", "500MiB", "--json")
    assert replayed.returncode == 3
    assert json.loads(replayed.stdout)["results"][0]["cap_bytes"] == 500 * MIB


def test_a_job_that_fits_nowhere_has_no_limits(torch_python: Path, tmp_path: Path) -> None:
    program = tmp_path / "train.py"
    program.write_text("import torch\ntorch.empty(20 << 30, dtype=torch.uint8, device='cuda')\n")
    done = dryfit("limits", "--gpu", GPU, "--", torch_python, program)
    assert done.returncode == 3
    assert f"the job does not fit on {GPU}, so it has no limits there" in done.stderr


def test_a_run_that_is_cut_off_has_no_limits(torch_python: Path, tmp_path: Path) -> None:
    program = tmp_path / "train.py"
    program.write_text("import sys, torch\ntorch.zeros(9, device='cuda')\nsys.exit(7)\n")
    done = dryfit("limits", "--gpu", GPU, "--", torch_python, program)
    assert done.returncode == 1
    assert "there are no limits: the program failed with exit code 7" in done.stderr
