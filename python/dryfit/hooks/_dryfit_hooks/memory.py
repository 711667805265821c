# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""PyTorch's own memory statistics, for each device the program has used.

The program may reset PyTorch's peaks for its own purposes; earlier peaks are folded in here, so that the reported peak
is that of the whole run.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable, Dict, Iterator, List, Tuple

from . import guest
from .patching import Patch, around, quietly


@dataclass
class _Past:
    """What a reset would have forgotten."""

    peak_reserved: int = 0
    peak_allocated: int = 0
    alloc_retries: int = 0
    ooms: int = 0


class MemoryStatistics:
    def __init__(self, torch: Any) -> None:
        self._torch = torch
        self.on_out_of_memory: List[Callable[[], None]] = []
        self._past: Dict[int, _Past] = {}
        self._reported: Dict[Tuple[str, int], int] = {}

    def install(self) -> None:
        for name in ("_cuda_resetPeakMemoryStats", "_accelerator_resetPeakStats"):
            self._watch(name, self._fold_peaks)
        for name in ("_cuda_resetAccumulatedMemoryStats", "_accelerator_resetAccumulatedStats"):
            self._watch(name, self._fold_counts)
        self._torch.cuda._lazy_call(self._attach_observer)

    def used_devices(self) -> Iterator[Tuple[int, Dict[str, Any]]]:
        """Devices on which PyTorch has memory, or failed to get it, with its statistics. Never initialises CUDA."""
        if not self._torch.cuda.is_initialized():
            return
        for device in range(self._torch.cuda.device_count()):
            statistics = self._torch._C._cuda_memoryStats(device)
            if statistics["reserved_bytes"]["all"]["peak"] or statistics.get("num_ooms") or device in self._past:
                yield device, statistics

    @quietly
    def report(self) -> None:
        """Sends what has changed since the last report."""
        for device, statistics in self.used_devices():
            past = self._past.get(device, _Past())
            reserved = statistics["reserved_bytes"]["all"]["peak"]
            allocated = statistics["allocated_bytes"]["all"]["peak"]
            self._send("torch.peak_reserved_bytes", device, max(past.peak_reserved, reserved))
            self._send("torch.peak_allocated_bytes", device, max(past.peak_allocated, allocated))
            self._send("torch.alloc_retries", device, past.alloc_retries + statistics.get("num_alloc_retries", 0))
            self._send("torch.ooms", device, past.ooms + statistics.get("num_ooms", 0))

    def peak_reserved(self) -> int:
        """Of all devices, as reported last."""
        return sum(number for (key, _), number in self._reported.items() if key == "torch.peak_reserved_bytes")

    def _send(self, key: str, device: int, number: int) -> None:
        if self._reported.get((key, device)) != number:
            self._reported[key, device] = number
            guest.value(key, device, number)

    def _watch(self, name: str, before: Any) -> None:
        if hasattr(self._torch._C, name):
            Patch(self._torch._C, name, lambda original: around(original, before))

    @quietly
    def _fold_peaks(self, *_: Any) -> None:
        for device, statistics in self.used_devices():
            past = self._past.setdefault(device, _Past())
            past.peak_reserved = max(past.peak_reserved, statistics["reserved_bytes"]["all"]["peak"])
            past.peak_allocated = max(past.peak_allocated, statistics["allocated_bytes"]["all"]["peak"])

    @quietly
    def _fold_counts(self, which: Any, *_: Any) -> None:
        for device, statistics in self.used_devices():
            if which in (None, device):
                past = self._past.setdefault(device, _Past())
                past.alloc_retries += statistics.get("num_alloc_retries", 0)
                past.ooms += statistics.get("num_ooms", 0)

    @quietly
    def _attach_observer(self) -> None:
        self._torch._C._cuda_attach_out_of_memory_observer(self._out_of_memory)

    @quietly
    def _out_of_memory(self, device: int, requested: int, device_total: int, device_free: int) -> None:
        guest.out_of_memory(device, requested, device_free)
        for listener in self.on_out_of_memory:
            listener()
