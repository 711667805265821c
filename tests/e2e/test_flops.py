# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""`dryfit run --flops` counts what PyTorch's FlopCounterMode counts, and changes nothing that is measured."""

from __future__ import annotations

import itertools
import json
import pickle
import subprocess
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Optional

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
CARD = "a100-40gb"
DIFFERENT_EACH_TIME = ("seconds", "host_peak_rss_bytes")

pytestmark = [
    pytest.mark.torch,
    pytest.mark.slow,
    pytest.mark.skipif(not DRYFIT.exists(), reason="bin/dryfit is not built; run make build"),
]

# Runs a script under FlopCounterMode and prints what it has counted after each step, by module and operator.
REFERENCE = """
import json, runpy, sys
import torch
from torch.utils.flop_counter import FlopCounterMode
from torch.optim.optimizer import register_optimizer_step_post_hook
counter = FlopCounterMode(display=False)
def after_step(*_):
    counts = {
        module: {packet.__name__: count for packet, count in by_operator.items()}
        for module, by_operator in counter.flop_counts.items()
    }
    print("COUNTED", json.dumps(counts), flush=True)
register_optimizer_step_post_hook(after_step)
sys.argv = sys.argv[1:]
with counter:
    runpy.run_path(sys.argv[0], run_name="__main__")
"""

# Has the hooks count in the run that is measured: they look at their settings when PyTorch is imported.
COUNTING_HERE = """
import os, runpy, sys
os.environ["DRYFIT_FLOPS"] = "1"
sys.argv = sys.argv[1:]
runpy.run_path(sys.argv[0], run_name="__main__")
"""

# Convolutions of several kinds, attention by hand and layers in a row, on the device that is named.
MIXED = """
import sys
import torch

class Attention(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.inward = torch.nn.Linear(32, 96)
        self.outward = torch.nn.Linear(32, 32, bias=False)
    def forward(self, x):
        q, k, v = self.inward(x).chunk(3, dim=-1)
        return self.outward(torch.softmax(q @ k.transpose(1, 2), dim=-1) @ v)

class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = torch.nn.Conv2d(3, 16, 3, stride=2, padding=1)
        self.grouped = torch.nn.Conv2d(16, 32, 3, groups=4)
        self.upwards = torch.nn.ConvTranspose2d(32, 32, 2, stride=2)
        self.blocks = torch.nn.ModuleList(Attention() for _ in range(2))
        self.head = torch.nn.Sequential(torch.nn.Linear(32, 64), torch.nn.GELU(), torch.nn.Linear(64, 5))
    def forward(self, x):
        x = self.upwards(torch.relu(self.grouped(torch.relu(self.stem(x)))))
        x = x.flatten(2).transpose(1, 2)
        for block in self.blocks:
            x = x + block(x)
        return self.head(x.mean(dim=1))

net = Net().to(sys.argv[1])
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for step in range(3):
    for _ in range(2):
        net(torch.randn(4 + step, 3, 18, 18, device=sys.argv[1])).sum().backward()
    optimizer.step()
    optimizer.zero_grad()
"""

