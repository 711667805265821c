# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Connects the parts once torch has been imported."""

from __future__ import annotations

from typing import Any, Dict, Mapping, Optional

from _dryfit_hooks import guest, software
from _dryfit_hooks.ending import Ending
from _dryfit_hooks.load import LoadWatch
from _dryfit_hooks.patching import quietly
from _dryfit_hooks.phases import Phases
from _dryfit_hooks.steps import StepCounter

from . import cuda_module, generators, loading, programs_profiler, python_functions, settings
from .annotations import Annotations
from .autocasting import Autocasting
from .backward import BackwardPasses
from .device_mode import DeviceMode
from .facts import Facts
from .gpu_kernels import GpuKernels
from .hook_log import HookLog
from .modules import ModuleNames
from .recording import Recording
from .residency import Residency
from .smaller_batches import SmallerBatches


@quietly
def install(torch: Any, environment: Mapping[str, str]) -> None:
    wanted = settings.from_environment(environment)
    log = HookLog(wanted.folder)
    guest.report_to(log)
    software.note_torch(torch)
    annotations = Annotations(torch)
    residency = Residency(torch)
    mode = DeviceMode(torch, residency, annotations)
    passes = BackwardPasses(mode, annotations)
    recording = Recording(torch, wanted.folder, annotations)
    modules = ModuleNames(torch, annotations)
    autocasting = Autocasting(torch)
    mode.casting = autocasting.cast
    batches = SmallerBatches(wanted.batch, log) if wanted.batch else None
    facts = Facts(torch, log, modules, environment)
    facts.more = lambda: further_facts(autocasting, batches, phases.compiles)
    load = LoadWatch(torch, residency.includes, annotations.loaded)
    phases = Phases(torch, [load.end], lambda: None, [])
    ending = Ending([software.note_libraries, lambda: recording.save(facts.collect)], lambda: None)
    # The CPU has no reserved peak that could grow, so the number of steps is the one given.
    on_step, on_completed = [residency.forget_the_dead], [facts.step_completed]
    steps = StepCounter(torch, wanted.steps, None, lambda: 0, phases, on_step, on_completed, ending.stop)
    for part in (
        lambda: cuda_module.install(torch),
        lambda: generators.install(torch),
        lambda: loading.install(torch, residency),
        lambda: python_functions.see_inside(torch),
        autocasting.install,
        GpuKernels(torch, mode).install,
        batches.install if batches else lambda: None,
        facts.install,
        modules.install,
        load.install,
        lambda: passes.install(torch),
        phases.install,
        steps.install,
        ending.install,
        recording.begin,
        programs_profiler.install,
        mode.install,
    ):
        quietly(part)()
    guest.note("hooks.ready", "1")


def further_facts(autocasting: Autocasting, batches: Optional[SmallerBatches], compiles: bool) -> Dict[str, Any]:
    facts: Dict[str, Any] = {
        "autocast": autocasting.last,
        "compiles": compiles,
        "ran_foreach": True,
        "ran_native_dropout": True,
        "ran_cuda_attention": True,
    }
    if batches is not None:
        facts["shrunk"] = {"batch": batches.batch, "from": batches.full}
    return facts
