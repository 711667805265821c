# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""The smallest programs that showed what stopped public ones. Each ran into a limit of ours, or read a wrong value."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any, Callable

import pytest

pytestmark = pytest.mark.torch

# One process for all: each function is a program, and what it returns is compared.
PROGRAMS = '''
import json, math, traceback, warnings
import torch
warnings.simplefilter("ignore")

def flex_attention():
    from torch.nn.attention.flex_attention import flex_attention
    q = torch.randn(1, 4, 128, 64, device="cuda")
    return list(flex_attention(q, q, q).shape)

def transforms_of_functions():
    x = torch.arange(6.0).view(2, 3).cuda()
    rows = torch.vmap(lambda row: row.cumsum(0))(x).tolist()
    gradient = torch.func.grad(lambda row: (row * row).sum())(x[0])
    return [rows, list(gradient.shape), list(torch.func.jacrev(torch.sin)(x[0]).shape)]

def functions_of_the_program_under_vmap():
    class Double(torch.autograd.Function):
        generate_vmap_rule = True
        @staticmethod
        def forward(x):
            return x * 2
        @staticmethod
        def setup_context(ctx, inputs, output):
            pass
        @staticmethod
        def backward(ctx, gradient):
            return gradient * 2
    x, places = torch.randn(3, 4, device="cuda"), torch.arange(3, device="cuda")
    gradients = torch.vmap(torch.func.grad(lambda row: Double.apply(row).sum()))(x)
    mask = torch.vmap(lambda query: torch.vmap(lambda key: key <= query)(places))(places)
    return [list(gradients.shape), mask.tolist()]

def transforms_to_frequencies():
    window = torch.hann_window(400, device="cuda")
    waves = torch.stft(torch.randn(2, 4000, device="cuda"), 400, return_complex=True, window=window)
    return [list(torch.fft.rfft(torch.randn(8, 64, device="cuda")).shape), list(waves.shape)]

def packed_sequences():
    from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence
    packed = pack_padded_sequence(torch.randn(5, 2, 4, device="cuda"), torch.tensor([5, 3]))
    return pad_packed_sequence(torch.nn.LSTM(4, 4).cuda()(packed)[0])[1].tolist()

def control_flow():
    from torch._higher_order_ops.cond import cond
    x = torch.ones(3, device="cuda")
    return cond(torch.tensor(True).cuda(), lambda x: x + 1, lambda x: x - 1, (x,)).tolist()

def nested_tensors():
    parts = [torch.randn(2, 3), torch.randn(4, 3)]
    nested = torch.nested.nested_tensor(parts, layout=torch.jagged, device="cuda")
    return [[list(each.shape) for each in nested.unbind()], nested.offsets().diff().tolist()]

def subclass():
    from torch.utils._python_dispatch import TorchDispatchMode
    class Mode(TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            return func(*args, **(kwargs or {}))
    with Mode():
        t = torch.tensor([1, 2, 3]).cuda()
        t.add_(1)
        t += 1
        return [t.tolist(), torch.isin(t, 3).tolist(), torch.zeros(2, device="cuda").add(1).tolist()]

def backward_in_python():
    found = []
    class Reversed(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, times):
            ctx.save_for_backward(times)
            return x * 2
        @staticmethod
        def backward(ctx, gradient):
            times, = ctx.saved_tensors
            found.extend((-times.flip(0)).tolist())
            return gradient * 2, None
    x = torch.randn(3, device="cuda", requires_grad=True)
    Reversed.apply(x, torch.tensor([0.0, 1.0]).cuda()).sum().backward()
    return found

def hook():
    found = []
    known = torch.tensor([1, 2]).cuda()
    x = torch.randn(3, device="cuda", requires_grad=True)
    x.register_hook(lambda gradient: found.extend((known + 1).tolist()))
    (x * 2).sum().backward()
    return found

def lists_in_place():
    t = torch.zeros(3).cuda()
    torch._foreach_add_([t], 1)
    return t.tolist()

def optimizer_with_its_counter_on_the_device():
    torch.set_default_device("cuda")
    try:
        m = torch.nn.Linear(64, 64)
        o = torch.optim.AdamW(m.parameters())
        m(torch.randn(8, 64)).sum().backward()
        o.step()
        return [float(state["step"]) for state in o.state.values()]
    finally:
        torch.set_default_device("cpu")

def parts_of_an_empty_tensor():
    x = torch.tensor([1, 2, 3]).cuda()
    out = x.new_empty(4)
    out.narrow(0, 0, 1).zero_()
    torch.cumsum(x, 0, out=out.narrow(0, 1, 3))
    part = torch.tensor([1, 2, 3, 4]).cuda()
    part[:2].exponential_() if part.is_floating_point() else part[:2].random_(7, 8)
    return [out.tolist(), part[2:].tolist()]

def operators_within_operators():
    t = torch.tensor([5, 6, 7]).cuda()
    torch.ops.aten.sub_.Scalar(t, 1)
    torch.ops.aten.floor_divide_.Scalar(t, 2)
    return t.tolist()

def readings_agree():
    d = torch.nn.Linear(1, 1).cuda()(torch.ones(1, 1, device="cuda")).sum()
    other = torch.nn.Linear(4, 4).cuda()(torch.ones(4, 4, device="cuda")).detach()
    large = torch.empty(3 << 20, device="cuda").normal_()
    return [d.item() == d.item(), bool((other.cpu() == other.cpu()).all()), other[1].tolist() == other.tolist()[1],
            large[7].item() == large[7].item()]

def a_sum_is_larger_than_its_parts():
    t = torch.zeros(1, device="cuda").sum()
    d = torch.nn.Linear(1, 1).cuda()(torch.ones(1, 1, device="cuda")).sum()
    assert t + d > t
    return bool(t + d > t)

def matrices_on_the_host():
    import numpy as np
    J = torch.nn.Linear(4, 5).cuda()(torch.randn(3, 4).cuda())
    matrix = (J @ J.T + torch.eye(3, device="cuda")).detach().cpu().numpy()
    probabilities = torch.softmax(J, -1).detach().cpu().numpy()
    return [bool(np.isfinite(np.linalg.cholesky(matrix)).all()), np.allclose(probabilities.sum(-1), 1).__bool__()]

def running_statistics():
    norm = torch.nn.BatchNorm2d(3).cuda()
    norm(torch.randn(2, 3, 4, 4, device="cuda"))
    return norm.running_mean.tolist() != [0.0, 0.0, 0.0]

def an_operator_of_the_program():
    from torch.library import Library
    library = Library("outside", "FRAGMENT")
    library.define("overwrite(Tensor(a!) x) -> ()")
    library.impl("overwrite", lambda x: None if x.bitwise_not_() is x else None, "CUDA")
    x = torch.tensor([1, 2]).cuda()
    torch.ops.outside.overwrite(x)
    return x.tolist()  # unknown, and so read as zeros

def sums_begun_with_zeros():
    x = torch.randn(1, 1, 8, 8, device="cuda")
    grid = torch.zeros(1, 4, 4, 2, device="cuda")
    return [torch.bincount((x > 0).long().flatten()).sum().item() == 64 or "unknown",
            torch.zeros_like(x)[0, 0, 0, :2].tolist(), torch.full((2,), 3, device="cuda").tolist()]

found = {}
for name, program in [(n, f) for n, f in list(globals().items()) if callable(f) and getattr(f, "__module__", "") == "__main__"]:
    try:
        found[name] = program()
    except Exception as error:
        found[name] = f"{type(error).__name__}: {error}"
print(json.dumps(found))
model = torch.nn.Linear(2, 2).cuda()
model(torch.ones(2, 2, device="cuda")).sum().backward()
torch.optim.SGD(model.parameters(), 0.1).step()
'''

