# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""The versions of the software that the program uses."""

from __future__ import annotations

import os
import platform
import sys
from typing import Any, Set

from . import guest

_LIBRARIES = (
    "transformers",
    "torchvision",
    "accelerate",
    "bitsandbytes",
    "deepspeed",
    "diffusers",
    "lightning",
    "peft",
    "pytorch_lightning",
    "timm",
    "triton",
)

_noted: Set[str] = set()


def note_torch(torch: Any) -> None:
    guest.note("software.python", platform.python_version())
    guest.note("software.torch", str(torch.__version__))
    if torch.version.cuda is None:
        guest.note("torch.cuda_build", "0")
    else:
        guest.note("software.cuda", torch.version.cuda)
    note_processes()


def note_processes() -> None:
    """How many processes a launcher has started on this machine, each of which uses a GPU of its own as a rule."""
    count = os.environ.get("LOCAL_WORLD_SIZE") or os.environ.get("WORLD_SIZE", "")
    if "LOCAL_RANK" in os.environ and count.isdigit():
        guest.note("launch.processes", count)


def note_cudnn(torch: Any) -> None:
    number = torch.backends.cudnn.version()
    if number is not None:
        guest.note("software.cudnn", cudnn_version(number))


def cudnn_version(number: int) -> str:
    """90100 is 9.1.0; before cuDNN 9 the major version counted thousands: 8902 is 8.9.2."""
    major, rest = divmod(number, 10000 if number >= 90000 else 1000)
    return f"{major}.{rest // 100}.{rest % 100}"


def note_libraries() -> None:
    """Notes the versions of known libraries that the program has imported so far, each once."""
    for name in _LIBRARIES:
        version = getattr(sys.modules.get(name), "__version__", None)
        if isinstance(version, str) and name not in _noted:
            _noted.add(name)
            guest.note(f"software.{name}", version)
