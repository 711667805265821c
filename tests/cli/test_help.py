# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""What `--help` looks like. Runs <repo>/bin/dryfit (`make build`), or the one that DRYFIT_UNDER_TEST names."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
DRYFIT = Path(os.environ.get("DRYFIT_UNDER_TEST", ROOT / "bin" / "dryfit"))

GROUPS = {
    "Ask": ["run", "limits", "predict", "replay", "profile", "estimate"],
    "Look": ["top", "report", "diff", "export", "trace"],
    "Lists": ["gpus", "models"],
    "Your site": ["observe", "history", "learn"],
    "Make data": ["harvest", "evaluate"],
}
COMMANDS = [[command] for group in GROUPS.values() for command in group if command != "evaluate"]  # has its own help
PARTS = [["history", "list"], ["history", "export"], ["history", "remove"]]


def help_of(*command: str) -> str:
    done = subprocess.run([str(DRYFIT), *command, "--help"], capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_commands_are_grouped_by_what_people_want() -> None:
    found: "dict[str, list[str]]" = {}
    for line in help_of().splitlines():
        if heading := re.fullmatch(r"(\w[\w ]*):", line):
            found[heading[1]] = []
        elif entry := re.match(r"  (\w+)  +\S", line):
            found[list(found)[-1]].append(entry[1])
    found.pop("Options")
    assert found == GROUPS


def test_each_command_has_an_example_on_one_line() -> None:
    lines = help_of().splitlines()
    for command in sum(GROUPS.values(), []):
        assert [line for line in lines if re.match(rf" +dryfit {command}\b", line)], command
    assert lines[-1] == "Run `dryfit COMMAND --help` for details."


@pytest.mark.parametrize("command", [[], *COMMANDS, *PARTS], ids=" ".join)
def test_help_keeps_to_80_columns_and_says_gpu(command: "list[str]") -> None:
    text = help_of(*command)
    assert [line for line in text.splitlines() if len(line) > 80] == []
    assert not re.search(r"\bcards?\b", text)


@pytest.mark.parametrize("command", [*COMMANDS, *PARTS], ids=" ".join)
def test_help_of_a_command_opens_with_a_verb_and_has_examples(command: "list[str]") -> None:
    lines = help_of(*command).splitlines()
    verbs = ("Run Find Predict Replay Estimate Show Write Compare Export List Record Learn Dry-run Remove").split()
    assert lines[0].split()[0].rstrip(",") in verbs
    usage = next(line for line in lines if line.startswith("Usage: "))
    assert usage.startswith(f"Usage: dryfit {' '.join(command)}")
    assert "Examples:" in lines
    assert [line for line in lines if line.startswith(f"  dryfit {' '.join(command)}")]


def test_old_names_of_options_still_work_and_are_not_shown() -> None:
    card = next((ROOT / "cards").glob("*.toml"))
    for option in ("--cards", "--gpu-file"):
        done = subprocess.run([str(DRYFIT), "gpus", "t4", option, str(card)], capture_output=True, text=True, timeout=600)
        assert done.returncode == 0, done.stderr
    assert "--gpu-file PATH" in help_of("gpus") and "--cards" not in help_of("gpus")
