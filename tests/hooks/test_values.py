# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Sizes that depend on data: true where the data come from the host, by a stated rule elsewhere."""

from __future__ import annotations

import json
from typing import Any, Callable

import pytest

pytestmark = pytest.mark.torch

# The same function on the host and on the modelled card; `answers` must not differ.
SAME_ON_BOTH = """
import json, torch
F = torch.nn.functional

def inferred(device):
    with torch.inference_mode():
        x = torch.zeros(3, dtype=torch.long, device=device)
        return torch.add(x, 5, out=x).tolist()

def sparse(device):
    places = torch.tensor([[3, 1, 3]]).to(device)
    return torch.sparse_coo_tensor(places, torch.ones(3, device=device), (10,)).coalesce()._nnz()

def answers(device):
    mask = torch.tensor([[1, 1, 0], [1, 1, 1]]).to(device)
    numbers = torch.arange(10, device=device)
    rows = torch.ones(10, 4).to(device)
    ids = torch.tensor([[5, 6, 0], [7, 0, 0]]).to(device)
    lengths = torch.tensor([1, 0, 3]).to(device)
    buffer = torch.zeros(8, dtype=torch.long, device=device)
    buffer[:3] = lengths
    buffer += 1
    buffer[5] = 7
    table = torch.nn.Embedding(10, 4).to(device)
    found = {
        "all": (mask == 1).all().item(),
        "all of ones": torch.ones(4, 5, device=device).bool().all().item(),
        "boolean index": list(rows[numbers > 6].shape),
        "masked_select": list(torch.masked_select(rows, (numbers % 2 == 0)[:, None]).shape),
        "one_hot": list(F.one_hot(lengths).shape),
        "bincount": torch.bincount(torch.tensor([0, 5, 2]).to(device)).tolist(),
        "unique": [each.tolist() for each in torch.unique(ids, return_inverse=True, return_counts=True)],
        "unique rows": torch.unique(torch.tensor([[1, 2], [1, 2], [3, 4]]).to(device), dim=0).tolist(),
        "unique_consecutive": torch.unique_consecutive(torch.tensor([3, 3, 1, 1, 3]).to(device)).tolist(),
        "repeat_interleave": list(rows[:3].repeat_interleave(lengths, dim=0).shape),
        "nonzero": torch.nonzero(mask).tolist(),
        "where": [each.tolist() for each in torch.where(mask == 0)],
        "positions": (mask.cumsum(-1) - 1).masked_fill(mask == 0, 1).tolist(),
        "additive mask": torch.where(mask == 1, 0.0, -1e9).tolist(),
        "buffer": buffer.tolist(),
        "longest": int(mask.sum(-1).max()),
        "triangle": torch.tril(torch.ones(5, 5, device=device)).bool().sum().item(),
        "type of a product with a number": [str((x * 2.5).dtype) for x in (ids, rows.half(), rows.sum())],
        "sorted": [each.tolist() for each in torch.sort(torch.tensor([3, 1, 2]).to(device))],
        "equal": [torch.equal(mask, mask.clone()), torch.equal(numbers, numbers.flip(0))],
        "close": [torch.allclose(rows, rows + 1e-9), torch.allclose(rows.cumsum(0), rows.cumsum(0).flip(0), atol=1e-3)],
        "finite": torch.isfinite(rows @ rows.T).all().item(),
        "written to out": torch.cumsum(lengths, 0, out=torch.zeros(4, dtype=torch.long, device=device)[1:]).tolist(),
        "compared in place": torch.zeros(3, dtype=torch.long, device=device).lt_(1).tolist(),
        "in inference mode": inferred(device),
        "numbers beyond the type": [str((x * n).dtype) for x in (rows.half(), ids.to(torch.int8)) for n in (-1e9, 300)],
        "sparse tensor": sparse(device),
        "turned one_hot": F.one_hot(ids, 8).permute(2, 1, 0)[5].tolist(),
        "data": [buffer.data.tolist(), buffer.tolist()],
    }
    table(ids).sum().backward()
    found["ids after their use"] = ids.ne(0).sum(-1).tolist()
    return found

print(json.dumps([answers("cpu"), answers("cuda")]))
"""