# A layer that is larger than the card.
TOO_LARGE = """
import torch
layer = torch.nn.Linear(60_000, 60_000, bias=False, device="cuda")
optimizer = torch.optim.SGD(layer.parameters(), lr=0.1)
while True:
    layer(torch.zeros(8, 60_000, device="cuda")).sum().backward()
    optimizer.step()
    optimizer.zero_grad()
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
    compute: "Optional[dict[str, Any]]"


def interpreter(environment: str) -> Path:
    python = REPOSITORY / ".venv" / environment / "bin" / "python"
    if not python.exists():
        pytest.skip(f"no environment .venv/{environment}")
    return python


def dry_run(folder: Path, command: "list[object]", *options: str, steps: int = STEPS) -> Run:
    saved = folder / "saved"
    wanted = [DRYFIT, "run", "--gpu", CARD, "--json", "--save", saved, "--steps", steps, *options, "--"]
    done = subprocess.run(
        [*map(str, wanted), *map(str, command)], capture_output=True, text=True, timeout=600, cwd=folder
    )
    assert done.returncode == 0, done.stderr
    (trace,) = (saved / CARD).glob("trace-*.dryfit")
    (history,) = saved.glob("**/history-*.pickle")
    text = subprocess.run([str(DRYFIT), "trace", str(trace)], capture_output=True, text=True, check=True).stdout
    lines = [line.split(maxsplit=1)[1] for line in text.splitlines()[1:]]
    report = json.loads(done.stdout)
    return Run(
        result={key: value for key, value in report["results"][0].items() if key not in DIFFERENT_EACH_TIME},
        printed=done.stderr,
        events=[line for line in lines if line.startswith(("allocate", "release", "out_of_memory"))],
        kernels=sorted(line[line.index("name=") :] for line in lines if line.startswith("kernel_loaded")),
        requests=requests_of(history),
        compute=report.get("compute"),
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


@lru_cache(maxsize=None)
def plain(environment: str, example: str, folder: Path) -> Run:
    script = REPOSITORY / "examples" / f"{example}.py"
    return dry_run(new(folder), [interpreter(environment), script, *EXAMPLES[example]])


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


def by_step(printed: str) -> "list[dict[str, dict[str, int]]]":
    """FlopCounterMode's counts of each step, by module and operator, without zeros; it adds them up."""
    sums = [json.loads(line.split(" ", 1)[1]) for line in printed.splitlines() if line.startswith("COUNTED ")]
    before: "list[dict[str, dict[str, int]]]" = [{}, *sums]
    return [{module: difference(now[module], then.get(module, {})) for module in now} for then, now in zip(before, sums)]


def difference(now: "dict[str, int]", then: "dict[str, int]") -> "dict[str, int]":
    return {name: now[name] - then.get(name, 0) for name in now if now[name] > then.get(name, 0)}


def with_parents(by_module: "list[dict[str, Any]]") -> "dict[str, int]":
    """Each module with the modules inside, as FlopCounterMode counts them."""
    sums: "dict[str, int]" = {}
    for each in by_module:
        names = each["module"].split(".")
        for depth in range(len(names)):
            path = ".".join(names[: depth + 1])
            sums[path] = sums.get(path, 0) + each["flops"]
    return sums


@pytest.mark.parametrize("example", EXAMPLES)
def test_The_counts_are_those_of_FlopCounterMode(environment: str, example: str, workplace: Path) -> None:
    mine = counted(environment, example, workplace).compute
    script = REPOSITORY / "examples" / f"{example}.py"
    command = [interpreter(environment), "-c", REFERENCE, script, *EXAMPLES[example]]
    theirs = [step["Global"] for step in by_step(dry_run(new(workplace), command, steps=STEPS + 1).printed)]
    assert len(theirs) >= STEPS
    assert mine["steps"] == [sum(step.values()) for step in theirs[:STEPS]]
    assert mine["by_operator"] == theirs[STEPS - 1]
    assert mine["flops"] == mine["steps"][-1] > 1e9


def test_On_the_host_FlopCounterMode_counts_the_same_for_every_module(environment: str, workplace: Path) -> None:
    folder = new(workplace)
    (folder / "mixed.py").write_text(MIXED)
    python = interpreter(environment)
    mine = dry_run(folder, [python, folder / "mixed.py", "cuda"], "--flops").compute
    command = [python, "-c", REFERENCE, folder / "mixed.py", "cpu"]
    done = subprocess.run([*map(str, command)], capture_output=True, text=True, check=True, timeout=600)
    theirs = by_step(done.stdout)
    assert mine["steps"] == [sum(step["Global"].values()) for step in theirs]
    last = theirs[-1]
    assert mine["by_operator"] == last.pop("Global")
    modules = {name: sum(counts.values()) for name, counts in last.items() if counts}
    sums = with_parents(mine["by_module"])
    assert {name: sums.get(name) for name in modules} == modules
    assert {each["module"] for each in mine["by_module"]} <= set(modules)


