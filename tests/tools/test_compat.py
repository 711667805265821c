# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""tools/compat: the list of programs, what a cell says, what is kept, the board and its page."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))

from compat_lib import scratch  # noqa: E402
from compat_lib.board import Board, shown  # noqa: E402
from compat_lib.environments import Environment  # noqa: E402
from compat_lib.kept import Results  # noqa: E402
from compat_lib.outcome import NOT_RUN, Outcome, is_worse, no_answer, not_installed, outcome_of  # noqa: E402
from compat_lib.page import page, summary  # noqa: E402
from compat_lib.programs import LIST, SOURCES, Cell, Program, ProgramList, read_list  # noqa: E402
from compat_lib.runner import Places, ruled_out, run  # noqa: E402

LIMITATIONS = LIST.parents[2] / "docs" / "limitations.md"
FITS = Outcome("verdict", "fits", steps=3, device_peak=1 << 30)
LIMIT = Outcome("limit", "unknown-values", text="a limit of Dryfit")
NOTHING = no_answer("the program failed with exit code 1")


def program(name: str = "small", **more: Any) -> Program:
    entry = {"kind": "vision", "shows": "a layer", "packages": ("numpy",), "command": ("python", "-c", "pass"), **more}
    return Program(name, **entry)


def result(verdict: str, reason: str = "", hint: str = "") -> dict[str, Any]:
    return {"verdict": verdict, "steps": 3, "device_peak_bytes": 5, "reason": reason or None, "hint": hint or None}


def install(folder: Path, *distributions: str) -> None:
    for each in distributions:
        (folder / "lib/python3.11/site-packages" / f"{each}.dist-info").mkdir(parents=True)


# ---- the list


def test_our_list_has_sixty_programs_or_more_and_uses_every_file_of_ours():
    listed = read_list()
    assert len(listed.programs) >= 60
    used = {source.name for each in listed.programs for source in each.sources}
    assert used == {path.name for path in SOURCES.glob("*.py")}


@pytest.mark.parametrize(
    "entry, complaint",
    [
        ("packages = []\ncommand = 'x'", "names no package"),
        ("packages = ['x']\ncommand = 'x'\nrepository = 'a/b'", "needs its commit"),
        ("packages = ['x']\ncommand = 'x'\nreasons = { '1.0' = 'old' }", "1.0 isn't one"),
        ("packages = ['x']\ncommand = 'x'\nspeed = 3", "speed"),
        ("packages = ['x']", "command"),
    ],
)
def test_an_entry_that_cannot_be_used_is_named(tmp_path: Path, entry: str, complaint: str):
    path = tmp_path / "programs.toml"
    path.write_text(f"torch = ['2.6.0']\n[[program]]\nname = 'a'\nkind = ''\nshows = ''\n{entry}\n")
    with pytest.raises(ValueError, match=f"a: .*{complaint}"):
        read_list(path)


# ---- what a cell says


@pytest.mark.parametrize("verdict, word", [("fits", "fits"), ("tight", "fits, tight"), ("does-not-fit", "does not fit")])
def test_every_verdict_is_an_answer(verdict: str, word: str):
    assert outcome_of(result(verdict), 1.25) == Outcome("verdict", word, 3, 5, 1.2)


def test_a_limit_is_named_by_the_anchor_that_the_verdict_printed():
    outcome = outcome_of(result("cannot-tell", "a limit of Dryfit", "See docs/limitations.md#unknown-values."), 1)
    assert (outcome.state, outcome.word) == ("limit", "unknown-values")
    assert outcome_of(result("cannot-tell", "the program failed", "Fix the error."), 1).state == "no-answer"


def test_colours_and_the_folders_of_this_machine_are_left_out_of_a_reason():
    reason = "FileNotFoundError: \x1b[1m'/home/me/data/a.csv'\x1b[0m (train.py:3), see https://a.b/c/d"
    outcome = outcome_of(result("cannot-tell", reason), 1)
    assert outcome.text == "FileNotFoundError: 'a.csv' (train.py:3), see https://a.b/c/d"


def test_losing_a_verdict_or_the_name_of_a_limit_is_worse():
    assert is_worse(LIMIT, FITS) and is_worse(NOTHING, FITS) and is_worse(NOTHING, LIMIT)
    assert not is_worse(FITS, LIMIT) and not is_worse(replace(FITS, word="does not fit"), FITS)


