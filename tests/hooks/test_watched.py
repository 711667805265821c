# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""The hooks at work: programs under `dryfit run`, judged by what their processes recorded."""

from __future__ import annotations

import os
import pickle

import pytest

pytestmark = pytest.mark.torch

TRAIN = """
import atexit, torch
from torch import nn
atexit.register(lambda: print("atexit ran"))
model = nn.Sequential(nn.Linear(2048, 2048), nn.ReLU(), nn.Linear(2048, 10)).cuda()
optimizer = torch.optim.AdamW(model.parameters())
try:
    for step in range({steps}):
        for _ in range(2):
            model(torch.randn(64, 2048, device="cuda")).sum().backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()
        print("after step", step)
finally:
    print("finally ran")
"""


def test_a_program_ends_after_the_requested_steps_and_never_notices(watched):
    run = watched(TRAIN.format(steps=100))
    assert (run.code, run.steps(), run.notes()["stop.reason"]) == (0, 3, "steps")
    assert "after step 1" in run.stdout and "after step 2" not in run.stdout
    assert "finally ran" not in run.stdout and "atexit ran" not in run.stdout


def test_a_program_that_ends_by_itself_is_reported_on(watched):
    run = watched(TRAIN.format(steps=2), "--steps", "all")
    assert (run.steps(), "stop.reason" in run.notes()) == (2, False)
    assert "atexit ran" in run.stdout
    assert max(run.values("torch.peak_reserved_bytes")) >= max(run.values("torch.peak_allocated_bytes")) > 64 << 20


def test_the_software_is_named_and_no_hook_fails(watched):
    notes = watched(TRAIN.format(steps=100)).notes()
    assert notes["hooks.ready"] == "1" and "hooks.error" not in notes
    assert not any(key.startswith("tuning.") for key in notes)
    assert notes["software.torch"].startswith("2.") and notes["software.cuda"].count(".") == 1
    assert notes["software.python"].count(".") == 2 and notes["software.cudnn"].startswith("9.")


def test_phases_distinguish_accumulated_passes_clipping_and_the_optimizer(watched):
    passes = ["forward", "backward", "other"] * 2 + ["optimizer"]
    assert watched(TRAIN.format(steps=100), "--steps", "2").phases() == ["load", *passes, *passes]


def test_what_is_reserved_after_loading_is_the_model_alone(watched):
    reserved = watched(TRAIN.format(steps=100)).values("torch.reserved_after_load_bytes")
    assert 16 << 20 <= reserved[-1] <= 24 << 20


def test_the_memory_history_names_the_lines_of_the_program_and_not_ours(watched):
    run = watched(TRAIN.format(steps=100))
    assert len(run.histories) == 1
    entries = pickle.loads(run.histories[0].read_bytes())["device_traces"][0]
    files = {frame["filename"] for entry in entries for frame in entry.get("frames", ())}
    assert any(name.endswith("program.py") for name in files)
    assert not any("_dryfit_hooks" in name for name in files)


def test_without_history_none_is_written(watched):
    assert watched(TRAIN.format(steps=100), "--no-history").histories == []


def test_a_program_that_records_for_itself_finds_only_its_own_recording(watched):
    run = watched(
        """
        import torch
        before = torch.ones(1 << 20, device="cuda")
        torch.cuda.memory._record_memory_history(max_entries=1000)
        after = torch.ones(1 << 20, device="cuda")
        trace = torch.cuda.memory._snapshot()["device_traces"][0]
        print("allocations", sum(entry["action"] == "alloc" for entry in trace))
        """
    )
    assert "allocations 1" in run.stdout
    assert run.histories == [] and run.notes()["history.owner"] == "program"


GAN = """
import torch
from torch import nn
critic, generator = nn.Linear(256, 256).cuda(), nn.Linear(256, 256).cuda()
of_critic = torch.optim.Adam(critic.parameters())
of_generator = torch.optim.Adam(generator.parameters())
unused = torch.optim.Adam(nn.Linear(8, 8).parameters())
for step in range(100):
    for _ in range({critic_steps}):
        of_critic.zero_grad()
        critic(generator(torch.randn(8, 256, device="cuda"))).sum().backward()
        of_critic.step()
    of_generator.zero_grad()
    critic(generator(torch.randn(8, 256, device="cuda"))).sum().backward()
    print("generator steps", step + 1)
    of_generator.step()
"""


