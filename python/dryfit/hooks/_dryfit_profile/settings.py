# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""The launcher's settings for a profile, from the environment."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Mapping, Optional


@dataclass(frozen=True)
class Settings:
    folder: str  # for traces and the hooks' log
    steps: Optional[int]  # None: let the program end by itself
    batch: Optional[int]  # of the DataLoaders; None: what the program requests


def from_environment(environment: Mapping[str, str]) -> Settings:
    return Settings(
        folder=environment.get("DRYFIT_PROFILE", ""),
        steps=_positive(environment.get("DRYFIT_STEPS", "all")),
        batch=_positive(environment.get("DRYFIT_BATCH", "")),
    )


def _positive(text: str) -> Optional[int]:
    return int(text) if text.isdigit() and int(text) > 0 else None
