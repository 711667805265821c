# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""README.md and the transcripts of the guides, done as a reader would do it: the commands of a page are run in order in a
folder with a copy of examples/, and what they print is compared with what the page says they print.

The language of a fenced block says what it is:

    console   a transcript. A line that begins with "$ " is a command; the lines below it are its stdout, and a line "…"
              stands for any lines.
    sh        commands without their output. They must end with exit code 0.
    python    a program. What a `print` line says behind "#" must be what it prints.

All blocks of README.md are run; of the guides in GUIDES the transcripts, because their other blocks are about scripts of
the reader.

In a transcript the exit code is 3 if "does not fit" is printed, otherwise 0. Words and whole numbers must be the same.
Sizes (a number before KiB, MiB or GiB, or "of" another size) may differ by 1 %, so that the page stays true when an
estimate of the CUDA context changes by a few MiB. Bars may be of another length. Times, and the number of a process in the
name of its recording, are not compared. Blanks count as one.

Commands that build or install are not run again. Their make target or their test must exist: `make demo` is what a
checkout is set up with, and tests/packaging installs the wheel that `pip install .` makes.
"""

from __future__ import annotations

import itertools
import json
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Iterator

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(REPOSITORY / "tools"))

from dryfit_command import DRYFIT  # noqa: E402

README = "README.md"
PAGES = (README, *sorted(str(page.relative_to(REPOSITORY)) for page in REPOSITORY.glob("docs/*.md")))
GUIDES = ("docs/run.md", "docs/replay.md", "docs/limits.md", "docs/explain.md")
PYTHON = REPOSITORY / ".venv" / "torch-2.6.0" / "bin" / "python"
HANGING_SECONDS = 1800  # no machine is that slow: what takes longer hangs
FITS_NOT = 3
ANY_LINES = "…"
SIZE_TOLERANCE = 0.01
# What a command that is not run again is checked by.
TESTED_ELSEWHERE = {"pip install .": "tests/packaging/test_wheel.py"}

needs_dryfit = pytest.mark.skipif(not DRYFIT.exists(), reason="bin/dryfit is not built; run make build")
needs_torch = pytest.mark.skipif(not PYTHON.exists(), reason=".venv/torch-2.6.0 is not there; run make setup")


# ---- what the page says


@dataclass(frozen=True)
class Block:
    page: str
    language: str
    line: int  # of the first line in it
    text: str


@dataclass(frozen=True)
class Step:
    """A command of the page, and what it should print; None if the page does not say."""

    page: str
    line: int
    command: str
    printed: "str | None"

    def __str__(self) -> str:
        return f"{self.page}-{self.line}"

    @property
    def exit_code(self) -> int:
        return FITS_NOT if self.printed and "does not fit" in self.printed else 0


def text_of(page: str) -> str:
    return (REPOSITORY / page).read_text(encoding="utf-8")


def blocks_of(page: str) -> "list[Block]":
    text = text_of(page)
    found = re.finditer(r"^```(\w*)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    return [Block(page, each[1], text.count("\n", 0, each.start(2)) + 1, each[2]) for each in found]


def without_comment(command: str) -> str:
    return re.sub(r"\s+# .*$", "", command)


def shell_steps(block: Block) -> "Iterator[Step]":
    for number, line in enumerate(block.text.splitlines(), start=block.line):
        if line.strip():
            yield Step(block.page, number, without_comment(line), None)


def transcript_steps(block: Block) -> "Iterator[Step]":
    number = block.line
    for command, printed in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", block.text, re.MULTILINE):
        yield Step(block.page, number, command, printed)
        number += 1 + printed.count("\n")


def python_steps(block: Block) -> "Iterator[Step]":
    said = re.findall(r"^print\(.*\)\s+# (.*)$", block.text, re.MULTILINE)
    program = f"python - <<'END'\n{block.text}END"
    yield Step(block.page, block.line, program, "".join(f"{line}\n" for line in said))


KINDS = {"sh": shell_steps, "console": transcript_steps, "python": python_steps}
STEPS = [step for block in blocks_of(README) for step in KINDS.get(block.language, lambda _: iter(()))(block)]
INSTALLING = [step for step in STEPS if re.match(r"make |pip ", step.command)]
RUN = [step for step in STEPS if step not in INSTALLING]
TRANSCRIPTS = [block for page in GUIDES for block in blocks_of(page) if block.language == "console"]
RUN += [step for block in TRANSCRIPTS for step in transcript_steps(block)]


# ---- what was printed


def same_number(said: str, printed: str, behind: str) -> bool:
    """`behind` is the text of the page behind the number."""
    if re.match(r" ?m?s\b", behind):
        return True
    if re.match(r" (?:of [\d.]+ )?[KMG]iB", behind):
        return abs(float(printed) - float(said)) <= SIZE_TOLERANCE * float(said)
    return printed == said


def plain_line(line: str) -> str:
    """Without what is not compared, except for numbers."""
    for pattern, instead in ((r"[█▓▒░│]+", "█"), (r"history-\d+", "history-N"), (r"\s+", " ")):
        line = re.sub(pattern, instead, line)
    return line.strip()


def same_line(said: str, printed: str) -> bool:
    plain = [plain_line(line) for line in (said, printed)]
    number = re.compile(r"\d+(?:\.\d+)?")
    if number.sub("0", plain[0]) != number.sub("0", plain[1]):
        return False
    pairs = zip(number.finditer(plain[0]), number.findall(plain[1]))
    return all(same_number(match.group(), other, plain[0][match.end() :]) for match, other in pairs)


def same_text(said: "list[str]", printed: "list[str]") -> bool:
    """Whether `printed` is what `said` describes; a line "…" in it stands for any lines."""
    if not said:
        return not printed
    if said[0] == ANY_LINES:
        return any(same_text(said[1:], printed[skipped:]) for skipped in range(len(printed) + 1))
    return bool(printed) and same_line(said[0], printed[0]) and same_text(said[1:], printed[1:])


class Reader:
    """Works through each page in a folder of its own, when the first of its commands is asked about."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.outcomes: "dict[Step, subprocess.CompletedProcess[str]]" = {}

    def place(self, page: str) -> Path:
        return self.folder / Path(page).stem

    def outcome(self, step: Step) -> "subprocess.CompletedProcess[str]":
        if step not in self.outcomes:
            self.work_through(step.page)
        return self.outcomes[step]

    def work_through(self, page: str) -> None:
        """Later commands are about the runs of earlier ones."""
        place = self.place(page)
        shutil.copytree(REPOSITORY / "examples", place / "examples")
        environment = {
            **os.environ,
            "PATH": f"{DRYFIT.parent}:{PYTHON.parent}:{os.environ['PATH']}",
            "PYTHONPATH": str(REPOSITORY / "python"),  # where `pip install .` takes the module from
            "XDG_CACHE_HOME": str(place / "cache"),
            "LC_ALL": "C.UTF-8",
        }
        for step in RUN:
            if step.page == page:
                self.outcomes[step] = subprocess.run(
                    ["bash", "-c", step.command],
                    capture_output=True, text=True, timeout=HANGING_SECONDS, cwd=place, env=environment,
                )  # fmt: skip


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> Reader:
    return Reader(tmp_path_factory.mktemp("reader"))