@pytest.mark.parametrize("critic_steps", [1, 5])
def test_all_optimizers_of_a_program_take_the_requested_steps(watched, critic_steps):
    run = watched(GAN.format(critic_steps=critic_steps))
    assert run.steps() == 3 * critic_steps
    assert "generator steps 3" in run.stdout and "generator steps 4" not in run.stdout


def test_an_optimizer_on_a_device_that_never_steps_does_not_hold_the_end_up_for_ever(watched):
    idle = "from torch import nn, optim\nidle = optim.SGD(nn.Linear(8, 8).cuda().parameters())\n"
    run = watched(idle + TRAIN.format(steps=100))
    assert 3 < run.steps() < 100


def test_gradient_scaling_schedulers_and_closures_count_one_step_each(watched):
    run = watched(
        """
        import torch
        from torch import nn
        model = nn.Linear(256, 256).cuda()
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1)
        scaler = torch.amp.GradScaler("cuda")

        def closure():
            optimizer.zero_grad()
            loss = model(torch.randn(8, 256, device="cuda")).sum()
            loss.backward()
            return loss

        with torch.autocast("cuda"):
            loss = model(torch.randn(8, 256, device="cuda")).sum()
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
        scheduler.step()
        optimizer.step(closure)
        """,
        "--steps",
        "all",
    )
    assert run.steps() == 2


def test_an_optimizer_inside_another_and_one_on_the_host_are_not_counted(watched):
    run = watched(
        """
        import torch
        from torch import nn
        model, small = nn.Linear(256, 256).cuda(), nn.Linear(4, 4)

        class Outer(torch.optim.Optimizer):
            def __init__(self, params):
                params = list(params)
                super().__init__(params, {})
                self.inner = torch.optim.SGD(params, lr=0.1)

            def step(self, closure=None):
                self.inner.step()
                self.inner.step()

        optimizer, other = Outer(model.parameters()), torch.optim.SGD(small.parameters(), lr=0.1)
        for step in range(100):
            model(torch.randn(8, 256, device="cuda")).sum().backward()
            for _ in range(7):
                other.step()
            print("outer steps", step + 1)
            optimizer.step()
        """
    )
    assert run.steps() == 3
    assert "outer steps 3" in run.stdout and "outer steps 4" not in run.stdout


def test_a_compiled_optimizer_step_is_counted(watched):
    run = watched(
        """
        import torch
        from torch import nn
        model = nn.Linear(256, 256).cuda()
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        step = torch.compile(lambda: optimizer.step(), backend="eager")
        for _ in range(100):
            optimizer.zero_grad()
            model(torch.randn(8, 256, device="cuda")).sum().backward()
            step()
        """
    )
    assert (run.steps(), run.notes()["stop.reason"]) == (3, "steps")


def test_an_out_of_memory_error_is_the_programs_own_and_is_recorded(watched):
    run = watched(
        """
        import torch
        kept = []
        while True:
            kept.append(torch.empty(1 << 30, dtype=torch.uint8, device="cuda"))
        """
    )
    assert run.code == 3
    assert "OutOfMemoryError" in run.stdout and "_dryfit_hooks" not in run.stdout
    assert [int(event["requested"]) for event in run.events("out_of_memory")] == [1 << 30]
    assert run.values("torch.ooms")[-1] == 1