def test_a_cell_that_was_not_run_is_not_worse():
    assert not is_worse(not_installed("numpy"), FITS)
    assert not is_worse(NOTHING, NOT_RUN)


# ---- running


def stand_in(folder: Path, report: dict[str, Any]) -> Path:
    """An executable in Dryfit's place that prints this report and leaves its arguments in the working folder."""
    path = folder / "bin" / "dryfit"
    path.parent.mkdir()
    path.write_text(f"#!/bin/sh\necho \"$@\" > arguments\nenv > environment\ncat <<'END'\n{json.dumps(report)}\nEND\n")
    path.chmod(0o755)
    return path


def places_in(folder: Path, report: dict[str, Any]) -> Places:
    (folder / "venv/compat-2.6.0/bin").mkdir(parents=True)
    (folder / "venv/compat-2.6.0/bin/python").symlink_to(sys.executable)
    return Places(folder / "work", folder / "clones", folder / "venv", stand_in(folder, report))


def test_a_program_runs_offline_in_a_folder_of_its_own_with_the_python_of_its_environment(tmp_path: Path):
    places = places_in(tmp_path, {"dryfit": "1", "results": [result("cannot-tell")]})
    cell = Cell(program(options=("--steps", "1"), env={"MODE": "fast"}), "2.6.0")
    run(cell, places, 60)
    arguments = (places.folder(cell) / "arguments").read_text()
    python = tmp_path / "venv/compat-2.6.0/bin/python"
    assert arguments.strip() == f"run --json --gpu a100-80gb --timeout 60 --steps 1 -- {python} -c pass"
    variables = (places.folder(cell) / "environment").read_text().splitlines()
    assert {"HF_HUB_OFFLINE=1", "MODE=fast", f"HOME={places.folder(cell)}"} <= set(variables)


def test_the_folder_of_a_program_with_a_verdict_is_removed(tmp_path: Path):
    places = places_in(tmp_path, {"dryfit": "1", "results": [result("fits")]})
    cell = Cell(program(), "2.6.0")
    assert run(cell, places, 60).word == "fits"
    assert not places.folder(cell).exists() and places.log(cell).exists()


def test_a_run_without_a_report_says_the_last_line_of_its_complaint(tmp_path: Path):
    places = places_in(tmp_path, {})
    assert run(Cell(program(), "2.6.0"), places, 60).text == "dryfit ended with exit code 0"


def test_a_program_of_a_repository_is_unpacked_at_its_commit(tmp_path: Path):
    clone = tmp_path / "clones" / "some+tool"
    (clone / "train").mkdir(parents=True)
    (clone / "train/main.py").write_text("print()\n")
    git = ["git", "-C", str(clone), "-c", "user.name=n", "-c", "user.email=e"]
    for words in (["init", "-q"], ["add", "."], ["commit", "-qm", "one"]):
        subprocess.run([*git, *words], check=True)
    of_repository = program(repository="some/tool", commit="HEAD", folder="train")
    scratch.make(tmp_path / "scratch", of_repository, tmp_path / "clones")
    assert [path.name for path in (tmp_path / "scratch").iterdir()] == ["main.py"]


def test_what_is_missing_is_named(tmp_path: Path):
    places = Places(tmp_path / "work", tmp_path / "clones", tmp_path / "venv")
    cell = Cell(program(packages=("Torch_Thing",)), "2.6.0")
    assert ruled_out(cell, places) == NOT_RUN
    other = Places(tmp_path / "work", tmp_path / "clones", tmp_path / "other")
    install(tmp_path / "other/compat-2.6.0", "numpy-1.0")
    assert ruled_out(cell, other) == not_installed("Torch_Thing")
    assert ruled_out(Cell(program(repository="a/b", commit="c"), "2.6.0"), other) == not_installed("a/b")
    assert ruled_out(Cell(program(reasons={"2.6.0": "too old"}), "2.6.0"), other) == Outcome("reason", "too old")
    assert ruled_out(Cell(program(), "2.6.0"), other) is None


