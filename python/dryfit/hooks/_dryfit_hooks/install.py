# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Connects the parts once torch has been imported."""

from __future__ import annotations

import os
from typing import Any, Callable, List

from . import guest, settings, software
from .autograd_threads import AutogradThreads
from .cap import Cap
from .empty_batches import EmptyBatches
from .ending import Ending
from .history import History
from .initialisation import SkippedInitialisation
from .load import LoadWatch, report_reserved
from .lowered_graphs import LoweredGraphs
from .memory import MemoryStatistics
from .patching import quietly
from .phases import Phases
from .profiling import HostProfiling
from .steps import StepCounter
from .temporary_folders import SharedFolder
from .tuning import TuningWatch
from .until_text import UntilText
from .values import Values, Waiting


@quietly
def install(torch: Any) -> None:
    if not guest.connect():
        return
    software.note_torch(torch)
    if torch.version.cuda is not None:
        _install_for_cuda(torch, settings.from_environment(os.environ))
    guest.note("hooks.ready", "1")


def _install_for_cuda(torch: Any, wanted: settings.Settings) -> None:
    memory = MemoryStatistics(torch)
    load = LoadWatch(torch, lambda tensor: tensor.is_cuda, lambda: report_reserved(memory))
    tuning = TuningWatch(torch)
    parts = [memory, load, HostProfiling(torch), tuning, SharedFolder()]
    if wanted.memory_fraction is not None:
        parts.append(Cap(torch, wanted.memory_fraction))
    parts.append(LoweredGraphs(torch, wanted.run_directory))
    autograd = AutogradThreads()
    ending = Ending([software.note_libraries, memory.report], autograd.wait_until_at_rest)
    on_completed: List[Callable[[], None]] = []
    on_entered: List[Callable[[str], None]] = []
    if wanted.memory_history:
        history = History(torch, wanted.run_directory)
        ending.reports.append(history.dump)
        parts.append(history)
    if wanted.memory_history and wanted.explain:
        from .explain import Explaining

        explaining = Explaining(torch, wanted.run_directory)
        history.on_snapshot.append(explaining.write)
        memory.on_out_of_memory.append(explaining.out_of_memory)
        on_completed.append(explaining.step_completed)
        on_entered.append(explaining.phase_entered)
        parts.append(explaining)
    if wanted.count_flops:
        from .compute import Flops

        flops = Flops(torch)
        ending.reports.append(flops.report)
        on_completed.append(flops.step_completed)
        parts.append(flops)
    first_forward = [load.end]
    if not wanted.keep_initialisation:
        skipped = SkippedInitialisation(torch)
        first_forward.append(skipped.end)
        parts.append(skipped)
    phases = Phases(torch, first_forward, autograd.wait_until_at_rest, on_entered)
    batches = EmptyBatches(torch)
    phases.on_forward.append(batches.pass_begins)
    ending.reports.append(batches.report)
    on_step = [software.note_libraries, memory.report, tuning.look]
    if wanted.memory_history and wanted.may_time_out:
        on_step.append(history.dump)
    if wanted.until_text:
        parts.append(UntilText(wanted.until_text, lambda: ending.stop("text")))
    limits = wanted.steps, wanted.most_steps, memory.peak_reserved
    steps = StepCounter(torch, *limits, phases, on_step, on_completed, ending.stop)
    ending.before_end.append(steps.finish)
    waiting = Waiting(ending.give_up)
    on_completed.append(waiting.step_completed)
    values = Values(torch, wanted.unknown_sizes, steps.writes, waiting)
    for part in (*parts, values, phases, steps, ending):
        quietly(part.install)()
    quietly(torch.cuda._lazy_call)(quietly(lambda: software.note_cudnn(torch)))
