# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""What a harvested job says of its layers: where allocated memory grew over the first forward pass."""

from __future__ import annotations

import json
from typing import Any

# Each Layer takes so many bytes, and calls the layers inside; `take` is what a function between layers keeps.
LAYERS = """
import json, tempfile, torch
from torch import nn
from _dryfit_harvest.layers import LayerSequence

allocated = [1000]
torch.cuda.memory_allocated = lambda: allocated[0]

def take(size):
    allocated[0] += size

class Layer(nn.Module):
    def __init__(self, size, inside=()):
        super().__init__()
        self.size = size
        self.inside = lambda: inside  # so that they are no children, and this is a layer

    def forward(self, x):
        take(self.size)
        for each in self.inside():
            each(x)
        return x

class Broken(nn.Module):
    def forward(self, x):
        take(7)
        raise ValueError("refused")

def print_layers(model):
    with tempfile.NamedTemporaryFile() as file:
        try:
            with LayerSequence(torch, model, file.name):
                model(torch.zeros(1))
                take(5)
                model(torch.zeros(1))
        except ValueError:
            pass
        print(open(file.name).read())
"""


def layers_of(with_parts: Any, model: str) -> Any:
    return json.loads(with_parts(LAYERS + model).stdout)


def growth_of(content: Any) -> "list[tuple[str, int, int]]":
    return [(layer["name"], layer["between_bytes"], layer["held_bytes"]) for layer in content["layers"]]


def test_what_functions_between_layers_keep_is_separate(with_parts):
    content = layers_of(
        with_parts,
        """
class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = Layer(10), Layer(20)

    def forward(self, x):
        take(1)
        x = self.a(x)
        take(2)
        x = self.b(x)
        take(-30)
        x = self.a(x)
        take(4)
        return x

print_layers(Model())
""",
    )
    assert content["complete"]
    assert growth_of(content) == [("a", 1, 10), ("b", 2, 20), ("a", -30, 10)]
    assert content["forward_bytes"] == 1 + 10 + 2 + 20 - 30 + 10 + 4


def test_a_layer_in_a_layer_counts_from_the_start_of_that_one(with_parts):
    content = layers_of(
        with_parts,
        """
inner = Layer(3)
print_layers(nn.Sequential(Layer(1), Layer(10, [inner, inner]), inner, Layer(5)))
""",
    )
    assert growth_of(content) == [("0", 0, 1), ("2", 10, 3), ("2", 0, 3), ("1", 0, 16), ("2", 0, 3), ("3", 0, 5)]
    assert content["forward_bytes"] == 1 + 16 + 3 + 5


def test_a_model_that_is_one_layer_is_its_own_first(with_parts):
    content = layers_of(with_parts, "print_layers(Layer(10))")
    assert growth_of(content) == [("", 0, 10)]
    assert content["forward_bytes"] == 10


def test_a_layer_that_fails_and_is_caught_leaves_the_others_right(with_parts):
    content = layers_of(
        with_parts,
        """
class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.broken, self.last = Broken(), Layer(2)
        self.outer = Layer(10, [self.attempt])

    def attempt(self, x):
        try:
            self.broken(x)
        except ValueError:
            take(100)

    def forward(self, x):
        return self.last(self.outer(x))

print_layers(Model())
""",
    )
    assert content["complete"]
    assert growth_of(content) == [("outer", 0, 117), ("last", 0, 2)]
    assert content["forward_bytes"] == 119


def test_a_forward_pass_that_fails_has_no_growth_of_its_own(with_parts):
    content = layers_of(with_parts, "print_layers(nn.Sequential(Layer(1), Broken(), Layer(5)))")
    assert not content["complete"]
    assert growth_of(content) == [("0", 0, 1)]
    assert content["forward_bytes"] is None