EXPECTED = {
    "flex_attention": [1, 4, 128, 64],
    "transforms_of_functions": [[[0, 1, 3], [3, 7, 12]], [3], [3, 3]],
    "functions_of_the_program_under_vmap": [[3, 4], [[True, False, False], [True, True, False], [True, True, True]]],
    "transforms_to_frequencies": [[8, 33], [2, 201, 41]],
    "packed_sequences": [5, 3],
    "control_flow": [2, 2, 2],
    "nested_tensors": [[[2, 3], [4, 3]], [2, 4]],
    "subclass": [[3, 4, 5], [True, False, False], [1, 1]],
    "backward_in_python": [-1, 0],
    "hook": [2, 3],
    "lists_in_place": [1, 1, 1],
    "optimizer_with_its_counter_on_the_device": [1, 1],
    "parts_of_an_empty_tensor": [[0, 1, 3, 6], [3, 4]],
    "operators_within_operators": [2, 2, 3],
    "readings_agree": [True, True, True, True],
    "a_sum_is_larger_than_its_parts": True,
    "matrices_on_the_host": [True, True],
    "running_statistics": True,
    "an_operator_of_the_program": [0, 0],
}


def test_the_smallest_programs_of_what_failed_outside(watched: Callable[..., Any]) -> None:
    run = watched(PROGRAMS)
    found = json.loads(run.stdout.strip().splitlines()[-1])
    assert {name: found[name] for name in EXPECTED} == EXPECTED
    assert "hooks.error" not in run.notes()


