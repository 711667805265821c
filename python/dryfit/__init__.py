# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Does this training job fit that GPU? Dryfit runs the command on a simulated GPU to find out.

This module calls the `dryfit` executable and returns its JSON output as a dictionary:

    verdict = dryfit.run(["python", "train.py"], gpu="rtx-4090")
    print(verdict["results"][0]["verdict"])
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from typing import Any, Mapping, Optional, Sequence, Union

__all__ = ["DryfitError", "__version__", "executable", "run"]
__version__ = "0.1.0"


class DryfitError(RuntimeError):
    """Raised when there is no verdict; the message is Dryfit's own."""


OWN_EXECUTABLE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "bin", "dryfit")


def executable() -> str:
    """Return the path of the `dryfit` executable: the one in this package, else the first in PATH."""
    found = OWN_EXECUTABLE if os.access(OWN_EXECUTABLE, os.X_OK) else shutil.which("dryfit")
    if found is None:
        raise DryfitError("cannot find the dryfit executable in this package or in PATH; reinstall Dryfit")
    return found


def run(
    command: Sequence[str],
    *,
    gpu: Union[str, Sequence[str]],
    steps: Union[int, str, None] = None,
    options: Sequence[str] = (),
    env: Optional[Mapping[str, str]] = None,
) -> "dict[str, Any]":
    """Run `command` on simulated GPUs and return the output of `dryfit run --json` as a dictionary.

    command: the program and its arguments, such as ["python", "train.py"]
    gpu:     one GPU name or several, as listed by `dryfit gpus`
    steps:   number of optimizer steps to run, or "all" (default: that of `dryfit run`)
    options: further options of `dryfit run`
    env:     environment of the run (default: this process's)

    A job that does not fit is an answer, not an error. Raises DryfitError if there is no answer.
    """
    cards = gpu if isinstance(gpu, str) else ",".join(gpu)
    arguments = [executable(), "run", "--json", "--gpu", cards]
    if steps is not None:
        arguments += ["--steps", str(steps)]
    arguments += [*options, "--", *command]
    done = subprocess.run(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=env)
    try:
        return json.loads(done.stdout)
    except ValueError:
        raise DryfitError(done.stderr.strip() or f"dryfit ended with code {done.returncode}") from None
