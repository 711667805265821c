# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Puts the parts together once torch is there."""

from __future__ import annotations

from typing import Any, Mapping

from _dryfit_hooks import guest, software
from _dryfit_hooks.ending import Ending
from _dryfit_hooks.patching import quietly
from _dryfit_hooks.phases import Phases
from _dryfit_hooks.steps import StepCounter

from . import cuda_module, generators, loading, python_functions, settings
from .annotations import Annotations
from .device_mode import DeviceMode
from .facts import Facts
from .modules import ModuleNames
from .recording import Recording
from .residency import Residency
from .telling import Telling


@quietly
def install(torch: Any, environment: Mapping[str, str]) -> None:
    wanted = settings.from_environment(environment)
    telling = Telling(wanted.folder)
    guest.report_to(telling)
    software.note_torch(torch)
    annotations = Annotations(torch)
    residency = Residency(torch)
    mode = DeviceMode(torch, residency, annotations)
    recording = Recording(torch, wanted.folder, annotations)
    modules = ModuleNames(torch, annotations)
    facts = Facts(torch, telling, modules, environment)

    def phase(name: str) -> None:
        mode.in_backward = name == "backward"

    telling.on_phase = phase
    phases = Phases(torch, [], lambda: None)
    ending = Ending([software.note_libraries, lambda: recording.save(facts.collect)], lambda: None)
    steps = StepCounter(torch, wanted.steps, phases, [residency.forget_the_dead], [facts.step_completed], ending.stop)
    for part in (
        lambda: cuda_module.install(torch),
        lambda: generators.install(torch),
        lambda: loading.install(torch, residency),
        lambda: python_functions.see_inside(torch),
        facts.install,
        modules.install,
        phases.install,
        steps.install,
        ending.install,
        recording.begin,
        mode.__enter__,
    ):
        quietly(part)()
    guest.note("hooks.ready", "1")
