# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""The hooks of `dryfit profile`: programs written for a GPU run on the CPU, and the trace marks what is the GPU's."""

from __future__ import annotations

import json
import textwrap
from pathlib import Path
from typing import Any, Callable

import pytest

BEGINNING = """
import json, os, sys, torch
from torch import nn
FOLDER = {folder!r}
import _dryfit_profile.install
_dryfit_profile.install.install(torch, {{"DRYFIT_PROFILE": FOLDER, **{environment!r}}})
F = nn.functional
"""

ENDING = """
import atexit
atexit._run_exitfuncs()
"""

OURS = ("dryfit::host", "dryfit::to_host", "dryfit::to_device")


class Trace:
    def __init__(self, folder: Path) -> None:
        [path] = folder.glob("trace-*.json")
        content = json.loads(path.read_text(encoding="utf-8"))
        self.facts: "dict[str, Any]" = content["dryfit"]
        self.events: "list[dict[str, Any]]" = content["traceEvents"]

    def named(self, name: str) -> "list[dict[str, Any]]":
        return [event for event in self.events if event.get("name") == name]

    def _place(self, moment: float) -> str:
        """The innermost annotation around a moment decides."""
        around = [e for name in OURS for e in self.named(name) if e["ts"] <= moment <= e["ts"] + e["dur"]]
        return max(around, key=lambda event: event["ts"])["name"] if around else ""

    def device_blocks(self) -> "list[int]":
        """Sizes of what was allocated on the GPU, in order, without the numbers of expressions (`x * 2`), which are tensors
        of a few bytes on the CPU and none on a GPU."""
        begin = min(event["ts"] for event in self.named("dryfit::to_device"))
        memory = sorted(self.named("[memory]"), key=lambda event: event["ts"])
        made = [event for event in memory if event["args"]["Bytes"] > 0 and event["ts"] >= begin]
        placed = [e["args"]["Bytes"] for e in made if self._place(e["ts"]) not in ("dryfit::host", "dryfit::to_host")]
        return [size for size in placed if size > 8]


@pytest.fixture
def profiled(with_parts: "Callable[[str], Any]", tmp_path: Path) -> "Callable[..., Any]":
    """Runs a program as `dryfit profile` does and gives what it printed, as lines."""

    def run(program: str, **environment: str) -> "list[str]":
        beginning = BEGINNING.format(folder=str(tmp_path), environment=environment)
        return with_parts(beginning + textwrap.dedent(program) + ENDING).stdout.splitlines()

    return run


def test_a_program_finds_a_gpu(profiled):
    printed = profiled(
        """
        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        print(device.type, torch.cuda.device_count(), torch.cuda.current_device(), torch.cuda.is_bf16_supported())
        print(torch.cuda.get_device_properties(0).total_memory > 0, torch.cuda.mem_get_info()[1] > 0)
        torch.cuda.synchronize(); torch.cuda.empty_cache(); torch.cuda.manual_seed_all(1); torch.cuda.set_device(0)
        stream = torch.cuda.Stream()
        with torch.cuda.stream(stream), torch.cuda.device(0):
            event = torch.cuda.Event(enable_timing=True); event.record(); stream.wait_stream(torch.cuda.current_stream())
        print(event.elapsed_time(event), torch.cuda.max_memory_allocated(), torch.cuda.memory_stats()["num_ooms"])
        generator = torch.Generator(device="cuda").manual_seed(3)
        print(torch.rand(2, device="cuda", generator=generator).device)
        """
    )
    assert printed == ["cuda 1 0 True", "True True", "0.0 0 0", "cuda:0"]


def test_a_program_that_asks_for_an_accelerator_finds_the_gpu(profiled):
    [line] = profiled("""
        accelerator = getattr(torch, "accelerator", None)
        if accelerator is None:
            print("cuda 0 False")
        else:
            stream = accelerator.current_stream()
            print(accelerator.current_accelerator(), accelerator.current_device_index(), stream.is_capturing())
        """)
    assert line == "cuda 0 False"


