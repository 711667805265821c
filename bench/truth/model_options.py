# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""The arguments that describe a recorded run of a language model, shared by the scripts that repeat one."""

from __future__ import annotations

import argparse
from pathlib import Path


def parser(description: str) -> argparse.ArgumentParser:
    result = argparse.ArgumentParser(description=description)
    for name in ("--d-model", "--d-ff", "--layers", "--heads", "--vocabulary", "--batch", "--ctx"):
        result.add_argument(name, required=True, type=int)
    result.add_argument("--mode", required=True, help="forward_grad, forward_nograd, inference, train, ...")
    result.add_argument("--precision", required=True, choices=("fp32", "bf16"))
    result.add_argument("--warmup", type=int, default=0, help="steps before the recording")
    result.add_argument("--out", required=True, type=Path, help="folder for the recording")
    return result