def test_A_run_is_the_same_whether_another_counts_or_not(environment: str, workplace: Path) -> None:
    without = plain(environment, "gpt2", workplace)
    beside = counted(environment, "gpt2", workplace)
    assert without.compute is None and beside.compute is not None
    assert beside.result == without.result
    assert len(without.requests) > 500 and len(without.kernels) > 10
    assert beside.requests == without.requests
    assert beside.events == without.events
    assert beside.kernels == without.kernels


@pytest.mark.parametrize("example", EXAMPLES)
def test_Before_PyTorch_2_10_counting_changes_neither_allocations_nor_kernels(example: str, workplace: Path) -> None:
    """`dryfit harvest` rests on this."""
    script = REPOSITORY / "examples" / f"{example}.py"
    command = [interpreter("torch-2.6.0"), "-c", COUNTING_HERE, script, *EXAMPLES[example]]
    counting = dry_run(new(workplace), command)
    without = plain("torch-2.6.0", example, workplace)
    assert counting.result == without.result
    assert counting.requests == without.requests
    assert counting.events == without.events
    assert counting.kernels == without.kernels


def test_Work_is_known_where_no_card_fits(environment: str, workplace: Path) -> None:
    script = new(workplace) / "large.py"
    script.write_text(TOO_LARGE)
    command = [DRYFIT, "run", "--gpu", "rtx-3060-12gb", "--flops", "--json", "--", interpreter(environment), script]
    done = subprocess.run([*map(str, command)], capture_output=True, text=True, timeout=600)
    report = json.loads(done.stdout)
    assert done.returncode == 3 and report["results"][0]["verdict"] == "does-not-fit"
    product = 2 * 8 * 60_000 * 60_000
    assert report["compute"]["steps"] == [2 * product] * 3
    assert report["compute"]["by_module"] == [{"module": "Linear", "flops": 2 * product}]


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


MOVING = """
import torch
left = torch.randn(256, 512, device="cuda")
right = torch.nn.Parameter(torch.randn(512, 128, device="cuda"))
optimizer = torch.optim.SGD([right], lr=0.1, foreach=False)
while True:
    (left @ right).sum().backward()
    optimizer.step()
    optimizer.zero_grad()
"""


def test_Bytes_moved_are_those_of_every_tensor_read_and_written(environment: str, workplace: Path) -> None:
    folder = new(workplace)
    script = folder / "moving.py"
    script.write_text(MOVING)
    command = [DRYFIT, "run", "--gpu", "a100-40gb", "--flops", "--json", "--", interpreter(environment), script]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    compute = json.loads(done.stdout)["compute"]
    left, right, product, number = 4 * 256 * 512, 4 * 512 * 128, 4 * 256 * 128, 4
    assert compute["bytes_moved_by_operator"] == {
        "mm": (left + right + product) + (left + number + right),  # the sum's gradient is one number, expanded
        "add_": 3 * right,
        "sum": product + number,
        "ones_like": number,
    }
    assert compute["bytes_moved"] == sum(compute["bytes_moved_by_operator"].values())
    assert compute["flops_per_byte"] == compute["flops"] / compute["bytes_moved"]
    assert sum(compute["kernels"].values()) > 3 * len(compute["bytes_moved_by_operator"])


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


@pytest.mark.parametrize("way", ["reentrant", "saved"])
def test_Before_PyTorch_2_10_counting_what_is_computed_again_changes_no_allocation(way: str, workplace: Path) -> None:
    folder = new(workplace)
    (folder / "checkpointed.py").write_text(CHECKPOINTED)
    command = [interpreter("torch-2.6.0"), "-c", COUNTING_HERE, folder / "checkpointed.py", way]
    counting = dry_run(folder, command)
    without = dry_run(new(workplace), [interpreter("torch-2.6.0"), folder / "checkpointed.py", way])
    assert counting.requests == without.requests
    assert counting.events == without.events