def test_tensors_are_where_the_program_put_them(profiled):
    printed = profiled(
        """
        def where(*tensors):
            print(*(t.device.type + ("" if t.is_cuda == (t.device.type == "cuda") != t.is_cpu else "!") for t in tensors))
        host = torch.ones(3)
        there = host.to("cuda")
        where(host, there, there + 1, host * 2, there.cpu(), there.to(host.device), host.cuda(), host.to(there))
        where(torch.zeros(2, device="cuda"), torch.zeros_like(there), there.new_zeros(2), torch.arange(3, device=there.device))
        where(there[1:], there.view(3, 1).t(), there.detach(), there.clone(), torch.stack([there, there]))
        where(torch.as_tensor([1, 2], device="cuda"), torch.tensor([1.0], device=0), torch.zeros_like(there, device="cpu"))
        host.copy_(there)
        where(host, torch.from_numpy(there.cpu().numpy()))
        with torch.device("cuda"):
            where(torch.ones(1), nn.Linear(2, 2).weight)
        print(there.get_device(), host.get_device(), there.type(), host.type(), there.to("meta").device.type)
        """
    )
    assert printed == [
        "cpu cuda cuda cpu cpu cpu cuda cuda",
        "cuda cuda cuda cuda",
        "cuda cuda cuda cuda cuda",
        "cuda cuda cpu",
        "cpu cpu",
        "cuda cuda",
        "0 -1 torch.cuda.FloatTensor torch.FloatTensor meta",
    ]


def test_a_copy_to_the_gpu_is_a_copy(profiled):
    printed = profiled(
        """
        host = torch.ones(3)
        there = host.cuda()
        host.fill_(5)
        there2 = there.cuda()
        print(there.tolist(), there2 is there or there2.data_ptr() == there.data_ptr(), there.cpu().data_ptr() == there.data_ptr())
        source = torch.ones(2).numpy()
        print(torch.as_tensor(source, device="cuda").data_ptr() == source.ctypes.data)
        """
    )
    assert printed == ["[1.0, 1.0, 1.0] True False", "False"]


def test_a_model_its_gradients_and_its_saved_state_are_on_the_gpu(profiled, tmp_path: Path):
    printed = profiled(
        """
        import copy, io
        model = nn.Sequential(nn.Linear(4, 4), nn.BatchNorm1d(4)).cuda()
        model(torch.ones(2, 4, device="cuda")).sum().backward()
        print({p.device.type for p in model.parameters()}, {p.grad.device.type for p in model.parameters()})
        print({b.device.type for b in model.buffers()}, {p.device.type for p in copy.deepcopy(model).parameters()})
        file = io.BytesIO(); torch.save(model.state_dict(), file); file.seek(0)
        print({t.device.type for t in torch.load(file, map_location="cuda").values()})
        file.seek(0)
        print({t.device.type for t in torch.load(file, map_location="cpu").values()})
        """
    )
    assert printed == ["{'cuda'} {'cuda'}", "{'cuda'} {'cuda'}", "{'cuda'}", "{'cpu'}"]


def test_the_trace_has_the_blocks_of_the_gpu_and_no_others(profiled, tmp_path: Path):
    profiled(
        """
        host = torch.ones(1000)
        other = host * 3
        there = host.cuda()
        double = there * 2
        half = double.half()
        back = double.cpu()
        more = back + other
        made = torch.zeros(70, device="cuda")
        """
    )
    assert Trace(tmp_path).device_blocks() == [4000, 4000, 2000, 280]


TRAINING = """
model = nn.Sequential(nn.Linear(64, 32), nn.Dropout(0.5), nn.Linear(32, 8)).to("cuda")
optimizer = torch.optim.AdamW(model.parameters(), lr=0.1)
for _ in range(2):
    batch = torch.rand(16, 64).cuda()
    loss = model(batch).sum()
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    optimizer.zero_grad()
    print(loss.device.type, len(optimizer.state))
"""


def test_the_trace_contains_the_model_the_optimizer_and_how_it_ended(profiled, tmp_path: Path):
    assert profiled(TRAINING) == ["cuda 4", "cuda 4"]
    facts = Trace(tmp_path).facts
    assert [each["name"] for each in facts["parameters"]] == ["0.weight", "0.bias", "2.weight", "2.bias"]
    assert facts["parameters"][0] == {
        "name": "0.weight",
        "shape": [32, 64],
        "dtype": "float32",
        "bytes": 8192,
        "requires_grad": True,
    }
    assert facts["optimizers"][0]["class"] == "torch.optim.adamw.AdamW"
    assert facts["optimizers"][0]["parameters"] == [0, 1, 2, 3]
    assert facts["optimizers"][0]["defaults"]["lr"] == 0.1
    assert (facts["format"], facts["steps"], facts["ended"], facts["hooks_errors"]) == (1, 2, "exit", [])