STEP = """
import json, torch
model = torch.nn.Linear(8, 8).cuda()
optimizer = torch.optim.SGD(model.parameters(), 0.1)
def step(loss):
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
"""


def printed(run: Any) -> Any:
    return json.loads(run.stdout.strip().splitlines()[-1])


def test_sizes_that_depend_on_data_from_the_host_are_those_of_the_host(watched: Callable[..., Any]) -> None:
    host, device = printed(watched(SAME_ON_BOTH))
    assert device == host


# Numbers in every place where operators that are stood in front of take them.
NUMBERS = """
import json, operator, torch
binary = '''pow float_power add sub mul div rsub floor_divide remainder fmod bitwise_and bitwise_or bitwise_xor eq ne lt le
gt ge maximum minimum where isin searchsorted bucketize xlogy atan2 logical_and'''.split()
swapped = "__rsub__ __rtruediv__ __rpow__ __rfloordiv__ __rmod__ __rand__ __ror__ __rxor__ __rlshift__".split()

def attempt(call, *args, **kwargs):
    try:
        result = call(*args, **kwargs)
        return [str(result.dtype), list(result.shape)] if isinstance(result, torch.Tensor) else None
    except (RuntimeError, TypeError, NotImplementedError) as error:
        return "INTERNAL ASSERT" if "INTERNAL ASSERT" in str(error) else type(error).__name__

def answers(device):
    found = {}
    for x in (torch.arange(1, 5, device=device), torch.ones(4, device=device)):
        for number in (2, 2.5):
            kind = f"{x.dtype} {number}"
            for name in swapped:
                found[f"{name} {kind}"] = attempt(getattr(x, name), number)
            for name in binary:
                call = getattr(torch, name)
                for place, args in (("second", (x, number)), ("first", (number, x))):
                    found[f"{name} {kind} {place}"] = attempt(call, *args)
                    out = torch.empty(4, device=device, dtype=torch.float64)
                    found[f"{name} {kind} {place} out"] = attempt(call, *args, out=out)
            for name in ("where first", "where second"):
                args = (number, x) if name == "where first" else (x, number)
                found[f"{name} {kind}"] = attempt(torch.where, x > 2, *args)
    return found

print(json.dumps([answers("cpu"), answers("cuda")]))
"""


def test_numbers_are_taken_wherever_the_host_takes_them(watched: Callable[..., Any]) -> None:
    host, device = printed(watched(NUMBERS))
    assert not [name for name, answer in device.items() if answer == "INTERNAL ASSERT"]
    made = {name: answer for name, answer in device.items() if not name.endswith("out")}  # `out` takes fewer types there
    assert made == {name: host[name] for name in made}


def test_rotary_frequencies_are_made_on_the_card(watched: Callable[..., Any]) -> None:
    run = watched(STEP + """
with torch.device("cuda"):
    frequencies = 10000 ** -(torch.arange(0, 8, 2) / 8)
step(model(torch.ones(4, 8).cuda()).sum() * frequencies.sum())
print(json.dumps(frequencies.tolist()))
""")
    assert printed(run) == pytest.approx([1.0, 0.1, 0.01, 0.001])


@pytest.mark.parametrize(("how", "taken"), [("full", 64), ("none", 0), ("fraction:0.25", 16)])
def test_a_selection_by_unknown_values_takes_the_requested_share(
    watched: Callable[..., Any], how: str, taken: int
) -> None:
    run = watched(
        STEP + "out = model(torch.ones(8, 8).cuda())\nprint((out > 0).nonzero().shape[0])\nstep(out.sum())\n",
        "--unknown-sizes",
        how,
    )
    assert printed(run) == taken
    assert [(each["where"], int(each["elements"]), int(each["of"])) for each in run.events("assumed")] == [
        ("program.py:10", taken, 64)
    ]


