# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""A working folder of its own for each cell: our programs, the repository's files, and nothing of the user's."""

from __future__ import annotations

import os
import shutil
import subprocess
import tarfile
from io import BytesIO
from pathlib import Path

from compat_lib.environments import Environment
from compat_lib.programs import SOURCES, Program

# No program may reach the network or ask a question.
OFFLINE = {
    "HF_HUB_OFFLINE": "1",
    "HF_DATASETS_OFFLINE": "1",
    "TRANSFORMERS_OFFLINE": "1",
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "DO_NOT_TRACK": "1",
    "WANDB_MODE": "offline",
    "YOLO_OFFLINE": "true",
    "TOKENIZERS_PARALLELISM": "false",
    "MPLBACKEND": "Agg",
    "PYTHONDONTWRITEBYTECODE": "1",
}
FROM_USER = ("LANG", "LC_ALL", "LD_LIBRARY_PATH", "TMPDIR", "USER")


def clone_of(program: Program, clones: Path) -> Path:
    """Where a clone of its repository is looked for; bare ones serve as well."""
    return clones / program.repository.replace("/", "+")


def make(folder: Path, program: Program, clones: Path) -> None:
    """An empty folder, then the program's files. Raises subprocess.CalledProcessError if the commit isn't in the clone."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    if program.repository:
        _unpack(clone_of(program, clones), program, folder)
    for source in program.sources:
        target = folder / "programs" / source.name
        target.parent.mkdir(exist_ok=True)
        shutil.copyfile(source, target)


def _unpack(clone: Path, program: Program, folder: Path) -> None:
    tree = f"{program.commit}:{program.folder}" if program.folder else program.commit
    packed = subprocess.run(["git", "-C", str(clone), "archive", tree], check=True, capture_output=True).stdout
    with tarfile.open(fileobj=BytesIO(packed)) as archive:
        archive.extractall(folder, filter="data")


def variables(folder: Path, environment: Environment, program: Program) -> dict[str, str]:
    """The program's environment variables. Caches and settings of packages are in the folder, since HOME is."""
    kept = {name: os.environ[name] for name in FROM_USER if name in os.environ}
    path = f"{environment.bin}{os.pathsep}{os.environ.get('PATH', os.defpath)}"
    return {**kept, **OFFLINE, "HOME": str(folder), "PATH": path, **program.env}