def test_names_of_distributions_are_compared_as_installers_do(tmp_path: Path):
    install(tmp_path, "open_clip_torch-3.0.0", "Keras-3.1")
    assert Environment(tmp_path).missing(("open-clip.torch", "keras", "jax")) == ["jax"]


# ---- what is kept


def test_a_result_is_found_again_until_the_program_the_environment_or_the_build_changes(tmp_path: Path):
    path, environment = tmp_path / "results.jsonl", Environment(tmp_path / "none")
    cell = Cell(program(), "2.6.0")
    Results(path, "build").keep(cell, environment, FITS)
    assert Results(path, "build").find(cell, environment) == FITS
    assert Results(path, "other build").find(cell, environment) is None
    assert Results(path, "build").find(Cell(program(env={"A": "1"}), "2.6.0"), environment) is None
    assert Results(path, "build").find(Cell(program(shows="another text"), "2.6.0"), environment) == FITS
    install(tmp_path / "some", "numpy-2.0")
    assert Results(path, "build").find(cell, Environment(tmp_path / "some")) is None


def test_a_line_that_was_cut_off_costs_one_result(tmp_path: Path):
    path, environment = tmp_path / "results.jsonl", Environment(tmp_path / "none")
    first, second = (Cell(program(name), "2.6.0") for name in ("first", "second"))
    path.write_text('{"key": "a", "outc')
    Results(path, "build").keep(first, environment, FITS)
    Results(path, "build").keep(second, environment, LIMIT)
    kept = Results(path, "build")
    assert (kept.find(first, environment), kept.find(second, environment)) == (FITS, LIMIT)


def test_a_cell_that_became_worse_keeps_its_old_outcome_until_it_is_accepted(tmp_path: Path):
    path, cell = tmp_path / "board.json", Cell(program(), "2.6.0")
    for now, accept, expected in ((FITS, False, "fits"), (LIMIT, False, "fits"), (LIMIT, True, "unknown-values")):
        board = Board(path)
        board.record({cell: now}, accept)
        board.write([cell])
        assert Board(path).outcome(cell).word == expected
    assert Board(path).worse({cell: NOTHING}) == [cell]


def test_a_cell_that_is_not_installed_here_shows_what_is_known(tmp_path: Path):
    board, cell = Board(tmp_path / "board.json"), Cell(program(), "2.6.0")
    assert shown(cell, not_installed("numpy"), board) == not_installed("numpy")
    board.record({cell: FITS})
    assert shown(cell, not_installed("numpy"), board).word == "fits"
    assert shown(cell, LIMIT, board) == LIMIT


def test_the_kept_board_knows_only_cells_of_the_list_and_limits_that_are_described():
    listed, headings = read_list(), LIMITATIONS.read_text(encoding="utf-8")
    names = {cell.name for cell in listed.cells()}
    kept = json.loads(LIST.with_name("board.json").read_text(encoding="utf-8"))
    assert set(kept) <= names
    limits = {entry["word"] for entry in kept.values() if entry["state"] == "limit"}
    assert [limit for limit in limits if f"### {limit}\n" not in headings] == []


# ---- the page


def test_the_page_shows_each_kind_of_cell():
    programs = tuple(program(name) for name in ("fits", "limit", "fails", "old", "away", "later"))
    states = (FITS, LIMIT, NOTHING, Outcome("reason", "too old"), not_installed("numpy"), NOT_RUN)
    listed = ProgramList(programs, ("2.6.0",))
    outcomes = dict(zip(listed.cells(), states))
    text = page(listed, outcomes)
    for row in (
        "| fits | vision | ✔ fits |",
        "| limit | vision | [unknown-values](limitations.md#unknown-values) |",
        "| fails | vision | ✘ no answer |",
        "| old | vision | (1) |",
        "| away | vision | not installed |",
        "| later | vision | not run yet |",
    ):
        assert row in text
    assert "- (1) too old\n" in text


def test_the_summary_counts_the_share_of_the_cells_that_were_run():
    listed = ProgramList((program("one"), program("two"), program("three")), ("2.6.0",))
    line = summary(listed, dict(zip(listed.cells(), (FITS, LIMIT, NOT_RUN))))
    assert "3 programs, 3 cells: 2 were run, 1 of them ended in a verdict (50.0 %), 1 in a named limit" in line
    assert line.endswith("1 were not run yet.")