def test_a_loss_neither_ends_training_early_nor_keeps_a_loop_alive(watched: Callable[..., Any]) -> None:
    run = watched(
        STEP
        + """
best, patience, steps = float("inf"), 0, 0
while steps < 6 and patience < 2:
    loss = model(torch.ones(4, 8).cuda()).pow(2).mean()
    step(loss)
    steps += 1
    patience = 0 if loss.item() < best else patience + 1
    best = min(best, loss.item())
    if not torch.isfinite(loss) or loss.item() < 1e-4:
        break
while model(torch.ones(4, 8).cuda()).sum().item() > 0.5:
    pass
print(steps)
""",
        "--steps",
        "all",
    )
    assert printed(run) == 6


def test_a_loss_scale_stays_what_it_is(watched: Callable[..., Any]) -> None:
    run = watched(
        STEP
        + """
scaler = torch.amp.GradScaler("cuda")
for _ in range(3):
    scaler.scale(model(torch.ones(4, 8).cuda()).sum()).backward()
    scaler.step(optimizer)
    scaler.update()
print(scaler.get_scale())
""",
        "--steps",
        "all",
    )
    assert run.steps() == 3
    assert printed(run) == 65536.0


def test_a_router_sends_every_expert_the_same_number_of_tokens(watched: Callable[..., Any]) -> None:
    run = watched(
        STEP
        + """
tokens = torch.ones(64, 8).cuda()
weights, chosen = torch.topk(model(tokens).softmax(-1), 2)
experts = torch.nn.functional.one_hot(chosen, 8).permute(2, 1, 0)
print(json.dumps([tokens[torch.where(experts[i])[1]].shape[0] for i in range(8)]))
step(weights.sum())
"""
    )
    assert printed(run) == [16] * 8
    assert {each["where"] for each in run.events("assumed")} == {"program.py:11"}


def test_a_router_of_many_experts_over_many_tokens_is_followed_as_well(watched: Callable[..., Any]) -> None:
    """One-hot choices of 8 of 128 experts for 16,384 tokens are 128 MiB; all tokens for each expert would be absurd."""
    run = watched(
        STEP
        + """
chosen = torch.topk(torch.empty(16384, 128, device="cuda").softmax(-1), 8).indices
experts = torch.nn.functional.one_hot(chosen, 128).permute(2, 1, 0)
hit = torch.greater(experts.sum(dim=(-1, -2)), 0).nonzero()
print(json.dumps([len(hit)] + [torch.where(experts[row[0]])[1].shape[0] for row in hit[:4]]))
step(model(torch.ones(8, 8).cuda()).sum())
"""
    )
    assert printed(run) == [128] + [1024] * 4


LARGE_CHOICES = """
import json, torch

def answers(device):
    index = (torch.arange(1_000_000) * 7 % 5).to(device).view(500, 2000)
    mask = torch.nn.functional.one_hot(index, 5)
    return {
        "part": mask[3, 7:12, :].tolist(),
        "column": mask[:, :, 2].sum().item(),
        "turned": mask.permute(2, 1, 0)[4, :3, 2].tolist(),
    }

print(json.dumps([answers("cpu"), answers("cuda")]))
"""


def test_views_of_large_one_hot_tensors_hold_what_they_hold_on_the_host(watched: Callable[..., Any]) -> None:
    host, device = printed(watched(LARGE_CHOICES))
    assert device == host


def test_a_large_one_hot_tensor_that_was_written_to_is_no_longer_known(watched: Callable[..., Any]) -> None:
    run = watched(
        STEP
        + """
mask = torch.nn.functional.one_hot(torch.zeros(500, 2000, dtype=torch.long, device="cuda"), 5)
before = torch.where(mask[0])[0].shape[0]
mask[0] = 1
print(json.dumps([before, torch.where(mask[0])[0].shape[0]]))
step(model(torch.ones(8, 8).cuda()).sum())
""",
        "--unknown-sizes",
        "none",
    )
    assert printed(run) == [2000, 0]


