# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""xMem's published second runs of convolutional networks: the same jobs with their allocator capped at xMem's estimate."""

from __future__ import annotations

from pathlib import Path

from ..case import Case
from ..xmem import read_second_runs

NAME = "xmem-second-runs-cnn"
FILE = "xmem-runs-cnn.csv"


def cases(path: Path) -> list[Case]:
    return read_second_runs(path, NAME)
