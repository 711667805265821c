# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""xMem's published runs of convolutional networks."""

from __future__ import annotations

from pathlib import Path

from ..case import Case
from ..xmem import explain_cnn as explain, read_cases

NAME = "xmem-cnn"
FILE = "xmem-runs-cnn.csv"


def cases(path: Path) -> list[Case]:
    return read_cases(path, NAME)