@pytest.mark.slow
@pytest.mark.torch
@needs_dryfit
@needs_torch
@pytest.mark.parametrize("step", RUN, ids=str)
def test_a_command_does_what_the_page_says(step: Step, reader: Reader) -> None:
    done = reader.outcome(step)
    assert done.returncode == step.exit_code, done.stdout + done.stderr
    if step.printed is not None:
        assert same_text(step.printed.splitlines(), done.stdout.splitlines()), done.stdout


@pytest.mark.slow
@pytest.mark.torch
@needs_dryfit
@needs_torch
def test_the_page_about_the_run_is_written(reader: Reader) -> None:
    (report,) = [step for step in RUN if step.page == README and step.command.startswith("dryfit report")]
    assert reader.outcome(report).returncode == 0
    assert "GPT2LMHeadModel" in (reader.place(README) / "dryfit-report.html").read_text(encoding="utf-8")


# ---- the page itself


def test_every_block_has_a_language_that_is_run() -> None:
    assert {block.language for block in blocks_of(README)} == set(KINDS)
    assert {step.page for step in RUN} == {README, *GUIDES}


@pytest.mark.parametrize("step", INSTALLING, ids=str)
def test_a_command_that_installs_is_tested_elsewhere(step: Step) -> None:
    assert step.command in TESTED_ELSEWHERE
    assert (REPOSITORY / TESTED_ELSEWHERE[step.command]).exists()


def test_every_make_target_that_is_named_exists() -> None:
    named = set(re.findall(r"`make ([\w-]+)", text_of(README)))
    makefile = (REPOSITORY / "Makefile").read_text(encoding="utf-8")
    assert "demo" in named
    assert [target for target in named if not re.search(rf"^{target}:", makefile, re.MULTILINE)] == []


def help_of(*command: str) -> str:
    return subprocess.run([DRYFIT, *command, "--help"], capture_output=True, text=True, check=True).stdout


def lines_of_dryfit(page: str) -> "Iterator[tuple[str, str]]":
    """Each command of ours that a page shows, in a block or within a line, and what follows it up to the user's command."""
    shown = re.finditer(r"(?:`|^\$ |^)dryfit ([a-z]+)\b([^`\n]*)", text_of(page), re.MULTILINE)
    for match in shown:
        yield match[1], re.split(r" -- | [|#>] ", match[2])[0]