def test_optimizers_and_clipping_work_on_lists_as_on_a_gpu(profiled, tmp_path: Path):
    profiled(TRAINING)
    trace = Trace(tmp_path)
    assert len(trace.named("aten::_foreach_sqrt")) == 2
    assert trace.named("aten::_foreach_norm")
    assert not trace.named("dryfit::to_host")


def test_dropout_keeps_a_mask_of_booleans(profiled, tmp_path: Path):
    profiled(TRAINING)
    trace = Trace(tmp_path)
    assert len(trace.named("aten::native_dropout")) == 2
    assert 16 * 32 in trace.device_blocks()


def test_modules_and_passes_are_annotated(profiled, tmp_path: Path):
    profiled(TRAINING)
    trace = Trace(tmp_path)
    assert len(trace.named("dryfit::module#Sequential.0")) == 2
    assert len(trace.named("dryfit::module#Sequential")) == 2
    assert len(trace.named("dryfit::backward")) == 2


def test_annotations_nest(profiled, tmp_path: Path):
    """PyTorch's own (Optimizer.step) and ours: of two that overlap, one lies within the other."""
    profiled(TRAINING)
    spans = [event for event in Trace(tmp_path).events if event.get("ph") == "X" and event.get("cat") != "Trace"]
    marks = [event for event in spans if event["name"].startswith(("dryfit::", "Optimizer."))]
    assert any(event["name"].startswith("Optimizer.step") for event in marks)
    open_until: "list[float]" = []
    for event in sorted(marks, key=lambda each: (each["ts"], -each["dur"])):
        begin, end = event["ts"], event["ts"] + event["dur"]
        while open_until and open_until[-1] <= begin:
            open_until.pop()
        assert not open_until or end <= open_until[-1] + 0.001, event["name"]
        open_until.append(end)


def test_tied_parameters_are_listed_once(profiled, tmp_path: Path):
    profiled(
        """
        class Tied(nn.Module):
            def __init__(self):
                super().__init__()
                self.embedding = nn.Embedding(10, 4)
                self.head = nn.Linear(4, 10, bias=False)
                self.head.weight = self.embedding.weight
            def forward(self, ids):
                return self.head(self.embedding(ids))
        model = Tied().cuda()
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        model(torch.zeros(3, dtype=torch.int64, device="cuda")).sum().backward()
        optimizer.step()
        """
    )
    first, second = Trace(tmp_path).facts["parameters"]
    assert (first["bytes"], second["tied"]) == (160, "embedding.weight")


def test_autocast_is_that_of_a_gpu(profiled, tmp_path: Path):
    printed = profiled(
        """
        layer = nn.Linear(8, 8).cuda()
        norm = nn.LayerNorm(8).cuda()
        x = torch.rand(4, 8, device="cuda")
        with torch.autocast("cuda", dtype=torch.float16):
            y = layer(x)
            z = layer(y)
            print(torch.is_autocast_enabled(), y.dtype, norm(y).dtype, y.softmax(-1).dtype, (y @ y.t()).dtype, (y + x).dtype)
            print(F.cross_entropy(z, torch.zeros(4, dtype=torch.int64, device="cuda")).dtype, F.relu(z).dtype, z.sum().dtype)
            print(F.mse_loss(z, x).dtype, torch.cat([y, x]).dtype)
        scaler = torch.amp.GradScaler("cuda")
        optimizer = torch.optim.SGD(layer.parameters(), lr=0.1)
        scaler.scale(z.float().sum()).backward()
        scaler.step(optimizer); scaler.update()
        print(scaler.is_enabled(), layer.weight.grad.dtype, layer(x).dtype)
        """
    )
    half, full = "torch.float16", "torch.float32"
    assert printed == [
        f"True {half} {full} {full} {half} {full}",
        f"{full} {half} {full}",
        f"{full} {full}",
        f"True {full} {full}",
    ]
    assert Trace(tmp_path).facts["autocast"] == {"device": "cuda", "dtype": "float16"}