COMPILED = """
import torch
from torch.nn.attention.flex_attention import flex_attention

@torch.library.custom_op("outside::increment", mutates_args=("x",))
def increment(x: torch.Tensor) -> None:
    x.add_(1)

def with_operator(x):
    y = x * 1
    increment(y)
    return y * 2

q = torch.randn(1, 4, 128, 64, device="cuda", requires_grad=True)
optimizer = torch.optim.SGD([q], 0.1)
(torch.compile(flex_attention)(q, q, q).sum() + torch.compile(with_operator)(q).sum()).backward()
optimizer.step()
"""


@pytest.mark.slow
def test_higher_order_operators_run_compiled(watched: Callable[..., Any]) -> None:
    run = watched(COMPILED)
    assert (run.verdict["results"][0]["verdict"], run.steps()) == ("fits", 1)
    assert "hooks.error" not in run.notes()


ODD_MODULES = """
import torch

class Lazy(torch.nn.Module):
    def __init__(self):
        pass

lazy, model = Lazy(), torch.nn.Linear(4, 4).cuda()
holder = torch.nn.Linear(2, 2).cuda()
holder._parameters["weight"] = holder.weight * 2
optimizer = torch.optim.SGD(model.parameters(), 0.1)
for _ in range(3):
    model(torch.ones(2, 4, device="cuda")).sum().backward()
    optimizer.step()
"""


def test_odd_modules_are_explained_in_silence(watched: Callable[..., Any]) -> None:
    run = watched(ODD_MODULES)
    assert run.steps() == 3
    assert "hooks.error" not in run.notes()
    assert "Warning" not in run.stdout


# Training without torch.optim: the rule of the update, and whether the passes of a step are accumulated.
OWN_UPDATES = """
import torch
model = torch.nn.Sequential(torch.nn.Linear(64, 64), torch.nn.Linear(64, 8)).cuda()

def through_data(parameters):
    for p in parameters:
        p.data.add_(p.grad, alpha=-0.1)
        p.grad = None

def without_grad(parameters):
    with torch.no_grad():
        for p in parameters:
            p -= 0.1 * p.grad
            p.grad.zero_()

class Optimizer:  # of another library
    def step(self):
        torch._foreach_add_([p.data for p in model.parameters()], [p.grad for p in model.parameters()], alpha=-0.1)

update = {update}
for step in range(100):
    for _ in range(2):
        model(torch.randn(4, 64, device="cuda")).sum().backward()
    update(list(model.parameters()))
    print("after step", step)
"""


@pytest.mark.parametrize("update", ["through_data", "without_grad", "lambda _: Optimizer().step()"])
def test_steps_of_any_optimizer_are_counted(watched: Callable[..., Any], update: str) -> None:
    run = watched(OWN_UPDATES.format(update=update))
    assert run.steps() == 3
    assert "after step 2" in run.stdout and "after step 3" not in run.stdout
    assert run.verdict["results"][0]["verdict"] == "fits"