COUNTED = STEP + """
from torch.utils.checkpoint import checkpoint
layer = torch.nn.LayerNorm(512).cuda()

def block(x):
    h = x * layer.weight
    y = h * torch.rsqrt(h.pow(2).mean(-1, keepdim=True) + 1e-5)
    return (layer(y) + x).bfloat16().float() * torch.sigmoid(h) + (h * h).masked_fill(h > 1, 0.0)

def allocations(run):
    x = torch.ones(2048, 512, device="cuda", requires_grad=True)
    before = torch.cuda.memory_stats()["allocation.all.allocated"]
    torch.cuda.reset_peak_memory_stats()
    run(x).sum().backward()
    return [torch.cuda.memory_stats()["allocation.all.allocated"] - before, torch.cuda.max_memory_allocated()]

runs = [block, lambda x: checkpoint(block, x, use_reentrant=False), lambda x: checkpoint(block, x, use_reentrant=True)]
for run in runs:
    allocations(run)
followed = [allocations(run) for run in runs]
torch._C._dispatch_tls_set_dispatch_key_included("TESTING_ONLY_GenericMode", False)
print(json.dumps([followed, [allocations(run) for run in runs]]))
step(model(torch.ones(8, 8).cuda()).sum())
"""


def test_following_values_changes_no_allocation_of_a_backward_pass(watched: Callable[..., Any]) -> None:
    followed, unwatched = printed(watched(COUNTED))
    assert followed == unwatched


RECOMPUTED = STEP + """
from torch.utils.checkpoint import checkpoint
counts = []

def route(x):
    chosen = torch.topk(x.softmax(-1), 2).indices
    experts = torch.nn.functional.one_hot(chosen, 8).permute(2, 1, 0)
    counts.append(torch.where(experts[3])[0].shape[0])
    return model(x)

for reentrant in (True, False):
    checkpoint(route, torch.ones(64, 8, device="cuda", requires_grad=True), use_reentrant=reentrant).sum().backward()
print(json.dumps(counts))
optimizer.step()
"""


def test_values_are_followed_where_a_forward_pass_is_recomputed(watched: Callable[..., Any]) -> None:
    assert printed(watched(RECOMPUTED)) == [16] * 4


WRITTEN_OVER = STEP + """
def written(write):
    known = torch.zeros(64, 8, device="cuda")
    with torch.no_grad():
        write(known)
    return (known > 0).nonzero().shape[0]

x, large = torch.ones(64, 8, device="cuda"), torch.zeros(4 << 20, dtype=torch.long, device="cuda")
large.copy_(torch.ones(4 << 20, dtype=torch.long))
print(json.dumps([
    written(lambda out: torch.mm(model(x), model.weight, out=out)),
    written(lambda out: out.addmm_(model(x), model.weight)),
    written(lambda out: out.lerp_(model(x), 0.5)),
    written(lambda out: out.addcmul_(model(x), x)),
    written(lambda out: out.exponential_()),
    large[:512].nonzero().shape[0],
]))
step(model(torch.ones(8, 8).cuda()).sum())
"""


def test_what_is_written_over_is_not_taken_for_what_was_there(watched: Callable[..., Any]) -> None:
    assert printed(watched(WRITTEN_OVER)) == [512] * 6


THREADS = STEP + """
import threading
counts = []
mask = torch.tensor([1, 0, 1]).cuda()
thread = threading.Thread(target=lambda: counts.append((mask + mask).nonzero().shape[0]))
thread.start()
thread.join()
print(json.dumps(counts))
step(model(torch.ones(8, 8).cuda()).sum())
"""


def test_values_are_followed_in_threads_of_the_program(watched: Callable[..., Any]) -> None:
    assert printed(watched(THREADS)) == [2]


