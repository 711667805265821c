# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""tools/setup/stage.sh prints one line per stage: in a pipe and on a terminal, one after the other and side by side."""

from __future__ import annotations

import os
import pty
import re
import subprocess
from pathlib import Path

import pytest

STAGE = Path(__file__).resolve().parents[2] / "tools" / "setup" / "stage.sh"
ONE_AFTER_THE_OTHER, SIDE_BY_SIDE = {}, {"DRYFIT_SIDE_BY_SIDE": "1"}


def in_a_pipe(folder: Path, environment: "dict[str, str]", *words: str) -> "tuple[int, str]":
    done = subprocess.run(
        [str(STAGE), *words], cwd=folder, env={**os.environ, **environment}, stdout=subprocess.PIPE, text=True, timeout=600
    )
    return done.returncode, done.stdout


def on_a_terminal(folder: Path, environment: "dict[str, str]", *words: str) -> "tuple[int, str]":
    """What stays on the screen: of each line what follows its last erasure."""
    above, below = pty.openpty()
    started = subprocess.Popen(
        [str(STAGE), *words],
        cwd=folder,
        env={**os.environ, **environment, "TERM": "xterm"},
        stdin=subprocess.DEVNULL,
        stdout=below,
        stderr=subprocess.DEVNULL,
    )
    os.close(below)
    printed = b""
    try:
        while piece := os.read(above, 4096):
            printed += piece
    except OSError:  # Linux reports the end of a terminal as an error
        pass
    os.close(above)
    code = started.wait(timeout=600)
    lines = [re.sub(r".*\r\x1b\[K", "", line) for line in printed.decode().replace("\r\n", "\n").split("\n")]
    return code, "\n".join(lines)


def without_seconds(text: str) -> str:
    return re.sub(r"\d+ s\)", "N s)", text)


@pytest.mark.parametrize("environment", [ONE_AFTER_THE_OTHER, SIDE_BY_SIDE], ids=["one after the other", "side by side"])
@pytest.mark.parametrize("run", [in_a_pipe, on_a_terminal])
class TestAStage:
    def test_that_succeeds_prints_one_line(self, tmp_path: Path, run: "object", environment: "dict[str, str]") -> None:
        code, printed = run(tmp_path, environment, "name", "A title", "--", "echo", "in the log")
        assert (code, without_seconds(printed)) == (0, "A title ... done (N s)\n")
        assert (tmp_path / "build/log/name.log").read_text() == "in the log\n"

    def test_that_fails_shows_its_log(self, tmp_path: Path, run: "object", environment: "dict[str, str]") -> None:
        code, printed = run(tmp_path, environment, "name", "A title", "--", "sh", "-c", "echo why; exit 7")
        lines = without_seconds(printed).splitlines()
        assert code == 7
        assert lines[:2] == ["A title ... failed (exit code 7, N s)", "why"]


def test_the_last_line_of_a_terminal_names_the_stages_that_still_run(tmp_path: Path) -> None:
    running = tmp_path / "build/log/running"
    running.mkdir(parents=True)
    (running / "other").write_text("Another title\n")
    code, printed = on_a_terminal(tmp_path, SIDE_BY_SIDE, "name", "A title", "--", "true")
    assert (code, without_seconds(printed)) == (0, "A title ... done (N s)\nAnother title ...")
