# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""`dryfit run --flops` counts what PyTorch's FlopCounterMode counts, and changes nothing that the driver sees."""

from __future__ import annotations

import itertools
import json
import pickle
import subprocess
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
DRYFIT = REPOSITORY / "bin" / "dryfit"
EXAMPLES = {
    "resnet50": ["--batch-size", "8"],
    "gpt2": ["--batch-size", "2", "--sequence-length", "128"],
    "vit_amp": ["--batch-size", "8"],
    "lstm": ["--batch-size", "8"],
}
ENVIRONMENTS = ("torch-2.6.0", "torch-latest")
STEPS = 3

pytestmark = [
    pytest.mark.torch,
    pytest.mark.slow,
    pytest.mark.skipif(not DRYFIT.exists(), reason="bin/dryfit is not built; run make build"),
]

# Runs a script under FlopCounterMode and prints what it has counted after each step, operator by operator.
REFERENCE = """
import json, runpy, sys
import torch
from torch.utils.flop_counter import FlopCounterMode
from torch.optim.optimizer import register_optimizer_step_post_hook
counter = FlopCounterMode(display=False)
def after_step(*_):
    counts = {packet.__name__: count for packet, count in counter.flop_counts["Global"].items()}
    print("COUNTED", json.dumps(counts), flush=True)
register_optimizer_step_post_hook(after_step)
sys.argv = sys.argv[1:]
with counter:
    runpy.run_path(sys.argv[0], run_name="__main__")
"""

# A transformer whose blocks are computed again in the backward pass, in both of PyTorch's ways, each block for itself.
CHECKPOINTED = """
import sys
import torch
from torch.utils.checkpoint import checkpoint

class Block(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.attention = torch.nn.MultiheadAttention(64, 4, batch_first=True)
        self.wide = torch.nn.Linear(64, 256)
        self.narrow = torch.nn.Linear(256, 64)
    def forward(self, x):
        x = x + self.attention(x, x, x, need_weights=False)[0]
        return x + self.narrow(torch.relu(self.wide(x)))

class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = torch.nn.Linear(8, 64)
        self.blocks = torch.nn.ModuleList(Block() for _ in range(3))
        self.head = torch.nn.Linear(64, 2)
    def forward(self, x):
        x = self.stem(x)
        for block in self.blocks:
            x = checkpoint(block, x, use_reentrant=sys.argv[1] == "reentrant")
        return self.head(x)

net = Net().cuda()
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(10):
    for _ in range(2):
        net(torch.randn(4, 16, 8, device="cuda")).sum().backward()
    optimizer.step()
    optimizer.zero_grad()
"""


@dataclass
class Run:
    result: "dict[str, Any]"
    printed: str  # by the program
    events: "list[str]"  # memory taken and given back on the device, in order, without times
    kernels: "list[str]"  # with their launches
    requests: "list[tuple[Any, ...]]"  # what PyTorch's allocator saw

    @property
    def compute(self) -> "dict[str, Any]":
        return self.result["compute"]


def interpreter(environment: str) -> Path:
    python = REPOSITORY / ".venv" / environment / "bin" / "python"
    if not python.exists():
        pytest.skip(f"no environment .venv/{environment}")
    return python


def dry_run(folder: Path, command: "list[object]", *options: str, steps: int = STEPS) -> Run:
    saved = folder / "saved"
    wanted = [DRYFIT, "run", "--gpu", "a100-40gb", "--json", "--save", saved, "--steps", steps, *options, "--"]
    done = subprocess.run(
        [*map(str, wanted), *map(str, command)], capture_output=True, text=True, timeout=600, cwd=folder
    )
    assert done.returncode == 0, done.stderr
    (trace,) = saved.glob("**/trace-*.dryfit")
    (history,) = saved.glob("**/history-*.pickle")
    text = subprocess.run([str(DRYFIT), "trace", str(trace)], capture_output=True, text=True, check=True).stdout
    lines = [line.split(maxsplit=1)[1] for line in text.splitlines()[1:]]
    return Run(
        result=json.loads(done.stdout)["results"][0],
        printed=done.stderr,
        events=[line for line in lines if line.startswith(("allocate", "release", "out_of_memory"))],
        kernels=sorted(line[line.index("name=") :] for line in lines if line.startswith("kernel_loaded")),
        requests=requests_of(history),
    )


def requests_of(history: Path) -> "list[tuple[Any, ...]]":
    snapshot = pickle.loads(history.read_bytes())
    entries = [entry for trace in snapshot["device_traces"] for entry in trace]
    requests = [(entry["action"], entry.get("addr"), entry["size"], entry["stream"]) for entry in entries]
    return in_certain_order(requests)


def in_certain_order(requests: "list[tuple[Any, ...]]") -> "list[tuple[Any, ...]]":
    """Autocast frees its copies of the weights in the order of a hash table of host addresses: another in each run."""
    ordered: "list[tuple[Any, ...]]" = []
    for freeing, group in itertools.groupby(requests, lambda request: request[0].startswith("free")):
        ordered += sorted(group) if freeing else group
    return ordered


