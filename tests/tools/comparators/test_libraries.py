# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Every configuration is one that its library takes, and gives the same twice. Skipped without .venv/comparators."""

from __future__ import annotations

import json
import math
import random
import subprocess
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[3]
PYTHON = REPOSITORY / ".venv" / "comparators" / "bin" / "python"

PROGRAM = """
import json, sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from comparators_lib import feature_table
from comparators_lib.contestants import CONTESTANTS
from comparators_lib.training import out_of_fold
table = feature_table.read(Path(sys.argv[2]))
print(json.dumps({one.name: [out_of_fold(one, table), out_of_fold(one, table)] for one in CONTESTANTS}))
"""


def write_table(path: Path) -> dict[int, float]:
    """Sixty examples of amounts that are five times x, some of them noisy. Gives the truth by row."""
    draw = random.Random(1)
    x = {row: draw.uniform(1, 10) for row in range(60)}
    truth = {row: 5 * value * draw.choice([1, 1, 1, 1.1]) for row, value in x.items()}
    lines = ["fold,part,row,group,truth,base,x,log x,root x,square x,noise"]
    for fold in (0, 1):
        for row in range(60):
            part = "test" if row % 2 == fold else "train"
            forms = [x[row], math.log(x[row]), x[row] ** 0.5, x[row] ** 2, draw.random()]
            lines.append(f"{fold},{part},{row},g,{truth[row]},{4 * x[row]}," + ",".join(map(repr, forms)))
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return truth


@pytest.mark.slow
@pytest.mark.skipif(not PYTHON.exists(), reason="needs .venv/comparators (make venv-comparators)")
def test_every_contestant_learns_and_gives_the_same_twice(tmp_path: Path) -> None:
    truth = write_table(tmp_path / "table.csv")
    done = subprocess.run(
        [PYTHON, "-c", PROGRAM, REPOSITORY / "tools", tmp_path / "table.csv"],
        capture_output=True, text=True, check=False,
    )
    assert done.returncode == 0, done.stderr
    mean = sum(truth.values()) / len(truth)
    best_constant = sum(abs(value - mean) for value in truth.values())
    for name, (first, second) in json.loads(done.stdout).items():
        assert first == second, name
        error = sum(abs(first[str(row)] - value) for row, value in truth.items())
        assert error < best_constant / 2, name