EVALUATION = """
import torch
model = torch.nn.Linear(64, 64).cuda()
with torch.inference_mode():
    for _ in range(5):
        model(torch.randn(4, 64, device="cuda")).argmax(-1).tolist()
print("model is ready")
torch.randn(1 << 26, device="cuda")
"""


def test_a_program_that_only_evaluates_fits_as_far_as_it_ran(watched: Callable[..., Any]) -> None:
    result = watched(EVALUATION).verdict["results"][0]
    assert (result["verdict"], result["steps"]) == ("fits", 0)
    assert "no_training_step" in [each["name"] for each in result["diagnostics"]]


def test_a_program_ends_at_the_text_that_was_asked_for(watched: Callable[..., Any]) -> None:
    run = watched(EVALUATION, "--until", "is ready")
    assert run.notes()["stop.reason"] == "text"
    assert run.verdict["results"][0]["verdict"] == "fits"
    assert max(run.values("torch.peak_reserved_bytes")) < 64 << 20


GROWING = """
import torch
model = torch.nn.Linear(64, 64).cuda()
optimizer = torch.optim.SGD(model.parameters(), 0.1)
kept = []
for step in range({steps}):
    if step < {growing}:
        kept.append(torch.empty(8 << 20, device="cuda"))
    model(torch.randn(4, 64, device="cuda")).sum().backward()
    optimizer.step()
"""


@pytest.mark.parametrize(("growing", "options", "steps"), [(5, (), 6), (50, (), 10), (50, ("--steps", "4"), 4)])
def test_a_run_goes_on_while_its_memory_grows(
    watched: Callable[..., Any], growing: int, options: "tuple[str, ...]", steps: int
) -> None:
    run = watched(GROWING.format(steps=100, growing=growing), *options)
    assert run.steps() == steps
    assert ("steps.extended" in run.notes()) == (not options)


GRAPH = """
import torch
model = torch.nn.Linear(64, 64).cuda()
optimizer = torch.optim.SGD(model.parameters(), 0.1)
x = torch.randn(4, 64, device="cuda")
def step():
    model(x).sum().backward()
    optimizer.step()
step()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    step()
for _ in range(50):
    graph.replay()
"""


def test_a_step_inside_a_graph_counts_at_every_replay(watched: Callable[..., Any]) -> None:
    assert watched(GRAPH, "--steps", "5").steps() == 5


WAITING = """
import torch
t, end = torch.zeros(1, device="cuda"), 1.0
noise = torch.nn.Linear(64, 64).cuda()(torch.ones(4, 64, device="cuda"))
while t.item() < end:
    if (noise > 0)[0, 0]:
        t = t + 0.1
"""


def test_a_loop_that_waits_for_a_computed_value_is_ended_and_named(watched: Callable[..., Any]) -> None:
    run = watched(WAITING)
    assert run.notes()["program.waits_at"] == "program.py:6"
    assert run.verdict["results"][0]["verdict"] == "cannot-tell"
    assert "program.py:6" in run.verdict["results"][0]["reason"]


# Compares a number in Python, with less patience than ours.
WAITING_FOR_A_NUMBER = """
import torch, _dryfit_hooks.values.waiting
_dryfit_hooks.values.waiting.PATIENCE_WITH_NUMBERS = 50
solver = torch.nn.Linear(4, 4).cuda()
t = 0.0
while t < 1:
    if solver(torch.ones(2, 4, device="cuda")).abs().max().item() < -1:
        t += 0.1
"""


def test_a_loop_that_compares_a_computed_number_is_ended_and_named(watched: Callable[..., Any]) -> None:
    assert watched(WAITING_FOR_A_NUMBER).notes()["program.waits_at"] == "program.py:7"


OTHER_ALLOCATOR = """
import os
os.environ["PYTORCH_CUDA_ALLOC_CONF"] = "backend:cudaMallocAsync"
import torch
model = torch.nn.Linear(64, 64).cuda()
optimizer = torch.optim.SGD(model.parameters(), 0.1)
for _ in range(3):
    model(torch.ones(4, 64, device="cuda")).sum().backward()
    optimizer.step()
    print(torch.cuda.max_memory_reserved())
"""


