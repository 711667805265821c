# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""After an operator that writes, a value is right or unknown: for all operators of PyTorch's own schemas."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Callable

import pytest

pytestmark = [pytest.mark.torch, pytest.mark.slow]

PROGRAM = Path(__file__).with_name("writing_program.py")


def test_no_operator_leaves_an_old_value_behind(watched: Callable[..., Any]) -> None:
    run = watched(PROGRAM.read_text())
    found = json.loads(next(line for line in run.stdout.splitlines() if line.startswith('{"operators"')))
    print(f"{found['operators']} operators that write, {found['called']} of them called")
    assert found["wrong"] == []
    assert found["missed"] == ["aten::pow.Tensor_Tensor_out"]
    assert found["operators"] > 1500
    assert found["called"] > 1000
