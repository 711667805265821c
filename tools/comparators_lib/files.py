# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Files that are either complete or absent, even if several processes write them at once."""

from __future__ import annotations

import os
from pathlib import Path


def unfinished(path: Path) -> Path:
    """Where to write until the file is complete; used by this process only."""
    path.parent.mkdir(parents=True, exist_ok=True)
    return path.with_suffix(f".{os.getpid()}")


def write_whole(path: Path, text: str) -> None:
    draft = unfinished(path)
    draft.write_text(text, encoding="utf-8")
    draft.replace(path)