def test_a_weight_is_cast_once_until_autocast_is_left(profiled, tmp_path: Path):
    profiled(
        """
        layer = nn.Linear(40, 40).cuda()
        x = torch.rand(4, 40, device="cuda")
        for _ in range(2):
            with torch.autocast("cuda", dtype=torch.bfloat16):
                layer(layer(x))
        """
    )
    assert Trace(tmp_path).device_blocks().count(40 * 40 * 2) == 2


def test_autocast_casts_the_last_argument_first(profiled, tmp_path: Path):
    """The bias, the weight, then the input: the order of C++ in PyTorch's builds."""
    profiled("""
        layer = nn.Linear(64, 32).cuda()
        x = torch.randn(16, 64, device="cuda")
        with torch.autocast("cuda", torch.bfloat16):
            layer(x)
        """)
    bias, weight, given = 32 * 2, 32 * 64 * 2, 16 * 64 * 2
    casts = [size for size in Trace(tmp_path).device_blocks() if size in (bias, weight, given)]
    assert casts[-3:] == [bias, weight, given]


def test_the_logarithm_of_a_cross_entropy_stays_in_half_precision_under_autocast(profiled, tmp_path: Path):
    [line] = profiled("""
        logits = torch.randn(16, 100, device="cuda", dtype=torch.bfloat16, requires_grad=True)
        target = torch.randint(0, 100, (16,), device="cuda")
        with torch.autocast("cuda", torch.bfloat16):
            loss = F.cross_entropy(logits, target)
        loss.backward()
        print(loss.dtype, logits.grad.dtype)
        """)
    assert line == "torch.float32 torch.bfloat16"
    blocks = Trace(tmp_path).device_blocks()
    assert blocks.count(16 * 100 * 4) == 2  # the cast for the second half, and its gradient


def test_attention_keeps_no_matrix_of_weights(profiled, tmp_path: Path):
    profiled(
        """
        q = torch.rand(2, 4, 64, 16, device="cuda", requires_grad=True)
        mask = torch.zeros(2, 1, 64, 64, device="cuda")
        F.scaled_dot_product_attention(q, q, q, dropout_p=0.1, is_causal=True).sum().backward()
        F.scaled_dot_product_attention(q, q, q, attn_mask=mask, dropout_p=0.1).sum().backward()
        """
    )
    assert 2 * 4 * 64 * 64 * 4 not in Trace(tmp_path).device_blocks()


def test_recurrent_networks_train(profiled):
    printed = profiled(
        """
        model = nn.LSTM(8, 16, 2, dropout=0.1, batch_first=True).cuda()
        optimizer = torch.optim.Adam(model.parameters())
        hidden, _ = model(torch.rand(4, 5, 8, device="cuda"))
        hidden.sum().backward()
        optimizer.step()
        print(hidden.device, model.weight_hh_l1.grad.device)
        """
    )
    assert printed == ["cuda:0 cuda:0"]


def test_checkpointing_and_custom_functions_stay_on_the_gpu(profiled):
    printed = profiled(
        """
        from torch.utils.checkpoint import checkpoint
        seen = []
        class Double(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                ctx.save_for_backward(x)
                return x * 2
            @staticmethod
            def backward(ctx, grad):
                seen.extend([grad.device.type, ctx.saved_tensors[0].device.type])
                return grad * 2
        layer = nn.Sequential(nn.Linear(4, 4), nn.Dropout(0.1)).cuda()
        x = torch.ones(2, 4, device="cuda", requires_grad=True)
        for reentrant in (True, False):
            Double.apply(checkpoint(layer, x, use_reentrant=reentrant)).sum().backward()
        print(seen, x.grad.device.type)
        """
    )
    assert printed == ["['cuda', 'cuda', 'cuda', 'cuda'] cuda"]


def test_a_data_loader_is_given_the_smaller_batch(profiled, tmp_path: Path):
    printed = profiled(
        """
        from torch.utils.data import DataLoader, TensorDataset
        data = TensorDataset(torch.arange(100))
        sizes = [len(next(iter(DataLoader(data, *args, **kwargs)))[0]) for args, kwargs in (
            ((32,), {}), ((), {"batch_size": 64, "pin_memory": True}), ((2,), {}), ((), {}))]
        print(sizes)
        """,
        DRYFIT_BATCH="4",
    )
    assert printed == ["[4, 4, 2, 1]"]
    assert Trace(tmp_path).facts["shrunk"] == {"batch": 4, "from": 64}


