# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Which initialisations are skipped, which are not, and that skipped ones cost no memory. Needs no driver."""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.torch

START = """
import resource
import torch
from torch import nn
from _dryfit_hooks.initialisation import SkippedInitialisation
skipped = SkippedInitialisation(torch)
skipped.install()

def sevens(*shape):
    return torch.full(shape, 7.0)

def is_zero(tensor):
    return not tensor.any()

def resident():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
"""


def test_every_initialiser_of_torch_nn_init_is_skipped(with_parts):
    with_parts(
        START
        + """
calls = {name: () for name in ("uniform_", "normal_", "trunc_normal_", "ones_", "zeros_", "eye_", "xavier_uniform_",
                               "xavier_normal_", "kaiming_uniform_", "kaiming_normal_", "orthogonal_")}
for name, arguments in {**calls, "constant_": (3.0,), "sparse_": (0.5,)}.items():
    tensor = sevens(1024, 512)
    assert getattr(nn.init, name)(tensor, *arguments) is tensor, name
    assert is_zero(tensor), name
assert is_zero(nn.init.normal_(tensor=sevens(1024, 512), mean=1.0, generator=torch.Generator()))
assert is_zero(nn.MultiheadAttention(1024, 8).in_proj_weight)
"""
    )


def test_small_tensors_and_tensors_of_the_programs_own_are_filled(with_parts):
    with_parts(
        START
        + """
assert nn.init.normal_(torch.zeros(64, 64)).any()
for name in ("normal_", "uniform_", "exponential_", "random_"):
    assert getattr(torch.zeros(1024, 1024), name)().any(), name
data = sevens(1024, 1024)
assert data.mul_(2).add_(1).clamp_(0, 9).eq(9).all()
assert nn.init.normal_(torch.zeros(2048, 2048).t()[:, :1024]).any()
"""
    )


def test_parameters_are_skipped_through_their_data_too(with_parts):
    with_parts(
        START
        + """
layer = nn.Linear(1024, 1024)
for fill in ("normal_", "uniform_", "zero_"):
    layer.weight.data.copy_(sevens(1024, 1024))
    getattr(layer.weight.data, fill)()
    assert is_zero(layer.weight), fill
with torch.no_grad():
    layer.weight.copy_(sevens(1024, 1024))
    layer.weight[:512].normal_()
assert is_zero(layer.weight[:512]) and layer.weight[512:].eq(7).all()
"""
    )


def test_a_hand_written_truncated_normal_is_skipped_as_a_whole(with_parts):
    with_parts(
        START
        + """
def trunc_normal_(tensor):
    with torch.no_grad():
        tensor.uniform_(-0.9, 0.9)
        tensor.erfinv_()
        tensor.mul_(0.02).add_(0.5)
        tensor.clamp_(min=-2, max=2)
    return tensor

assert is_zero(trunc_normal_(nn.Parameter(sevens(1024, 1024))))
assert not is_zero(trunc_normal_(sevens(1024, 1024)))
"""
    )


def test_arithmetic_elsewhere_on_a_skipped_parameter_is_done(with_parts):
    with_parts(
        START
        + """
def reset(layer):
    layer.weight.data.normal_()

def train(layer):
    layer.weight.data.add_(1.5)

layer = nn.Linear(1024, 1024)
reset(layer)
train(layer)
assert layer.weight.eq(1.5).all()
"""
    )


def test_wrong_arguments_are_refused_as_usual(with_parts):
    with_parts(
        START
        + """
def refused(kind, call):
    try:
        call()
    except kind:
        return
    raise AssertionError("accepted")

refused(ValueError, lambda: nn.init.kaiming_normal_(sevens(1 << 20)))
refused(ValueError, lambda: nn.init.kaiming_normal_(sevens(1024, 1024), nonlinearity="none"))
refused(TypeError, lambda: nn.init.normal_(sevens(1024, 1024), nonsense=1))
refused(RuntimeError, lambda: nn.Parameter(sevens(1024, 1024)).normal_())
refused(RuntimeError, lambda: nn.Parameter(sevens(1024, 1024)).data.normal_(0, -1))
"""
    )


def test_the_random_numbers_of_the_program_do_not_depend_on_the_size_of_skipped_tensors(with_parts):
    with_parts(
        START
        + """
def numbers(width):
    torch.manual_seed(1)
    nn.Linear(width, 1024, bias=False)
    return torch.rand(4)

assert numbers(1024).equal(numbers(4096))
"""
    )


def test_a_model_of_20_gib_costs_no_host_memory_even_when_cast(with_parts):
    with_parts(
        START
        + """
before = resident()
model = nn.Sequential(*[nn.Linear(8192, 8192, bias=False) for _ in range(80)])
model.to(torch.bfloat16)
assert sum(p.numel() * p.element_size() for p in model.parameters()) == 10 << 30
assert model[3].weight.dtype is torch.bfloat16 and is_zero(model[3].weight)
assert resident() - before < 300 << 20, resident() - before
"""
    )


def test_casting_keeps_values_that_were_loaded(with_parts):
    with_parts(
        START
        + """
layer = nn.Linear(1024, 1024)
layer.load_state_dict({"weight": sevens(1024, 1024), "bias": torch.zeros(1024)})
assert layer.half().weight.eq(7).all()
convolution = nn.Conv2d(512, 512, 3)
nn.init.zeros_(convolution.weight)
convolution.to(torch.float16, memory_format=torch.channels_last)
assert convolution.weight.is_contiguous(memory_format=torch.channels_last)
"""
    )


def test_after_the_first_forward_pass_everything_is_initialised(with_parts):
    with_parts(
        START
        + """
kept = nn.init.normal_
skipped.end(late=False)
assert kept(torch.zeros(1024, 1024)).any()
assert nn.init.normal_(torch.zeros(1024, 1024)).any()
assert "normal_" not in vars(torch.Tensor)
assert nn.Module.register_parameter.__module__ == "torch.nn.modules.module"
assert not hasattr(nn.Module._apply, "__wrapped__")
"""
    )


def test_pages_that_were_written_are_noticed(with_parts):
    with_parts(
        START
        + """
from _dryfit_hooks import pages
tensor = torch.empty(1 << 20)
address, size = tensor.data_ptr(), 4 << 20
assert pages.discard(address, size) and pages.are_untouched(address, size)
tensor[500_000] = 1
assert not pages.are_untouched(address, size)
assert pages.discard(address, size) and tensor[500_000] == 0
tensor[0] = 1
assert not pages.are_untouched(address, size)
"""
    )
