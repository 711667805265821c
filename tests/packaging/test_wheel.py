# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""The wheel, as a user gets it: installed into a fresh environment, used through the `dryfit` command."""
from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

pytestmark = pytest.mark.slow


def plain_environment() -> dict[str, str]:
    """Ours without what a calling make or an activated environment would leave in it."""
    return {k: v for k, v in os.environ.items() if k not in ("MAKEFLAGS", "MAKELEVEL", "MFLAGS", "PYTHONPATH")}


@pytest.fixture(scope="module")
def wheel() -> Path:
    subprocess.run(["make", "wheel"], cwd=ROOT, env=plain_environment(), check=True)
    wheels = list((ROOT / "dist").glob("dryfit-*.whl"))
    assert len(wheels) == 1
    return wheels[0]


@pytest.fixture(scope="module")
def command(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    environment = tmp_path_factory.mktemp("wheel") / "venv"
    venv.create(environment, with_pip=False)
    python = environment / "bin/python"
    install = [sys.executable, "-m", "pip", "--python", str(python), "install", "--no-deps", "--no-index", str(wheel)]
    subprocess.run(install, env=plain_environment(), check=True)
    return environment / "bin/dryfit"


def run(command: Path, *arguments: str) -> str:
    done = subprocess.run([str(command), *arguments], env=plain_environment(), cwd="/", capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_wheel_serves_every_python_3(wheel: Path) -> None:
    assert re.fullmatch(r"dryfit-[0-9.]+-py3-none-linux_\w+\.whl", wheel.name)


def test_the_wheel_holds_the_command_the_libraries_the_cards_and_the_hooks_once(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    for needed in (
        "dryfit/bin/dryfit",
        "dryfit/lib/dryfit/libcuda.so.1",
        "dryfit/lib/dryfit/libnvidia-ml.so.1",
        "dryfit/share/dryfit/cards/rtx-3060-12gb.toml",
    ):
        assert names.count(needed) == 1, needed
    assert [n for n in names if n.endswith("sitecustomize.py")] == ["dryfit/share/dryfit/hooks/sitecustomize.py"]


def test_the_wheel_holds_nothing_of_the_vendor(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    assert [n for n in names if "cudart" in n or n.endswith(("cuda.h", "nvml.h")) or n.startswith("nvidia")] == []


def test_the_installed_command_knows_its_version(command: Path, wheel: Path) -> None:
    assert wheel.name.split("-")[1] in run(command, "--version")


def test_the_installed_command_finds_its_cards(command: Path) -> None:
    assert "rtx-3060-12gb" in json.dumps(json.loads(run(command, "gpus", "--json")))
