# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Who owns what, where a program doesn't call its model as a whole, or keeps copies of its parameters."""

from __future__ import annotations

from typing import Any, Callable, Dict

import pytest

pytestmark = pytest.mark.torch

MODEL = """
import torch
from torch import nn

class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.conv, self.norm = nn.Conv2d(3 if width == 32 else 32, 32 if width == 32 else 64, 3), nn.BatchNorm2d(width)

    def forward(self, x):
        return torch.relu(self.norm(self.conv(x)))

class Detector(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = nn.Sequential(Block(32), Block(64))
        self.scale = nn.Parameter(torch.ones(1 << 22))
        self.stride = self.forward(torch.zeros(1, 3, 64, 64)).shape[-1]

    def forward(self, x):
        for block in self.blocks:
            x = block(x)
        return x + self.scale.sum()

model = Detector().cuda()
optimizer = torch.optim.SGD(model.parameters(), 0.1)
for _ in range(3):
    model.forward(torch.randn(8, 3, 64, 64, device="cuda")).square().mean().backward()
    optimizer.step()
"""


def owners(run: Any) -> "Dict[str, Dict[str, int]]":
    """The bytes of each module by category."""
    result = run.verdict["results"][0]
    assert result["verdict"] == "fits"
    return {each["module"]: each["categories"] for each in result["explanation"]["by_module"]}


def test_a_model_whose_parts_are_called_one_by_one_is_named_as_a_whole(watched: Callable[..., Any]) -> None:
    found = owners(watched(MODEL))
    assert {"Detector", "Detector.blocks.1", "Detector.blocks.1.conv"} <= set(found)
    assert not [name for name in found if name.startswith("Block")]
    assert found["Detector"]["parameters"] == 4 << 22
    assert found["Detector.blocks.1"]["activations"] > 0


AVERAGED = """
import torch
model = torch.nn.Sequential(torch.nn.Linear(512, 512), torch.nn.Linear(512, 512)).cuda()
average = {kept}
optimizer = torch.optim.SGD(model.parameters(), 0.1)
for _ in range(3):
    model(torch.randn(4, 512, device="cuda")).sum().backward()
    optimizer.step()
"""


@pytest.mark.parametrize(
    "kept",
    [
        "[each.detach().clone() for each in model.parameters()]",
        "{name: each.detach().clone() for name, each in model.named_parameters()}",
        "__import__('copy').deepcopy(model)",
    ],
)
def test_a_copy_of_the_parameters_counts_as_parameters(watched: Callable[..., Any], kept: str) -> None:
    found = owners(watched(AVERAGED.replace("{kept}", kept)))
    once = 2 * (512 * 512 + 512) * 4
    assert sum(each.get("parameters", 0) for each in found.values()) == 2 * once
    assert sum(each.get("gradients", 0) for each in found.values()) == once
