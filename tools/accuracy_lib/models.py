# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Which models the job script can build: read from the script's own list, without PyTorch."""

from __future__ import annotations

import sys
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
JOB_SCRIPT = REPOSITORY / "bench" / "truth" / "xmem_job.py"

sys.path.insert(0, str(JOB_SCRIPT.parent))

from xmem_models import find_cnn, is_cnn, is_known  # noqa: E402

__all__ = ["JOB_SCRIPT", "REPOSITORY", "find_cnn", "is_cnn", "is_known"]
