# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Does this training job fit that GPU? Dryfit runs the command against a card that is not there.

The work is done by the `dryfit` executable; this module calls it and hands its JSON back as a dictionary.
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
    """Dryfit gave no verdict; the message is what it said."""


OWN_EXECUTABLE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "bin", "dryfit")


def executable() -> str:
    """The native `dryfit`: the one that came with this package, else the first in PATH."""
    found = OWN_EXECUTABLE if os.access(OWN_EXECUTABLE, os.X_OK) else shutil.which("dryfit")
    if found is None:
        raise DryfitError("the dryfit executable was found neither beside the package nor in PATH")
    return found


def run(
    command: Sequence[str],
    *,
    gpu: Union[str, Sequence[str]],
    steps: Union[int, str, None] = None,
    options: Sequence[str] = (),
    env: Optional[Mapping[str, str]] = None,
) -> "dict[str, Any]":
    """Runs `command` on cards that are not there and returns what `dryfit run --json` says.

    gpu: one name or several; steps: how many optimizer steps to take, or "all"; options: further options of
    `dryfit run`. A job that does not fit is an answer, not an error; DryfitError is raised when there is no answer.
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
