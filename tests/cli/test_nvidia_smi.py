# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""nvidia-smi on the PATH of the program: the simulated GPUs, in the form that scripts parse."""

from __future__ import annotations

import csv
import os
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
DRYFIT = Path(os.environ.get("DRYFIT_EXECUTABLE", ROOT / "bin" / "dryfit"))
# What GPUtil asks for.
FIELDS = (
    "index,uuid,utilization.gpu,memory.total,memory.used,memory.free,driver_version,name,gpu_serial,display_active,"
    "display_mode,temperature.gpu"
)
TOTAL = 81157  # MiB that CUDA sees

pytestmark = pytest.mark.skipif(not DRYFIT.exists(), reason="bin/dryfit is not built; run make build")


def smi(tmp_path: Path, *arguments: str, count: int = 1) -> str:
    """What the program's nvidia-smi prints, without the verdict below it."""
    script = tmp_path / "program.sh"
    script.write_text('nvidia-smi "$@" > "$OUTPUT"; echo $? > "$OUTPUT.code"\n')
    output = tmp_path / "output"
    subprocess.run(
        [DRYFIT, "run", "--gpu", "a100-80gb", "--count", str(count), "--keep-writes", "--", "sh", script, *arguments],
        capture_output=True,
        cwd=tmp_path,
        env={**os.environ, "OUTPUT": str(output)},
        timeout=300,
    )
    assert (tmp_path / "output.code").read_text() == "0\n", output.read_text()
    return output.read_text()


def test_the_list_names_each_gpu_with_its_uuid(tmp_path: Path) -> None:
    lines = smi(tmp_path, "-L", count=2).splitlines()
    assert [re.fullmatch(r"GPU (\d): (.+) \(UUID: GPU-[0-9a-f-]{36}\)", line).groups() for line in lines] == [
        ("0", "NVIDIA A100-SXM4-80GB"),
        ("1", "NVIDIA A100-SXM4-80GB"),
    ]


def test_a_query_without_header_and_units_parses_as_numbers(tmp_path: Path) -> None:
    text = smi(tmp_path, f"--query-gpu={FIELDS}", "--format=csv,noheader,nounits", count=2)
    rows = list(csv.DictReader(text.splitlines(), FIELDS.split(","), skipinitialspace=True))
    assert [row["index"] for row in rows] == ["0", "1"]
    for row in rows:
        assert int(row["memory.total"]) == TOTAL
        assert int(row["memory.used"]) + int(row["memory.free"]) <= int(row["memory.total"])
        assert row["name"] == "NVIDIA A100-SXM4-80GB"


def test_a_query_with_header_has_units(tmp_path: Path) -> None:
    header, row = smi(tmp_path, "--query-gpu", "gpu_name,memory.total", "--format", "csv").splitlines()
    assert header == "name, memory.total [MiB]"
    assert row == f"NVIDIA A100-SXM4-80GB, {TOTAL} MiB"


def test_the_table_has_lines_of_one_width(tmp_path: Path) -> None:
    lines = smi(tmp_path).splitlines()[1:]
    assert {len(line) for line in lines if line} == {91}
    assert "NVIDIA A100-SXM4-80GB" in lines[7] and f"{TOTAL}MiB" in lines[8]


def test_other_forms_answer(tmp_path: Path) -> None:
    assert smi(tmp_path, "--query-compute-apps=pid,used_memory", "--format=csv") == "pid, used_memory [MiB]\n"
    assert "FB Memory Usage" in smi(tmp_path, "-q")
    assert smi(tmp_path, "topo", "-m", count=2).splitlines()[1].startswith("GPU0\t X \tSYS\t")
