# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""xMem's published second runs of language models: the same jobs with their allocator capped at xMem's estimate."""

from __future__ import annotations

from pathlib import Path

from ..case import Case
from ..xmem import explain_transformer as explain, read_second_runs

NAME = "xmem-second-runs-transformer"
FILE = "xmem-runs-transformer.csv"


def cases(path: Path) -> list[Case]:
    return read_second_runs(path, NAME)