ATTENTION = """
import torch
from transformers import GPT2Config, GPT2LMHeadModel
model = GPT2LMHeadModel(GPT2Config(n_layer=2, n_embd=128, n_head=2, vocab_size=500)).cuda().bfloat16()
ids = torch.randint(0, 500, (4, 64))
mask = torch.ones_like(ids)
mask[0, {padding}:] = 0
model(input_ids=ids.cuda(), attention_mask=mask.cuda(), labels=ids.cuda()).loss.backward()
torch.optim.SGD(model.parameters(), 0.1).step()
"""


@pytest.mark.parametrize(
    ("padding", "kernel", "other"), [(64, "flash_fwd", "fmha_cutlassF"), (40, "fmha_cutlassF", "flash_fwd")]
)
def test_attention_takes_the_kernel_that_the_mask_calls_for(
    watched: Callable[..., Any], padding: int, kernel: str, other: str
) -> None:
    run = watched(ATTENTION.format(padding=padding))
    launched = " ".join(str(event) for process in run.processes for event in process)
    assert kernel in launched
    assert other not in launched


DETECTOR = """
import json, torch, torchvision

def heads(device):
    torch.manual_seed(0)
    model = torchvision.models.detection.{name}(
        weights=None, weights_backbone=None, num_classes=5, min_size=96, max_size=128
    ).to(device)
    rows = []
    model.roi_heads.box_head.register_forward_pre_hook(lambda module, args: rows.append(args[0].shape[0]))
    boxes = torch.tensor([[10.0, 10, 40, 60], [20, 30, 80, 90]])
    target = {{"boxes": boxes, "labels": torch.tensor([1, 2]), "masks": torch.ones(2, 96, 96, dtype=torch.uint8)}}
    images = [torch.rand(3, 96, 96).to(device) for _ in range(2)]
    losses = model(images, [{{key: value.to(device) for key, value in target.items()}} for _ in images])
    sum(losses.values()).backward()
    torch.optim.SGD(model.parameters(), 0.1).step()
    return rows

print(json.dumps([heads("cpu"), heads("cuda")]))
"""


@pytest.mark.parametrize("name", ["fasterrcnn_resnet50_fpn", "maskrcnn_resnet50_fpn"])
def test_a_detector_samples_as_many_regions_as_on_the_host(watched: Callable[..., Any], name: str) -> None:
    host, device = printed(watched(DETECTOR.format(name=name)))
    assert device == host


def test_a_router_of_many_tokens_is_balanced_too(watched: Callable[..., Any]) -> None:
    run = watched(
        STEP
        + """
chosen = torch.topk(model(torch.ones(65536, 8).cuda()), 2)[1]
print(json.dumps(torch.bincount(chosen.flatten(), minlength=8).tolist()))
step(model(torch.ones(8, 8).cuda()).sum())
"""
    )
    assert printed(run) == [16384] * 8


def test_integers_that_nobody_computed_read_as_zero_and_are_named(watched: Callable[..., Any]) -> None:
    run = watched(STEP + "out = model(torch.ones(8, 8).cuda())\nprint((out > 0).sum().item())\nstep(out.sum())\n")
    assert printed(run) == 0
    assert {(each["what"], each["where"]) for each in run.events("assumed")} == {
        ("unknown integers read as 0", "program.py:10")
    }


def test_a_check_inside_pytorch_passes_for_values_that_nobody_computed(watched: Callable[..., Any]) -> None:
    run = watched(STEP + """
window = torch.hann_window(400).cuda()
spectrum = torch.stft(torch.ones(2, 16000).cuda(), 400, 160, window=window, return_complex=True)
print(json.dumps(list(torch.istft(spectrum, 400, 160, window=window, length=16000).shape)))
step(model(torch.ones(8, 8).cuda()).sum())
""")
    assert printed(run) == [2, 16000]


