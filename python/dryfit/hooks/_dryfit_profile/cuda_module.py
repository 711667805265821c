# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""torch.cuda as on a machine with one GPU, for builds of PyTorch without CUDA and for machines without a GPU. No GPU
has been chosen when a program is profiled, so the answers are those of a large and recent one.
"""

from __future__ import annotations

import contextlib
import types
from typing import Any, Callable, Dict, Optional

NAME = "Dryfit CPU profile"
MEMORY = 80 << 30
CAPABILITY = (8, 0)
MULTIPROCESSORS = 108
THREADS_PER_MULTIPROCESSOR = 2048


class Stream:
    """A stream on which all work is already done."""

    def __init__(self, device: Any = None, priority: int = 0, **_: Any) -> None:
        self.device_index, self.stream_id, self.cuda_stream, self.priority = 0, 0, 0, priority

    @property
    def device(self) -> Any:
        import torch

        return torch.device("cuda", 0)

    def synchronize(self) -> None:
        pass

    def wait_stream(self, stream: Any) -> None:
        pass

    def wait_event(self, event: Any) -> None:
        pass

    def query(self) -> bool:
        return True

    def is_capturing(self) -> bool:
        return False

    def record_event(self, event: Any = None) -> Any:
        event = event or Event()
        event.record(self)
        return event

    def __enter__(self) -> "Stream":
        return self

    def __exit__(self, *_: Any) -> None:
        pass


class Event:
    def __init__(self, enable_timing: bool = False, blocking: bool = False, interprocess: bool = False) -> None:
        self._time: Optional[float] = None

    def record(self, stream: Any = None) -> None:
        import time

        self._time = time.perf_counter()

    def wait(self, stream: Any = None) -> None:
        pass

    def query(self) -> bool:
        return True

    def synchronize(self) -> None:
        pass

    def elapsed_time(self, end: "Event") -> float:
        return ((end._time or 0.0) - (self._time or 0.0)) * 1000


def properties() -> Any:
    return types.SimpleNamespace(
        name=NAME,
        major=CAPABILITY[0],
        minor=CAPABILITY[1],
        total_memory=MEMORY,
        multi_processor_count=MULTIPROCESSORS,
        max_threads_per_multi_processor=THREADS_PER_MULTIPROCESSOR,
        warp_size=32,
        is_integrated=0,
        is_multi_gpu_board=0,
        L2_cache_size=40 << 20,
        gcnArchName="",
    )


def answers(torch: Any) -> Dict[str, Callable[..., Any]]:
    """The replacements by name in torch.cuda. Every function is a separate object, as torch._dynamo requires."""
    stream = Stream()
    return {
        **_of_the_card(),
        **_of_streams(stream),
        **_of_memory(),
        **_of_random_numbers(torch),
    }


def _of_the_card() -> Dict[str, Callable[..., Any]]:
    return {
        "is_available": lambda: True,
        "is_initialized": lambda: True,
        "init": lambda: None,
        "_lazy_init": lambda: None,
        "_lazy_call": lambda function, **_: function(),
        "device_count": lambda: 1,
        "current_device": lambda: 0,
        "set_device": lambda device: None,
        "get_device_name": lambda device=None: NAME,
        "get_device_capability": lambda device=None: CAPABILITY,
        "get_device_properties": lambda device=None: properties(),
        "is_bf16_supported": lambda *_, **__: True,
        "can_device_access_peer": lambda device, peer: False,
        "get_arch_list": lambda: [f"sm_{CAPABILITY[0]}{CAPABILITY[1]}"],
        "synchronize": lambda device=None: None,
        "ipc_collect": lambda: None,
        "is_current_stream_capturing": lambda: False,
        "utilization": lambda device=None: 100,
    }


def _of_streams(stream: Stream) -> Dict[str, Callable[..., Any]]:
    return {
        "Stream": Stream,
        "Event": Event,
        "current_stream": lambda device=None: stream,
        "default_stream": lambda device=None: stream,
        "set_stream": lambda stream: None,
        "stream": lambda stream=None: contextlib.nullcontext(),
        "device": lambda device=None: contextlib.nullcontext(),
        "device_of": lambda tensor=None: contextlib.nullcontext(),
    }


def _of_memory() -> Dict[str, Callable[..., Any]]:
    """Nothing is known about a GPU's memory while a program is profiled: all counts are zero."""
    from collections import defaultdict

    numbers: Dict[str, Callable[..., Any]] = {
        name: (lambda device=None: 0)
        for name in (
            "memory_allocated",
            "max_memory_allocated",
            "memory_reserved",
            "max_memory_reserved",
            "memory_cached",
            "max_memory_cached",
        )
    }
    nothing: Dict[str, Callable[..., Any]] = {
        name: (lambda *_, **__: None)
        for name in (
            "empty_cache",
            "reset_peak_memory_stats",
            "reset_max_memory_allocated",
            "reset_max_memory_cached",
            "reset_accumulated_memory_stats",
            "set_per_process_memory_fraction",
        )
    }
    return {
        **numbers,
        **nothing,
        "memory_stats": lambda device=None: defaultdict(int),
        "memory_summary": lambda *_, **__: "",
        "memory_snapshot": lambda *_, **__: [],
        "mem_get_info": lambda device=None: (MEMORY, MEMORY),
    }


def _of_random_numbers(torch: Any) -> Dict[str, Callable[..., Any]]:
    """The GPU draws from the CPU's generator, so that setting a state repeats the same numbers."""
    return {
        "manual_seed": lambda seed: None,
        "manual_seed_all": lambda seed: None,
        "seed": lambda: None,
        "seed_all": lambda: None,
        "initial_seed": lambda: torch.initial_seed(),
        "get_rng_state": lambda device="cuda": torch.get_rng_state(),
        "get_rng_state_all": lambda: [torch.get_rng_state()],
        "set_rng_state": lambda state, device="cuda": torch.set_rng_state(state),
        "set_rng_state_all": lambda states: torch.set_rng_state(states[0]),
    }


def _of_the_accelerator(torch: Any) -> Dict[str, Callable[..., Any]]:
    """Names in torch.accelerator that torch.cuda does not have. Optimizers of newer versions call them."""
    return {
        "current_accelerator": lambda check_available=False: torch.device("cuda"),
        "current_device_index": lambda: 0,
        "current_device_idx": lambda: 0,
        "set_device_index": lambda device, /: None,
        "set_device_idx": lambda device, /: None,
        "device_index": lambda device, /: contextlib.nullcontext(),
        "get_memory_info": lambda device=None, /: (MEMORY, MEMORY),
    }


def install(torch: Any) -> None:
    of_cuda = answers(torch)
    _answer(torch.cuda, of_cuda)
    for part in ("memory", "random", "streams", "graphs"):
        _answer(getattr(torch.cuda, part, None), of_cuda)
    _answer(getattr(torch, "accelerator", None), {**of_cuda, **_of_the_accelerator(torch)})
    if not hasattr(torch._C, "_cuda_getCurrentRawStream"):
        torch._C._cuda_getCurrentRawStream = lambda device: 0


def _answer(module: Any, answers: Dict[str, Callable[..., Any]]) -> None:
    """Replaces only names that this version of PyTorch has: programs check whether a name exists."""
    for name, answer in answers.items():
        if module is not None and hasattr(module, name):
            setattr(module, name, answer)
