# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""tools/check_docs, run on small sets of pages that are right or wrong in one way each, and on our own."""
from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
CHECK = ROOT / "tools/check_docs"

SOUND_PAGES = {
    "README.md": "# Tool\n[Docs](docs/README.md), [how](docs/how.md#the-way), [site](https://example.org/x.md#y)\n"
                 "![A picture](docs/images/one.png)\n",
    "CONTRIBUTING.md": "# Contributing\n[A folder](docs/decisions) and [this page](#contributing)\n",
    "docs/README.md": "# Docs\n- [How](how.md)\n- [One](decisions/0001-one.md \"a title\")\n",
    "docs/how.md": "# How\n\n## The way\n\n## What `--gpu` does, exactly\n\n## The way\n\n"
                   "[back](README.md), [below](#what---gpu-does-exactly), [again](#the-way-1), [more][deep]\n\n"
                   "[deep]: deep.md\n",
    "docs/deep.md": "# Deep\n<a name=\"mark\"></a>\n[here](#mark)\n",
    "docs/decisions/0001-one.md": "# One\nIt was decided for a card that is not there.\n",
    "docs/images/one.png": "",
}


def run_check(root: Path, changes: dict[str, str]) -> subprocess.CompletedProcess[str]:
    for name, text in {**SOUND_PAGES, **changes}.items():
        file = root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return subprocess.run([sys.executable, str(CHECK), str(root)], capture_output=True, text=True)


def test_our_own_pages_pass() -> None:
    result = subprocess.run([sys.executable, str(CHECK), str(ROOT)], capture_output=True, text=True)
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")


def test_sound_pages_pass_in_silence(tmp_path: Path) -> None:
    result = run_check(tmp_path, {})
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")


@pytest.mark.parametrize(
    ("file", "text", "place", "reason"),
    [
        ("README.md", "# x\n\n[a](gone.md)\n", "README.md:3", "'gone.md' leads to no file"),
        ("README.md", "[a\nb](gone.md)\n", "README.md:2", "'gone.md' leads to no file"),
        ("README.md", "![a](docs/images/two.png)\n", "README.md:1", "'docs/images/two.png' leads to no file"),
        ("README.md", '<img src="two.png">\n', "README.md:1", "'two.png' leads to no file"),
        ("README.md", "[a](docs/how.md#the-wax)\n", "README.md:1", "leads to no heading of docs/how.md"),
        ("README.md", "[a](#gone)\n", "README.md:1", "leads to no heading of README.md"),
        ("docs/deep.md", "[a](../../outside.md)\n", "docs/deep.md:1", "leaves the repository"),
        ("docs/deep.md", "[a](/docs/how.md)\n", "docs/deep.md:1", "leaves the repository"),
        ("docs/deep.md", "[a][b]\n\n[b]: gone.md\n", "docs/deep.md:3", "'gone.md' leads to no file"),
        ("tests/some/README.md", "[a](gone.md)\n", "tests/some/README.md:1", "'gone.md' leads to no file"),
    ],
)
def test_a_link_that_leads_nowhere_is_named_with_its_line(
    tmp_path: Path, file: str, text: str, place: str, reason: str
) -> None:
    result = run_check(tmp_path, {file: text})
    assert result.returncode == 1
    assert result.stdout.startswith(f"{place}: ")
    assert reason in result.stdout
    assert len(result.stdout.splitlines()) == 1


def test_a_page_that_no_link_leads_to_is_named(tmp_path: Path) -> None:
    result = run_check(tmp_path, {"docs/alone.md": "# Alone\n[Index](README.md)\n"})
    assert (result.returncode, result.stdout) == (1, "docs/alone.md:1: no link leads here from docs/README.md\n")


def test_a_front_page_of_more_than_150_lines_is_too_long(tmp_path: Path) -> None:
    link = "[Docs](docs/README.md)\n"
    assert run_check(tmp_path, {"README.md": link + "line\n" * 149}).returncode == 0
    result = run_check(tmp_path, {"README.md": link + "line\n" * 150})
    assert result.returncode == 1
    assert result.stdout.startswith("README.md:151: 151 lines, 150 at most")


def test_a_page_outside_of_docs_needs_no_link(tmp_path: Path) -> None:
    assert run_check(tmp_path, {"tests/some/README.md": "# Samples\n"}).returncode == 0


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("It fits on every asked card.", "asked card"),
        ("It tells whether a job fits.", "tells whether"),
        ("Runs on a card that\nis not there, on cards that are not there.", "cards that are not there"),
        ("A table for who cannot see it.", "for who cannot"),
        ("The file is no trace.", "is no"),
        ("One that Could Not Be Told.", "Could Not Be Told"),
    ],
)
def test_a_phrase_with_a_plainer_word_is_named(tmp_path: Path, line: str, found: str) -> None:
    result = run_check(tmp_path, {"docs/deep.md": f"# Deep\n{line}\n"})
    assert result.returncode == 1
    assert f": '{found}': write " in result.stdout


@pytest.mark.parametrize(
    "line",
    [
        "Dryfit tells you whether a job fits.",
        "There is no GPU here, and it is no longer needed; where there are no steps, nothing ends.",
        "`the asked card` is a key, and so is\n```\nthe asked card\n```\n",
        "A marshalled value.",
        "<!-- the asked card -->",
        "[The page](how.md#the-way)",
    ],
)
def test_code_comments_and_innocent_words_are_left_alone(tmp_path: Path, line: str) -> None:
    result = run_check(tmp_path, {"docs/deep.md": f"# Deep\n{line}\n"})
    assert (result.returncode, result.stdout) == (0, "")


def test_links_inside_code_are_not_followed(tmp_path: Path) -> None:
    text = "# Deep\n`[a](gone.md)`\n\n````\n```\n[b](gone.md)\n```\n````\n"
    assert run_check(tmp_path, {"docs/deep.md": text}).returncode == 0


def test_pages_without_an_index_cannot_be_checked(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("# Tool\n")
    result = subprocess.run([sys.executable, str(CHECK), str(tmp_path)], capture_output=True, text=True)
    assert result.returncode == 2
    assert "docs/README.md is missing" in result.stderr
