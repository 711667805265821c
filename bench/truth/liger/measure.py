# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""How the published peaks were taken: reset the peak, call, read the peak, until nothing changes."""

from __future__ import annotations

import gc
from typing import Any, Callable, Optional

import torch
from torch import nn

from .row import DEVICE, Row, Task

CALLS = 3  # from the second on every call finds the gradients of the one before
# The older benchmarks of the other operations measured "full" whatever the mode.
WITH_MODES = ("fused_moe", "geglu", "softmax", "swiglu")
# The shared benchmarks of these operations run the eager provider before Liger's.
EAGER_FIRST = (
    *("embedding", "fused_add_rms_norm", "fused_linear_jsd", "jsd", "kl_div", "llama4_rope", "poly_norm"),
    *("qwen2vl_mrope", "rms_norm", "rope", "softmax", "sparsemax", "swiglu", "tvd"),
)
FULL_FIRST = ("geglu", "group_norm", "jsd")  # of the modes; the others begin with forward
TIMER_BUFFER = 256 * 2**20  # Triton's do_bench keeps a buffer of this size to empty the cache between calls

Builder = Callable[[Row], Task]


def steady_peak(call: Callable[[], object]) -> int:
    peak = 0
    for _ in range(CALLS):
        torch.cuda.reset_peak_memory_stats()
        call()
        peak = torch.cuda.max_memory_allocated()
    return peak


def backward(task: Task, output: torch.Tensor) -> None:
    if task.gradient == "random":
        output.backward(torch.randn_like(output), retain_graph=task.retain_graph)
    else:
        output.backward(task.given, retain_graph=task.retain_graph)


def full_call(task: Task) -> Callable[[], None]:
    if task.full:
        return task.full

    def full() -> None:
        y = task.forward()
        backward(task, y)

    return full


def measure(task: Task, row: Row) -> int:
    mode = row.mode if row.op in WITH_MODES or row.shared else "full"
    if mode == "forward":
        return steady_peak(task.forward)
    if mode == "backward":
        y = task.forward()
        gradient = torch.randn_like(y) if task.gradient == "random" else task.given
        return steady_peak(lambda: y.backward(gradient, retain_graph=True))
    return steady_peak(full_call(task))


def time_row(task: Task, mode: str) -> None:
    call = task.forward if mode == "forward" else full_call(task)
    buffer = torch.empty(TIMER_BUFFER, dtype=torch.int8, device=DEVICE)
    for _ in range(2):
        call()
    del buffer


def play_the_timing(build: Builder, rows: list[Row]) -> None:
    """What a benchmark's process did before any peak was taken: it timed every size, mode by mode.

    It matters twice. Libraries keep what they took: cuBLAS its workspaces of the main and of the autograd thread. And
    PyTorch keeps the freed blocks: whether a request that is no multiple of 2 MiB gets a block that is cut to size or
    one that is up to 1 MiB too large, and counted so, depends on which blocks are there.
    """
    for mode in ("full", "forward") if rows[0].op in FULL_FIRST else ("forward", "full"):
        play_the_other_provider(build, rows)
        for row in rows:
            task = build(row)
            time_row(task, mode)
            del task
            gc.collect()


def play_the_other_provider(build: Builder, rows: list[Row]) -> None:
    """Its inputs only, and only where it comes first."""
    if rows[0].shared and rows[0].op in EAGER_FIRST:
        return
    for row in rows:
        build(row)
        gc.collect()


def modules_of(build: Builder, rows: list[Row], mode: str) -> list[Optional[nn.Module]]:
    """The modules, with gradients where the mode makes some; nothing else of the tasks."""
    modules = []
    for row in rows:
        task = build(row)
        if mode != "forward":
            full_call(task)()
        modules.append(task.module)
        del task
        gc.collect()
    return modules


def measure_sweep(build: Builder, rows: list[Row]) -> list[int]:
    play_the_other_provider(build, rows)
    peaks = []
    for row in rows:
        peaks.append(measure(build(row), row))
        gc.collect()
    return peaks


def measure_process(build: Builder, sweeps: list[list[Row]], compiled: str) -> list[list[int]]:
    """The peaks in bytes of all sweeps of a process, which timed everything first.

    compiled: which modules of a provider that compiles them were never freed, as far as measured: "gone" none, "timed"
    those of the timing, "recent" those of the last sweep's timing and of the sweeps measured before.
    """
    held = []
    timed: list[dict[str, Any]] = []
    for rows in sweeps:
        if rows[0].config in timed:
            continue
        timed.append(rows[0].config)
        play_the_timing(build, rows)
        if compiled == "timed":
            held += modules_of(build, rows, "full")
    if compiled == "recent":
        held += modules_of(build, sweeps[-1], "forward") + modules_of(build, sweeps[-1], "full")
    peaks = []
    for rows in sweeps:
        peaks.append(measure_sweep(build, rows))
        if compiled == "recent":
            held += modules_of(build, rows, "full")
    return peaks