@lru_cache(maxsize=None)
def counted(environment: str, example: str, folder: Path) -> Run:
    script = REPOSITORY / "examples" / f"{example}.py"
    return dry_run(new(folder), [interpreter(environment), script, *EXAMPLES[example]], "--flops")


def new(folder: Path) -> Path:
    fresh = folder / str(len(list(folder.iterdir())))
    fresh.mkdir()
    return fresh


@pytest.fixture(scope="session")
def workplace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("flops")


@pytest.fixture(params=ENVIRONMENTS)
def environment(request: pytest.FixtureRequest) -> str:
    return request.param


def by_step(printed: str) -> "list[dict[str, int]]":
    """FlopCounterMode's counts of each step; it adds them up."""
    sums = [json.loads(line.split(" ", 1)[1]) for line in printed.splitlines() if line.startswith("COUNTED ")]
    before: "list[dict[str, int]]" = [{}, *sums]
    return [{name: now[name] - then.get(name, 0) for name in now} for then, now in zip(before, sums)]


@pytest.mark.parametrize("example", EXAMPLES)
def test_The_counts_are_those_of_FlopCounterMode(environment: str, example: str, workplace: Path) -> None:
    mine = counted(environment, example, workplace).compute
    script = REPOSITORY / "examples" / f"{example}.py"
    command = [interpreter(environment), "-c", REFERENCE, script, *EXAMPLES[example]]
    theirs = by_step(dry_run(new(workplace), command, steps=STEPS + 1).printed)
    assert len(theirs) >= STEPS
    assert mine["steps"] == [sum(step.values()) for step in theirs[:STEPS]]
    assert mine["by_operator"] == {name: count for name, count in theirs[STEPS - 1].items() if count}
    assert mine["flops"] == mine["steps"][-1] > 1e9


@pytest.mark.parametrize("example", EXAMPLES)
def test_Counting_changes_neither_allocations_nor_kernels(environment: str, example: str, workplace: Path) -> None:
    script = REPOSITORY / "examples" / f"{example}.py"
    plain = dry_run(new(workplace), [interpreter(environment), script, *EXAMPLES[example]])
    counting = counted(environment, example, workplace)
    assert plain.compute is None
    assert len(plain.requests) > 500 and len(plain.kernels) > 10
    assert counting.requests == plain.requests
    assert counting.events == plain.events
    assert counting.kernels == plain.kernels


@pytest.mark.parametrize("example", EXAMPLES)
def test_Every_operation_belongs_to_a_module(environment: str, example: str, workplace: Path) -> None:
    compute = counted(environment, example, workplace).compute
    modules = {each["module"]: each["flops"] for each in compute["by_module"]}
    assert sum(modules.values()) == compute["flops"]
    assert "" not in modules
    assert all("." in name for name in modules)


def test_A_convolution_and_its_backward_pass_count_for_their_layer(environment: str, workplace: Path) -> None:
    compute = counted(environment, "resnet50", workplace).compute
    modules = {each["module"]: each["flops"] for each in compute["by_module"]}
    # 2 x 8 images x 64 filters x 112 x 112 places x 3 channels x 7 x 7; again for the weights' gradient, and not for
    # the images', which nobody asks for.
    assert modules["ResNet.conv1"] == 2 * 2 * 8 * 64 * 112 * 112 * 3 * 49
    assert list(modules)[:2] == ["ResNet.conv1", "ResNet.layer1.0.conv1"]


def test_What_has_no_formula_is_named(environment: str, workplace: Path) -> None:
    compute = counted(environment, "lstm", workplace).compute
    assert set(compute["uncounted"]) == {"_cudnn_rnn", "_cudnn_rnn_backward"}


@pytest.mark.parametrize("way", ["reentrant", "saved"])
def test_What_is_computed_again_counts_for_its_module(environment: str, way: str, workplace: Path) -> None:
    folder = new(workplace)
    script = folder / "checkpointed.py"
    script.write_text(CHECKPOINTED)
    command = [interpreter(environment), script, way]
    counting = dry_run(folder, command, "--flops")
    modules = {each["module"]: each["flops"] for each in counting.compute["by_module"]}
    tokens = 2 * 4 * 16  # two passes a step
    layer = 2 * tokens * 64 * 256
    # Forward, again, and two gradients. The way that is not reentrant stops as soon as it has what was saved, which is
    # before the last layer of a block.
    for block in range(3):
        assert modules[f"Net.blocks.{block}.wide"] == 4 * layer
        assert modules[f"Net.blocks.{block}.narrow"] == (4 if way == "reentrant" else 3) * layer
    assert modules["Net.head"] == 3 * 2 * tokens * 64 * 2
    assert modules["Net.stem"] == 2 * 2 * tokens * 8 * 64
    assert "" not in modules
    plain = dry_run(new(workplace), command)
    assert counting.events == plain.events
    assert counting.requests == plain.requests
