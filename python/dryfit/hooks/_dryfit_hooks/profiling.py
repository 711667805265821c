# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Restricts PyTorch's profiler to the host. It records the device through NVIDIA's CUPTI, which looks into the real
driver and finds nothing here: older versions report an error on stderr, newer ones crash.
"""

from __future__ import annotations

import functools
import importlib
from typing import Any, Callable

from . import guest
from .patching import Patch


class HostProfiling:
    def __init__(self, torch: Any) -> None:
        self._device = torch.profiler.ProfilerActivity.CUDA

    def install(self) -> None:
        profiler = importlib.import_module("torch.autograd.profiler")
        for name in ("_prepare_profiler", "_enable_profiler"):
            Patch(profiler, name, self._without_device)

    def _without_device(self, original: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(original)
        def start(config: Any, activities: Any, *args: Any, **kwargs: Any) -> Any:
            if self._device in activities:
                guest.note("profiler.device_activities", "left out")
                activities = {activity for activity in activities if activity != self._device}
            return original(config, activities, *args, **kwargs)

        return start