@needs_dryfit
@pytest.mark.parametrize("page", PAGES)
def test_every_command_and_option_that_is_named_exists(page: str) -> None:
    commands, unknown = help_of(), []
    for command, rest in lines_of_dryfit(page):
        if not re.search(rf"^ +{command}\b", commands, re.MULTILINE):
            unknown.append(command)
            continue
        known = help_of(command)
        options = re.findall(r"(?<!\S)--[a-z][a-z-]*", rest)
        unknown += [f"{command} {option}" for option in options if not re.search(rf"{option}(?![a-z-])", known)]
    assert unknown == []


def table_rows(text: str, head: str) -> "list[list[str]]":
    """The cells of the first table below a head that begins with `head`."""
    lines = itertools.dropwhile(lambda line: not line.startswith(head), text.splitlines())
    table = list(itertools.takewhile(lambda line: line.startswith("|"), lines))
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in table[2:]]


def figures(cells: "list[str]") -> "set[str]":
    return set(re.findall(r"\d[\d.,]*\d|\d", " ".join(cells)))


def test_accuracy_is_that_of_its_page() -> None:
    """All figures of a row stand together in a row of the table of docs/accuracy.md."""
    shown, known = (table_rows(text_of(page), "| measured by others") for page in (README, "docs/accuracy.md"))
    known_figures = [figures(cells[1:]) for cells in known]
    assert len(shown) >= 8 and len(known) >= 8
    assert [cells for cells in shown if not any(figures(cells[1:]) <= each for each in known_figures)] == []


def test_the_finished_page_is_about_the_run_of_the_transcript() -> None:
    data = re.search(r'id="verdict-data">(.*?)</script>', text_of("docs/demo.html"), re.DOTALL)
    assert data
    verdict = json.loads(data[1])
    (transcript,) = [block for block in blocks_of(README) if block.language == "console"]
    assert f"-- {' '.join(verdict['command'])}\n" in transcript.text
    for result in verdict["results"]:
        row = next(line for line in transcript.text.splitlines() if line.startswith(result["card"] + " "))
        assert result["verdict"].replace("-", " ") in row
        assert f"of {result['capacity_bytes'] / 2**30:.2f} GiB" in row
        if result["verdict"] == "fits":
            assert f" {result['device_peak_bytes'] / 2**30:.2f} of" in row


def test_the_commands_of_a_page_are_found_with_their_options() -> None:
    assert ("run", " --gpu rtx-3060-12gb,rtx-4060-8gb") in lines_of_dryfit(README)
    assert ("predict", " --model resnet50 --batch 64 --gpu rtx-4090  ") in lines_of_dryfit(README)
    assert ("report", "") in lines_of_dryfit(README)


# ---- the rules above


SAID = ["step 1: loss 1.0000", "ran 3 steps in 9.8 s", "| 9.01 of 11.76 GiB  786 MiB", "██▓░"]


@pytest.mark.parametrize(
    "printed",
    [
        SAID,
        ["step 1: loss 1.0000", "ran 3 steps in 41 s", "| 9.05 of 11.76 GiB  786 MiB", "██▓░"],
        ["step 1: loss 1.0000", "ran 3 steps in 9.8 s", "|   9.01 of 11.76 GiB 790 MiB", "█▓░░"],
        [*SAID[:3], "▓▓▓"],
    ],
)
def test_times_bars_and_small_differences_are_allowed(printed: "list[str]") -> None:
    assert same_text(SAID, printed)


@pytest.mark.parametrize(
    ("line", "printed"),
    [
        (0, "step 2: loss 1.0000"),
        (0, "step 1: loss 0.9990"),
        (1, "ran 4 steps in 9.8 s"),
        (1, "ended after 3 steps in 9.8 s"),
        (2, "| 9.25 of 11.76 GiB  786 MiB"),
        (2, "| 9.01 of 12.00 GiB  786 MiB"),
        (2, "| 9.01 of 11.76 GiB  800 MiB"),
        (3, "nothing"),
    ],
)
def test_other_words_counts_and_sizes_are_not(line: int, printed: str) -> None:
    assert not same_text(SAID, [*SAID[:line], printed, *SAID[line + 1 :]])


def test_left_out_lines_may_be_any_but_the_others_must_be_there() -> None:
    said = ["one", ANY_LINES, "three"]
    assert same_text(said, ["one", "three"]) and same_text(said, ["one", "two", "two", "three"])
    assert not same_text(said, ["one", "two"]) and not same_text(said, ["one", "three", "four"])
    assert not same_text(["one"], ["one", "two"]) and same_text(["one", ANY_LINES], ["one", "two"])
