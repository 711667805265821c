# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""xMem's published runs of language models."""

from __future__ import annotations

from pathlib import Path

from ..case import Case
from ..xmem import explain_transformer as explain, read_cases

NAME = "xmem-transformer"
FILE = "xmem-runs-transformer.csv"


def cases(path: Path) -> list[Case]:
    return read_cases(path, NAME)