def test_values_are_those_of_the_cpu(profiled, with_parts):
    program = """
    torch.manual_seed(0)
    model = nn.Sequential(nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8), nn.ReLU(), nn.Flatten(), nn.Linear(8 * 36, 2)).to({device!r})
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    data = torch.rand(4, 3, 8, 8).to({device!r})
    for _ in range(3):
        optimizer.zero_grad()
        loss = F.cross_entropy(model(data), torch.tensor([0, 1, 0, 1], device={device!r}))
        loss.backward()
        optimizer.step()
        print(round(loss.item(), 4))
    """
    plain = "import torch\nfrom torch import nn\nF = nn.functional\n" + textwrap.dedent(program.format(device="cpu"))
    assert profiled(program.format(device="cuda")) == with_parts(plain).stdout.splitlines()


def test_a_device_of_the_program_that_fails_fails_with_its_own_words(profiled):
    printed = profiled(
        """
        try:
            torch.ones(2, 3, device="cuda") @ torch.ones(2, 3, device="cuda")
        except RuntimeError as error:
            print(error)
        """
    )
    [line] = printed
    assert line.endswith("mat1 and mat2 shapes cannot be multiplied (2x3 and 2x3)")


def test_threads_and_workers_find_the_gpu_too(profiled):
    printed = profiled(
        """
        import threading
        from torch.utils.data import DataLoader, TensorDataset
        def work():
            print(torch.ones(2).cuda(non_blocking=True).device, torch.ones(2).pin_memory().device)
        thread = threading.Thread(target=work)
        thread.start(); thread.join()
        loader = DataLoader(TensorDataset(torch.arange(8)), batch_size=4, num_workers=1, pin_memory=True)
        print([batch.to("cuda").device.type for batch, in loader])
        """
    )
    assert printed == ["cuda:0 cpu", "['cuda', 'cuda']"]


def test_a_program_with_a_profiler_of_its_own_goes_on(profiled, tmp_path: Path):
    printed = profiled(
        """
        with torch.profiler.profile(profile_memory=True, schedule=torch.profiler.schedule(wait=0, warmup=1, active=1)) as own:
            for _ in range(3):
                torch.ones(5, device="cuda")
                own.step()
        own.export_chrome_trace(FOLDER + "/own.json")
        print(len(own.key_averages()), torch.ones(7, device="cuda").device)
        """
    )
    assert printed == ["0 cuda:0"]
    assert Trace(tmp_path).device_blocks() == [20, 20, 20, 28]


WITHOUT_CUDA = """
import torch
for name in [name for name in dir(torch._C) if name.startswith("_cuda") or name in ("_CudaEventBase", "_CudaStreamBase")]:
    delattr(torch._C, name)
torch.version.cuda = None
torch.backends.cuda.is_built = lambda: False
"""


def test_a_build_without_cuda_does_the_same(with_parts, tmp_path: Path):
    """Played by a build with CUDA that has lost all of its bindings."""
    beginning = BEGINNING.format(folder=str(tmp_path), environment={})
    program = """
    optimizer = None
    with torch.cuda.device(0):
        torch.cuda.manual_seed(3)
        print(torch.cuda.is_available(), torch.cuda.get_device_capability(), torch.cuda.Stream().query())
    model = nn.Linear(3, 3).cuda()
    scaler = torch.amp.GradScaler("cuda")
    optimizer = torch.optim.Adam(model.parameters())
    for _ in range(2):
        with torch.autocast("cuda", dtype=torch.bfloat16):
            loss = model(torch.rand(2, 3).pin_memory().to("cuda", non_blocking=True)).sum()
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
    print(loss.dtype, loss.device)
    """
    done = with_parts(WITHOUT_CUDA + beginning + textwrap.dedent(program) + ENDING)
    assert done.stdout.splitlines() == ["True (8, 0) True", "torch.float32 cuda:0"]
    assert Trace(tmp_path).facts["steps"] == 2