MANY_LARGE = STEP + """
kept = [torch.arange(1 << bits).cuda() for bits in (20, 16, 12, 8, 4, 0) for _ in range(40)]  # 340 MiB in all
ids = torch.tensor([3, 1, 2]).cuda()
print(json.dumps([ids.max().item(), (ids > 1).nonzero().shape[0], kept[39].max().item()]))
step(model(torch.ones(8, 8).cuda()).sum())
"""


def test_many_large_tensors_of_integers_do_not_crowd_out_small_ones(watched: Callable[..., Any]) -> None:
    assert printed(watched(MANY_LARGE)) == [3, 2, (1 << 20) - 1]


# What is written by kernels that nobody followed, or again at every replay of a graph, must not look known.
UNSEEN = """
import json, torch
def add(x):
    x.add_(3)
    return x + 1
@torch.library.custom_op("seen::nowhere", mutates_args=("x",))
def nowhere(x: torch.Tensor) -> None:
    x.data_ptr()
compiled, custom, resized = (torch.ones(4, dtype=torch.long, device="cuda") for _ in range(3))
torch.compile(add)(compiled)
nowhere(custom)
resized.resize_(64)
static = torch.zeros(4, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    captured = (static == 0).sum()
graph.replay()
print(json.dumps([x.sum().item() for x in (compiled, custom, resized, captured)]))
torch.optim.SGD([torch.nn.Parameter(static)], 0.1).step()
"""


def test_writes_that_nobody_follows_make_values_unknown(watched: Callable[..., Any]) -> None:
    run = watched(UNSEEN)
    assert printed(run) == [0, 0, 0, 0]
    assert "hooks.error" not in run.notes()


# A compiled function with a break in it: what runs between its parts runs with the compiler on.
BROKEN_GRAPH = STEP + """
import torch._dynamo
mask = torch.tensor([1, 0, 1]).cuda()
found = torch.compile(lambda m: m.nonzero() * 2)(mask).shape[0]
step(model(torch.ones(8, 8).cuda()).sum())
breaks = map(str, torch._dynamo.utils.counters["graph_break"])
print(json.dumps([found, [each for each in breaks if "redispatch" in each]]))
"""


def test_compiling_leaves_the_hooks_alone(watched: Callable[..., Any]) -> None:
    assert printed(watched(BROKEN_GRAPH)) == [2, []]


def test_a_default_type_on_the_device_costs_the_program_nothing(watched: Callable[..., Any]) -> None:
    run = watched(
        STEP
        + """
def allocations():
    before = torch.cuda.memory_stats()["allocation.all.allocated"]
    mask = torch.tensor([1, 1, 0], device="cpu").cuda()
    (mask * 2 == 2).nonzero()
    return torch.cuda.memory_stats()["allocation.all.allocated"] - before
allocations()
plain = allocations()
torch.set_default_tensor_type("torch.cuda.FloatTensor")
default = allocations()
step(model(torch.ones(8, 8)).sum())
print(json.dumps([plain, default]))
"""
    )
    plain, default = printed(run)
    assert plain == default


ASSIGNED = """
import json, torch

def results(device):
    places, chosen = torch.tensor([0, 2], device=device), torch.tensor([True, False, True, False], device=device)
    by_place, by_mask = torch.ones(4, device=device), torch.arange(4, device=device)
    by_place[places] = 5
    by_mask[chosen] = torch.tensor([7, 8], device=device)
    padded = torch.nn.functional.pad(torch.arange(3, device=device), (1, 1), value=9)
    number = torch.scalar_tensor(3.0, device=device)
    made = [by_place, by_mask, padded, number, torch.tril_indices(3, 3, device=device), torch.triu_indices(2, 3, device=device)]
    return [each.tolist() for each in made]

print(json.dumps([results("cpu"), results("cuda")]))
"""


def test_what_is_assigned_through_an_index_is_known(watched: Callable[..., Any]) -> None:
    host, device = printed(watched(ASSIGNED))
    assert device == host