def test_a_hook_that_failed_is_a_caveat_however_much_room_is_left(watched: Callable[..., Any]) -> None:
    result = watched(OTHER_ALLOCATOR).verdict["results"][0]
    assert result["verdict"] == "tight"
    assert "hooks_failed" in [each["name"] for each in result["caveats"]]


NO_DATA = """
import torch
model = torch.nn.Linear(64, 8).cuda()
optimizer = torch.optim.SGD(model.parameters(), 0.1)
for _ in range(3):
    model(torch.randn(0, 64, device="cuda")).mean().backward()
    optimizer.step()
"""


def test_steps_without_any_data_are_a_caveat(watched: Callable[..., Any]) -> None:
    result = watched(NO_DATA).verdict["results"][0]
    assert (result["verdict"], [each["name"] for each in result["caveats"]]) == ("tight", ["no_data"])


# As at the end of --timeout, without waiting for it.
KILLED = """
import os, signal, torch
model = torch.nn.Linear(64, 64).cuda()
optimizer = torch.optim.SGD(model.parameters(), 0.1)
model(torch.ones(4, 64, device="cuda")).sum().backward()
optimizer.step()
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_run_that_may_time_out_is_explained_up_to_its_last_step(watched: Callable[..., Any]) -> None:
    result = watched(KILLED, "--timeout", "2h").verdict["results"][0]
    assert (result["verdict"], result["steps"]) == ("cannot-tell", 1)
    assert result["torch"]["peak_allocated_bytes"] > 0
    assert result["explanation"]["categories"]["parameters"]["bytes"] > 64 * 64 * 4


# Workers that send tensors as file descriptors have a folder in TMPDIR, to meet in.
WORKERS = """
import os, tempfile, torch
import torch.multiprocessing
torch.multiprocessing.set_sharing_strategy("file_descriptor")
model = torch.nn.Linear(4, 4).cuda()
optimizer = torch.optim.SGD(model.parameters(), 0.1)
data = torch.utils.data.DataLoader(torch.randn(400, 4), batch_size=2, num_workers=2)
for batch in data:
    model(batch.cuda()).sum().backward()
    optimizer.step()
"""


def test_workers_leave_no_folder_behind(watched: Callable[..., Any], monkeypatch: Any) -> None:
    # Workers have sockets in it, whose paths must be short.
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        monkeypatch.setenv("TMPDIR", folder)
        run = watched(WORKERS)
        assert run.steps() == 3
        assert "hooks.error" not in run.notes()
        assert list(Path(folder).glob("pymp-*")) == []


# Libraries look for code that they may lack, and do without it: the program's own error is the reason.
OWN_ERROR = """
import torch, torch.distributed as distributed
torch.cuda.set_device(0)
distributed.init_process_group("nccl", store=distributed.HashStore(), rank=0, world_size=1)
distributed.all_reduce(torch.ones(4, device="cuda"))
raise RuntimeError("my own error")
"""


def test_a_program_is_told_its_own_error(watched: Callable[..., Any]) -> None:
    result = watched(OWN_ERROR).verdict["results"][0]
    assert result["verdict"] == "cannot-tell"
    assert "my own error" in result["reason"] and "compute capability" not in result["reason"]


LAUNCHER = '''
import subprocess, sys, torch
torch.cuda.set_device(0)
torch.cuda.synchronize()
CHILD = """
import torch
model = torch.nn.Linear(64, 64).cuda()
optimizer = torch.optim.SGD(model.parameters(), 0.1)
for _ in range(3):
    model(torch.ones(4, 64, device="cuda")).sum().backward()
    optimizer.step()
"""
subprocess.run([sys.executable, "-c", CHILD], check=True)
'''


def test_a_launcher_that_touches_the_gpu_keeps_the_explanation(watched: Callable[..., Any]) -> None:
    run = watched(LAUNCHER)
    assert run.verdict["results"][0]["verdict"] == "fits"
    assert run.verdict["results"][0]["explanation"] is not None
