# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""The launcher's settings for the hooks, from the environment."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Mapping, Optional


@dataclass(frozen=True)
class Settings:
    run_directory: str
    steps: Optional[int]  # None: let the program end by itself
    most_steps: Optional[int]  # go on up to this many while the peak grows; None: `steps` is exact
    until_text: str  # end when the program prints this; "": no such text
    keep_initialisation: bool
    memory_history: bool
    explain: bool
    may_time_out: bool  # write the history after each step too, as the program may be killed
    unknown_sizes: str  # "full", "none" or "fraction:0.25"
    count_flops: bool
    memory_fraction: Optional[float]  # None: PyTorch's allocator has no cap of ours


def from_environment(environment: Mapping[str, str]) -> Settings:
    steps = environment.get("DRYFIT_STEPS", "all")
    fraction = environment.get("DRYFIT_MEMORY_FRACTION")
    most = environment.get("DRYFIT_MOST_STEPS", "")
    return Settings(
        run_directory=os.path.dirname(environment.get("DRYFIT_MACHINE", "")),
        steps=int(steps) if steps.isdigit() and int(steps) > 0 else None,
        most_steps=int(most) if most.isdigit() else None,
        until_text=environment.get("DRYFIT_UNTIL", ""),
        keep_initialisation=environment.get("DRYFIT_KEEP_INIT") == "1",
        memory_history=environment.get("DRYFIT_HISTORY") == "1",
        explain=environment.get("DRYFIT_EXPLAIN") == "1",
        may_time_out=environment.get("DRYFIT_MAY_TIME_OUT") == "1",
        unknown_sizes=environment.get("DRYFIT_UNKNOWN_SIZES", "full"),
        count_flops=environment.get("DRYFIT_FLOPS") == "1",
        memory_fraction=float(fraction) if fraction else None,
    )
