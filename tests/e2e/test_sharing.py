# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Two training jobs that one script starts at once on the same simulated GPU."""

from __future__ import annotations

import random
import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(REPOSITORY / "tools"))

from dryfit_command import DRYFIT, dryfit_run  # noqa: E402

PYTHON = REPOSITORY / ".venv" / "torch-2.6.0" / "bin" / "python"
SEED = 30
PAIRS = 10
MIB = 1 << 20
TOGETHER = "{0} & {1} & wait"

pytestmark = [
    pytest.mark.slow,
    pytest.mark.torch,
    pytest.mark.skipif(not DRYFIT.exists(), reason="bin/dryfit is not built; run make build"),
    pytest.mark.skipif(not PYTHON.exists(), reason="no environment .venv/torch-2.6.0"),
]

# A job says by a file of its name whether it ran out of memory, and in which process.
PROGRAM = """
import os, pathlib, sys
import torch

name, layers, width, batch = sys.argv[1], *map(int, sys.argv[2:5])
model = torch.nn.Sequential(*[torch.nn.Linear(width, width) for _ in range(layers)])
try:
    model.cuda()
    optimizer = torch.optim.Adam(model.parameters())
    while True:
        data = torch.ones(batch, width, device="cuda")
        for layer in model:
            data = torch.relu(layer(data))
        data.sum().backward()
        optimizer.step()
        optimizer.zero_grad()
except torch.cuda.OutOfMemoryError as error:
    pathlib.Path(f"failed-{name}").write_text(f"{os.getpid()} {error}")
    raise
"""


@dataclass(frozen=True)
class Trainer:
    name: str
    layers: int
    width: int
    batch: int

    def command(self, script: Path) -> str:
        return f"{PYTHON} {script} {self.name} {self.layers} {self.width} {self.batch}"


def gpu_with(memory: int, folder: Path) -> str:
    """An RTX 3060 with another amount of memory; returns its name."""
    text = (REPOSITORY / "cards" / "rtx-3060-12gb.toml").read_text()
    text = text.replace('id = "rtx-3060-12gb"', 'id = "sized-gpu"').replace('aliases = ["3060"]', "aliases = []")
    text = re.sub(r"total_memory = .*", f'total_memory = {{ value = {memory}, source = "derived: chosen for a test" }}', text)
    (folder / "sized-gpu.toml").write_text(text)
    return "sized-gpu"


@pytest.fixture(scope="module")
def trainers() -> list[Trainer]:
    """Five jobs of 1 to 4 GiB."""
    draw = random.Random(SEED)
    return [Trainer(f"job{i}", draw.randint(6, 12), 256 * draw.randint(14, 20), 256 * draw.randint(4, 24)) for i in range(5)]


@pytest.fixture(scope="module")
def limits(trainers: list[Trainer], tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What each job needs when it runs alone."""
    found = {}
    for trainer in trainers:
        folder = tmp_path_factory.mktemp(trainer.name)
        (folder / "job.py").write_text(PROGRAM)
        answer = dryfit_run(trainer.command(folder / "job.py").split(), "rtx-3060-12gb", cwd=folder)
        (result,) = answer.results
        assert result["verdict"] == "fits", answer.stderr
        found[trainer.name] = result["limits"]
    return found


def pair_of(number: int, trainers: list[Trainer]) -> tuple[Trainer, Trainer]:
    draw = random.Random(1000 * SEED + number)
    return draw.choice(trainers), draw.choice(trainers)


def run_script(script: str, pair: tuple[Trainer, Trainer], memory: int, folder: Path) -> Any:
    """`script` has {0} and {1} where the commands of the two jobs belong."""
    (folder / "job.py").write_text(PROGRAM)
    answer = dryfit_run(
        ["sh", "-c", script.format(*(trainer.command(folder / "job.py") for trainer in pair))],
        gpu_with(memory, folder),
        cwd=folder,
        options=["--no-history", "--keep-writes", "--gpu-file", str(folder / "sized-gpu.toml")],
    )
    assert len(answer.results) == 1, answer.stderr
    return answer.results[0]


@pytest.mark.parametrize("number", range(PAIRS))
def test_jobs_whose_requests_add_up_to_the_GPU_run_together_as_when_alone(
    number: int, trainers: list[Trainer], limits: dict[str, Any], tmp_path: Path
) -> None:
    pair = pair_of(number, trainers)
    memory = sum(limits[trainer.name]["to_request_bytes"] for trainer in pair)
    result = run_script(TOGETHER, pair, memory, tmp_path)
    assert result["verdict"] in ("fits", "tight"), result["reason"]
    assert result["torch"]["alloc_retries"] == 0 and result["torch"]["ooms"] == 0
    assert result["sharing"]["processes"] == 2 and result["sharing"]["failed"] is None
    assert not list(tmp_path.glob("failed-*"))
    peak = result["peak_breakdown"]["torch_reserved_bytes"] + sum(
        result["outside_torch"][part] for part in ("context_bytes", "libraries_bytes", "code_bytes")
    )
    assert result["device_peak_bytes"] == peak == sum(each["held_bytes"] for each in result["sharing"]["at_peak"])


@pytest.mark.parametrize("number", range(PAIRS))
def test_on_a_GPU_smaller_than_their_least_caps_one_fails_and_is_named(
    number: int, trainers: list[Trainer], limits: dict[str, Any], tmp_path: Path
) -> None:
    pair = pair_of(number, trainers)
    memory = sum(limits[trainer.name]["least_cap_bytes"] for trainer in pair) - MIB
    result = run_script(TOGETHER, pair, memory, tmp_path)
    failed = {int(file.read_text().split()[0]): file.read_text() for file in tmp_path.glob("failed-*")}
    assert failed, "no job ran out of memory"
    assert result["verdict"] == "does-not-fit"
    named = result["sharing"]["failed"]
    assert named["pid"] in failed
    (other,) = result["sharing"]["others"]
    assert other["pid"] != named["pid"] and "job.py" in other["command"] and "job.py" in named["command"]
    for part in (f"process {named['pid']} (", f"process {other['pid']} ("):
        assert part in result["reason"]
    assert f"Process {other['pid']} has" in failed[named["pid"]], "PyTorch's own message names the other process too"
    assert result["device_peak_bytes"] <= memory


def test_jobs_that_come_one_after_the_other_each_have_the_whole_GPU(
    trainers: list[Trainer], limits: dict[str, Any], tmp_path: Path
) -> None:
    pair = pair_of(0, trainers)
    memory = max(limits[trainer.name]["to_request_bytes"] for trainer in pair)
    result = run_script("{0}; {1}", pair, memory, tmp_path)
    assert result["verdict"] in ("fits", "tight"), result["reason"]
    assert result["torch"]["alloc_retries"] == 0
    assert result["sharing"]["coinciding_peak_bytes"] == result["device_peak_bytes"], "they were never there at once"
