# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""The program does not notice the hooks: names, signatures, pickles, copies, compilers, tracebacks. Needs no driver."""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.torch

START = """
import copy, inspect, pickle, traceback, warnings
import torch
from torch import nn
from _dryfit_hooks import install, settings
NAMES = ("to", "cuda", "register_parameter", "_apply")
ORIGINAL = {name: inspect.signature(getattr(nn.Module, name)) for name in NAMES}
wanted = settings.from_environment({"DRYFIT_MACHINE": "/nowhere/machine.txt", "DRYFIT_STEPS": "3"})
install._install_for_cuda(torch, wanted)
from _dryfit_hooks import guest
phases = []
guest.phase = phases.append
guest.note = lambda key, text: phases.append((key, text))
"""

MODEL = """
class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(600, 600)
        self.outer = nn.Linear(600, 8)

    def forward(self, x):
        noise = torch.empty_like(x).uniform_().mul_(0).add_(1).clamp_(0, 1).normal_().zero_()
        return self.outer(torch.relu(self.inner(x)) + noise)
"""


def test_signatures_are_unchanged(with_parts):
    with_parts(
        START
        + """
for name, signature in ORIGINAL.items():
    assert inspect.signature(getattr(nn.Module, name)) == signature, name
assert list(inspect.signature(torch.autograd.backward).parameters)[0] == "tensors"
assert "mean" in inspect.signature(nn.init.normal_).parameters
assert "mode" in inspect.signature(torch.compile).parameters
"""
    )


def test_functions_and_classes_pickle_by_name(with_parts):
    with_parts(
        START
        + """
for thing in (nn.Module.to, nn.Module.cuda, nn.init.normal_, torch.autograd.backward, torch.autograd.grad,
              torch.compile, torch.Tensor.normal_, torch.Tensor.mul_, torch.optim.Optimizer.zero_grad, nn.Linear,
              torch.optim.AdamW):
    assert pickle.loads(pickle.dumps(thing)) is thing, thing
"""
    )


def test_models_and_optimizers_can_be_copied_and_pickled(with_parts):
    with_parts(
        START
        + """
model = nn.Linear(600, 600)
optimizer = torch.optim.AdamW(model.parameters())
model(torch.ones(2, 600)).sum().backward()
optimizer.step()
for twin in (copy.deepcopy((model, optimizer)), pickle.loads(pickle.dumps((model, optimizer)))):
    assert twin[0].weight.equal(model.weight)
    assert twin[1].state_dict().keys() == optimizer.state_dict().keys()
"""
    )


def test_torch_compile_makes_the_same_graphs_and_no_warning(with_parts):
    program = (
        MODEL
        + """
warnings.simplefilter("error", UserWarning)
x = torch.randn(4, 600)
whole, in_place, within = Model(), Model(), Model()
compiled = torch.compile(whole, fullgraph=True, backend="aot_eager")
in_place.compile(fullgraph=True, backend="aot_eager")
function = torch.compile(lambda x: within(x).sum(), fullgraph=True, backend="aot_eager")
for _ in range(3):
    compiled(x).sum().backward()
    in_place(x).sum().backward()
    function(x).backward()
print(torch._dynamo.utils.counters["stats"]["unique_graphs"])
"""
    )
    alone = with_parts("import torch, warnings\nfrom torch import nn\n" + program)
    assert with_parts(START + program).stdout == alone.stdout


def test_torch_jit_script_still_knows_autograd(with_parts):
    with_parts(
        START
        + """
import importlib.util, pathlib, sys, tempfile
folder = pathlib.Path(tempfile.mkdtemp())
(folder / "scripted.py").write_text('''
import torch

def gradient(x, w):
    return torch.autograd.grad([(x * w).sum()], [w])

def backward(x, w):
    torch.autograd.backward([(x * w).sum()])
    return torch.empty(3).uniform_().mul_(2)
''')
sys.path.insert(0, str(folder))
import scripted
w = torch.randn(3, requires_grad=True)
assert torch.jit.script(scripted.gradient)(torch.ones(3), w)[0].eq(1).all()
torch.jit.script(scripted.backward)(torch.ones(3), w)
assert w.grad.eq(1).all()
torch.jit.script(nn.Sequential(nn.Linear(3, 3), nn.ReLU()))(torch.ones(1, 3))
"""
    )


def test_a_traceback_shows_no_frame_of_ours(with_parts):
    with_parts(
        START
        + """
import sys

class Failing(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x): return x.clone()
    @staticmethod
    def backward(ctx, g): raise RuntimeError("own fault")

def text_of(call):
    try:
        call()
    except Exception:
        return traceback.format_exc()

texts = [text_of(lambda: Failing.apply(torch.ones(2, requires_grad=True)).sum().backward()),
         text_of(lambda: nn.Linear(2, 2).to("nonsense")),
         text_of(lambda: nn.Module().register_parameter("a.b", None))]
assert "own fault" in texts[0]
if sys.version_info >= (3, 11):
    assert not any("_dryfit_hooks" in text for text in texts), texts
"""
    )


def test_phases_follow_accumulation_checkpointing_and_gradient_penalties(with_parts):
    with_parts(
        START
        + """
from torch.utils.checkpoint import checkpoint
from _dryfit_hooks.phases import Phases
Phases._is_on_device = lambda self, module, args: True
guest.phase("begin")
model = nn.Linear(4, 4)
x = torch.ones(2, 4, requires_grad=True)
for _ in range(2):
    checkpoint(lambda x: model(model(x)), x, use_reentrant=True).sum().backward()
torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
y = model(x).sum()
torch.autograd.grad(y, x)
model(x).sum().backward()
assert phases[phases.index("begin") + 1:] == ["forward", "backward", "other"] * 2 + [
    "forward", "backward", "forward", "backward", "other"], phases
"""
    )


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_dataloader_workers_work(torch_python, hooks, tmp_path, method):
    import os
    import subprocess

    script = tmp_path / "program.py"
    script.write_text(
        "import torch\n"
        "from torch.utils.data import DataLoader, TensorDataset\n"
        "if __name__ == '__main__':\n"
        "    data = TensorDataset(torch.arange(8))\n"
        f"    loader = DataLoader(data, batch_size=4, num_workers=2, multiprocessing_context='{method}')\n"
        "    print([batch[0].tolist() for batch in loader])\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(hooks), "DRYFIT_MACHINE": str(tmp_path / "machine.txt")}
    # The thread that feeds a loader's queue may be the last to hold its semaphore. Where the interpreter ends while that
    # thread cleans up, Python warns of a leak, with hooks or without.
    environment["PYTHONWARNINGS"] = "ignore:resource_tracker:UserWarning"
    done = subprocess.run([torch_python, script], capture_output=True, text=True, timeout=600, env=environment)
    assert (done.stdout.strip(), done.stderr) == ("[[0, 1, 2, 3], [4, 5, 6, 7]]", "")
