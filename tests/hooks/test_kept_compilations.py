# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""What torch.compile compiled in one run serves the next, which counts the same bytes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Callable, Dict, Iterator, Tuple

import pytest

pytestmark = [pytest.mark.torch, pytest.mark.slow]

# A norm is tuned when it runs first; what the run took from earlier ones is printed.
PROGRAM = """
import json, torch
import torch._dynamo.utils
model = torch.nn.Sequential(torch.nn.Linear(512, 2048), torch.nn.LayerNorm(2048)).cuda()
optimizer = torch.optim.AdamW(model.parameters())
{before}
forward = torch.compile(lambda x: model(x).square().mean(){options})
for size in {sizes}:
    forward(torch.randn(size, 512, device="cuda")).backward()
    if size == {sizes}[-1]:
        print(json.dumps(torch._dynamo.utils.counters["inductor"].get("fxgraph_cache_hit", 0)))
    optimizer.step()
"""

PLAIN = PROGRAM.format(before="", options="", sizes=[64, 64])
DYNAMIC = PROGRAM.format(before="", options=", dynamic=True", sizes=[64, 96])
# As a tuner of matrix products does, which takes minutes here.
ALLOCATING = PROGRAM.format(
    before="""
from torch._inductor.graph import GraphLowering
lower = GraphLowering.run
GraphLowering.run = lambda self, *args: (torch.empty(1 << 20, device="cuda"), lower(self, *args))[1]
""",
    options="",
    sizes=[64, 64],
)

# `writes` counts the files that were there when the program was ended, temporary ones of its compilers among them.
NOT_COUNTED = {"seconds", "host_peak_rss_bytes", "writes"}


def counted(verdict: Any) -> Any:
    """Without what differs between two runs of the same program."""
    if isinstance(verdict, dict):
        return {key: counted(value) for key, value in verdict.items() if key not in NOT_COUNTED}
    return [counted(each) for each in verdict] if isinstance(verdict, list) else verdict


Run = Callable[..., Tuple[int, Any]]


@pytest.fixture
def compiled(watched: Callable[..., Any], tmp_path: Path, monkeypatch: Any) -> "Iterator[Run]":
    """Runs a program, and gives back how many graphs it took from earlier runs, and its verdict."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    numbers = iter(range(100))

    def run(program: str, *options: str) -> "Tuple[int, Dict[str, Any]]":
        saved = tmp_path / "saved"
        if saved.exists():
            saved.rename(tmp_path / f"saved-{next(numbers)}")
        done = watched(program, *options, gpu="a100-40gb")
        assert "hooks.error" not in done.notes()
        assert done.verdict["results"][0]["verdict"] == "fits"
        return json.loads(done.stdout.strip().splitlines()[-1]), counted(done.verdict)

    yield run


def test_the_second_run_compiles_nothing_and_counts_the_same_bytes(compiled: Run) -> None:
    fresh, first = compiled(PLAIN)
    kept, second = compiled(PLAIN)
    again, third = compiled(PLAIN, "--fresh-compile")
    assert (fresh, kept, again) == (0, 2, 0)
    assert second == first
    assert third == first


@pytest.mark.parametrize("program", [DYNAMIC, ALLOCATING], ids=["symbols", "allocations"])
def test_graphs_that_could_change_a_byte_are_not_kept(compiled: Run, tmp_path: Path, program: str) -> None:
    compiled(program)
    kept = tmp_path / "cache" / "dryfit" / "compile"
    assert list(kept.glob("*/triton/*/*"))
    assert not list(kept.glob("*/fxgraph/*/*"))
