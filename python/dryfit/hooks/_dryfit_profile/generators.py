# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""The GPU's random number generators are the CPU's."""

from __future__ import annotations

from typing import Any


def install(torch: Any) -> None:
    original = torch.Generator

    class Generator(original):  # type: ignore[misc, valid-type]
        def __new__(cls, device: Any = "cpu") -> Any:
            kind = device.type if isinstance(device, torch.device) else str(device).partition(":")[0]
            return original("cpu" if kind == "cuda" or isinstance(device, int) else device)

    Generator.__module__, Generator.__qualname__ = original.__module__, original.__qualname__
    torch.Generator = Generator
