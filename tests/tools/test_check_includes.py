# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""tools/check_includes, run on small trees that are right or wrong in one way each."""
from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

CHECK = Path(__file__).resolve().parents[2] / "tools/check_includes"

SOUND_TREE = {
    "src/CMakeLists.txt": "# in order\nadd_subdirectory(base)\nadd_subdirectory(card)\nadd_subdirectory(trace)\n"
                          "add_subdirectory(driver)\nadd_subdirectory(verdict)\nadd_subdirectory(report)\n",
    "src/base/bytes.h": "#pragma once\n#include <string>\n",
    "src/card/card.h": '#include "base/bytes.h"\n',
    "src/trace/events.h": '#include "base/bytes.h"\n',
    "src/driver/cuda/memory.cpp": '#include "driver/cuda/memory.h"\n#include "trace/events.h"\n'
                                  '#include "dryfit/guest.h"\n',
    "src/driver/cuda/memory.h": "#include <cuda.h>\n",
    "src/verdict/CMakeLists.txt": "dryfit_room(verdict USES base card)\n",
    "src/verdict/verdict.h": '#include "card/card.h"\n',
    "src/report/CMakeLists.txt": "dryfit_room(report USES base verdict LINKS fmt::fmt)\n",
    "src/report/terminal.cpp": '#include "verdict/verdict.h"\n',
    "include/dryfit/guest.h": "#include <stdint.h>\n",
    "include/dryfit/api.h": '#include "dryfit/guest.h"\n',
    "apps/cli/run.h": '#include "report/terminal.h"\n',
    "apps/cli/main.cpp": '#include "cli/run.h"\n',
}


def run_check(root: Path, changes: dict[str, str]) -> subprocess.CompletedProcess[str]:
    for name, text in {**SOUND_TREE, **changes}.items():
        file = root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return subprocess.run([sys.executable, str(CHECK), str(root)], capture_output=True, text=True)


def test_a_sound_tree_passes_in_silence(tmp_path: Path) -> None:
    result = run_check(tmp_path, {})
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")


@pytest.mark.parametrize(
    ("file", "text", "place", "reason"),
    [
        ("src/base/up.h", '\n#include "card/card.h"\n', "src/base/up.h:2", "base may not include card (allowed: none)"),
        ("src/card/up.h", '#  include  "../trace/events.h"\n', "src/card/up.h:1", "card may not include trace"),
        ("src/card/gone.h", '#include "verdict/not_there.h"\n', "src/card/gone.h:1", "card may not include verdict"),
        ("src/verdict/x.h", '#include <trace/events.h>\n', "src/verdict/x.h:1", "(allowed: base, card)"),
        ("src/report/x.h", '#include "card/card.h"\n', "src/report/x.h:1", "(allowed: base, verdict)"),
        ("src/driver/nvml/x.cpp", '#include "dryfit/api.h"\n', "src/driver/nvml/x.cpp:1", "of the public headers"),
        ("src/report/y.cpp", '#include "cli/run.h"\n', "src/report/y.cpp:1", "only apps/ may include apps/"),
        ("include/dryfit/bad.h", '#include "base/bytes.h"\n', "include/dryfit/bad.h:1", "private room base"),
    ],
)
def test_an_include_against_the_direction_is_named(
    tmp_path: Path, file: str, text: str, place: str, reason: str
) -> None:
    result = run_check(tmp_path, {file: text})
    assert result.returncode == 1
    lines = result.stdout.splitlines()
    assert len(lines) == 1
    assert lines[0].startswith(place + ": ")
    assert reason in lines[0]


def test_the_driver_may_not_use_a_room_above_it_that_is_not_for_guests(tmp_path: Path) -> None:
    order = ("base", "card", "trace", "extra", "driver", "verdict", "report")
    rooms = "\n".join(f"add_subdirectory({room})" for room in order)
    changes = {"src/CMakeLists.txt": rooms, "src/extra/e.h": "", "src/driver/d.cpp": '#include "extra/e.h"\n'}
    result = run_check(tmp_path, changes)
    assert result.returncode == 1
    assert "driver may not include extra (allowed: base, card, trace)" in result.stdout


def test_a_folder_that_is_not_a_listed_room_is_refused(tmp_path: Path) -> None:
    result = run_check(tmp_path, {"src/attic/old.cpp": '#include "report/terminal.h"\n'})
    assert result.returncode == 1
    assert result.stdout == "src/attic: not listed as a room in src/CMakeLists.txt\n"


def test_a_tree_without_rooms_cannot_be_read(tmp_path: Path) -> None:
    result = subprocess.run([sys.executable, str(CHECK), str(tmp_path)], capture_output=True, text=True)
    assert result.returncode == 2
    assert "src/CMakeLists.txt" in result.stderr