def test_the_peak_survives_resets_by_the_program(watched):
    run = watched(
        """
        import torch
        large = torch.empty(4 << 30, dtype=torch.uint8, device="cuda")
        del large
        torch.cuda.empty_cache()
        torch.cuda.reset_peak_memory_stats()
        torch.cuda.reset_max_memory_allocated()
        print("own peak", torch.cuda.max_memory_reserved())
        """
    )
    assert "own peak 0" in run.stdout
    assert run.values("torch.peak_reserved_bytes")[-1] == 4 << 30


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_dataloader_workers_leave_no_complaint_when_the_program_is_left(watched, method):
    run = watched(
        f"""
        import torch
        from torch.utils.data import DataLoader, TensorDataset
        if __name__ == "__main__":
            model = torch.nn.Linear(8, 8).cuda()
            optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
            loader = DataLoader(TensorDataset(torch.randn(64, 8)), num_workers=2, multiprocessing_context="{method}")
            for batch, in loader:
                model(batch.cuda()).sum().backward()
                optimizer.step()
        """
    )
    assert (run.code, run.steps()) == (0, 3)
    assert "resource_tracker" not in run.stdout and "Traceback" not in run.stdout


def test_torchrun_stops_as_well(watched, torch_python, tmp_path):
    program = str(tmp_path / "program.py")
    command = [str(torch_python), "-m", "torch.distributed.run", "--standalone", "--nproc-per-node=1", program]
    run = watched(TRAIN.format(steps=100), command=command)
    assert (run.code, run.steps()) == (0, 3)


def test_initialisation_is_skipped_by_default(watched):
    program = """
        import torch
        print("sum", torch.nn.Linear(1024, 1024).weight.abs().sum().item() > 0)
        torch.ones(1, device="cuda")
        """
    assert "sum False" in watched(program).stdout


def test_initialisation_is_kept_on_request(watched):
    program = """
        import torch
        print("sum", torch.nn.Linear(1024, 1024).weight.abs().sum().item() > 0)
        torch.ones(1, device="cuda")
        """
    assert "sum True" in watched(program, "--keep-init").stdout


PROFILED = """
import torch
from torch.profiler import ProfilerActivity, profile
model = torch.nn.Linear(64, 64).cuda()
optimizer = torch.optim.SGD(model.parameters(), 0.1)
with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA], profile_memory=True) as profiler:
    for _ in range(2):
        model(torch.randn(8, 64, device="cuda")).sum().backward()
        optimizer.step()
print("operators:", len(profiler.key_averages()) > 3)
"""


def test_a_program_that_profiles_the_device_gets_the_host_side(watched):
    run = watched(PROFILED, "--steps", "all")
    assert (run.code, run.steps()) == (0, 2)
    assert "operators: True" in run.stdout
    assert run.notes()["profiler.device_activities"] == "left out" and "hooks.error" not in run.notes()


def test_a_program_that_lets_cudnn_choose_by_timing_is_noted(watched):
    notes = watched("import torch\ntorch.backends.cudnn.benchmark = True\n" + TRAIN.format(steps=100)).notes()
    assert notes["tuning.cudnn_benchmark"] == "1" and "hooks.error" not in notes


AUTOGRAD_STATES = """
import os, torch

def autograd_states():
    threads = [f"/proc/self/task/{thread}/" for thread in os.listdir("/proc/self/task")]
    return [open(thread + "stat").read().rpartition(")")[2].split()[0]
            for thread in threads if open(thread + "comm").read().startswith("pt_autograd_")]

x = torch.ones(8, requires_grad=True, device="cuda")
states = []
for _ in range(50):
    (x * 2).sum().backward()
    states += autograd_states()
    torch.autograd.grad((x * 3).sum(), x)
    states += autograd_states()
print(len(states), set(states))
"""


def test_what_a_backward_pass_frees_is_freed_when_the_program_goes_on(watched):
    assert watched(AUTOGRAD_STATES).stdout == "100 {'S'}\n"


def test_what_torch_compile_caches_is_of_the_run_and_goes_with_it(watched, tmp_path, monkeypatch):
    monkeypatch.setenv("TORCHINDUCTOR_CACHE_DIR", str(tmp_path / "tuned"))
    run = watched("""
        import os
        os.makedirs(os.environ["TORCHINDUCTOR_CACHE_DIR"], exist_ok=True)
        print(os.environ["TORCHINDUCTOR_CACHE_DIR"])
    """)
    cache = run.stdout.strip()
    assert cache.endswith("/inductor") and not os.path.exists(cache)
    assert not (tmp_path / "tuned").exists()
