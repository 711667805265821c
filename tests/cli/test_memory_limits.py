# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""--cap and --gpu-limit from outside, on snapshots and descriptions: answers, and sentences for what makes no sense."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
DRYFIT = Path(os.environ.get("DRYFIT_UNDER_TEST", ROOT / "bin" / "dryfit"))

GIB = 1 << 30
MEMORY = 12622168064  # of rtx-3060-12gb
PREDICT = ("predict", "--model", "resnet50", "--batch", "64", "--gpu", "rtx-3060-12gb")
RUN = ("run", "--gpu", "rtx-3060-12gb")


def dryfit(*arguments: object) -> "subprocess.CompletedProcess[str]":
    return subprocess.run([str(DRYFIT), *map(str, arguments)], capture_output=True, text=True, timeout=600)


def predicted(*options: str, code: int) -> dict[str, Any]:
    done = dryfit(*PREDICT, "--json", *options)
    assert done.returncode == code, done.stderr
    return json.loads(done.stdout)["cards"][0]


def test_a_prediction_is_compared_with_the_cap() -> None:
    usual = predicted(code=0)
    assert usual["cap_bytes"] is None and usual["gpu_limit_bytes"] is None
    capped = predicted("--cap", "1GiB", code=3)
    assert capped["verdict"] == "does-not-fit"
    assert capped["cap_bytes"] == GIB
    assert capped["capacity_bytes"] == MEMORY


def test_a_prediction_is_compared_with_the_part_of_the_GPU() -> None:
    limited = predicted("--gpu-limit", "25%", code=3)
    assert limited["verdict"] == "does-not-fit"
    assert limited["capacity_bytes"] == limited["gpu_limit_bytes"] == MEMORY // 4


@pytest.mark.parametrize("option", ["--cap", "--gpu-limit"])
@pytest.mark.parametrize(
    "value, sentence",
    [
        ("0", "'0' leaves no memory"),
        ("0%", "'0%' leaves no memory"),
        ("120%", "'120%' is more than the whole GPU"),
        ("20GiB", "of 20.00 GiB is more than rtx-3060-12gb has, 11.76 GiB"),
        ("8", "'8' has no unit"),
        ("six", "'six' is not an amount of memory"),
        ("-1GiB", "'-1GiB' is not an amount of memory"),
    ],
)
def test_bad_limits_get_a_sentence(option: str, value: str, sentence: str, tmp_path: Path) -> None:
    for command in ((*PREDICT, f"{option}={value}"), (*RUN, f"{option}={value}", "--", "true")):
        done = dryfit(*command)
        assert done.returncode == 2
        assert sentence in done.stderr
        assert done.stdout == ""


def test_a_cap_is_for_one_GPU() -> None:
    done = dryfit(*RUN, "--count", "2", "--cap", "6GiB", "--", "true")
    assert done.returncode == 2
    assert "--cap and --count can't be combined" in done.stderr
