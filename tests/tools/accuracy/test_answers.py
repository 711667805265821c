# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""The file of answers: what is found again, and what makes an answer stale."""

from __future__ import annotations

from pathlib import Path
from typing import Callable

from accuracy_lib.answers import Answers, build_digest, closure, digest
from accuracy_lib.case import Case
from accuracy_lib.outcome import Outcome

MakeCase = Callable[..., Case]


def scripts(folder: Path) -> Path:
    (folder / "job.py").write_text("import torch\nfrom model import Model\n")
    (folder / "model.py").write_text("import layers\n")
    (folder / "layers.py").write_text("")
    (folder / "other.py").write_text("")
    return folder


def test_a_job_consists_of_its_script_and_what_that_imports_from_beside_it(tmp_path: Path) -> None:
    found = closure(scripts(tmp_path) / "job.py")
    assert {path.name for path in found} == {"job.py", "model.py", "layers.py"}


def test_a_package_stands_for_all_its_modules(tmp_path: Path) -> None:
    (tmp_path / "ops").mkdir()
    for name in ("__init__", "add", "norm"):
        (tmp_path / "ops" / f"{name}.py").write_text("")
    (tmp_path / "job.py").write_text("import ops.add\n")
    assert {path.name for path in closure(tmp_path / "job.py")} == {"job.py", "__init__.py", "add.py", "norm.py"}


def test_relative_imports_are_followed_through_packages(tmp_path: Path) -> None:
    package = tmp_path / "lib"
    (package / "sources").mkdir(parents=True)
    (package / "sources" / "one.py").write_text("from ..events import compare\nfrom . import two\n")
    (package / "sources" / "two.py").write_text("")
    (package / "events").mkdir()
    (package / "events" / "__init__.py").write_text("from .reader import read\n")
    (package / "events" / "reader.py").write_text("")
    names = {path.relative_to(package).as_posix() for path in closure(package / "sources" / "one.py")}
    assert names == {"sources/one.py", "sources/two.py", "events/__init__.py", "events/reader.py"}


def test_the_digest_covers_what_is_run_and_not_what_is_known_about_it(tmp_path: Path, make_case: MakeCase) -> None:
    folder = scripts(tmp_path)
    first = digest(make_case(), None, folder)
    assert digest(make_case(id="another", truth={"peak_reserved": 1}), None, folder) == first
    assert digest(make_case(card="h100"), None, folder) != first
    assert digest(make_case(job=("job.py", "--batch", "5")), None, folder) != first


def test_an_answer_is_found_again_until_dryfit_changes(tmp_path: Path, make_case: MakeCase) -> None:
    path = tmp_path / "new" / "answers.jsonl"
    outcome = Outcome(measured={"peak_reserved": 7}, verdict="fits", seconds=1.5)
    Answers(path, "build 1").keep(make_case(), "key", outcome)
    assert Answers(path, "build 1").find("key") == outcome
    assert Answers(path, "build 2").find("key") is None
    assert Answers(path, "build 2", any_build=True).find("key") == outcome
    assert Answers(path, "build 1", use_earlier=False).find("key") is None


def test_a_line_cut_short_spoils_neither_its_neighbours_nor_the_next_one(tmp_path: Path, make_case: MakeCase) -> None:
    path = tmp_path / "answers.jsonl"
    Answers(path, "b").keep(make_case(), "first", Outcome(verdict="fits"))
    with path.open("a") as file:
        file.write('{"source": "peaks", "id"')
    Answers(path, "b").keep(make_case(), "second", Outcome(verdict="fits"))
    found = Answers(path, "b")
    assert found.find("first") and found.find("second")


def test_a_failure_that_may_pass_is_tried_again_and_another_is_not(tmp_path: Path, make_case: MakeCase) -> None:
    path = tmp_path / "answers.jsonl"
    answers = Answers(path, "b")
    answers.keep(make_case(), "late", Outcome(error="no answer after 900 s", passing=True))
    answers.keep(make_case(), "wrong", Outcome(error="the program failed"))
    assert Answers(path, "b").find("late") is None
    assert Answers(path, "b").find("wrong").error == "the program failed"


def test_a_build_changes_with_the_name_or_content_of_any_installed_file(tmp_path: Path) -> None:
    command, library = tmp_path / "bin" / "dryfit", tmp_path / "lib" / "dryfit" / "libcuda.so.1"
    for path in (command, library):
        path.parent.mkdir(parents=True)
        path.write_text("1")
    first = build_digest(command)
    library.write_text("2")
    second = build_digest(command)
    library.rename(library.with_name("libnvidia-ml.so.1"))
    third = build_digest(command)
    (tmp_path / "lib" / "unrelated").write_text("")
    assert len({first, second, third}) == 3
    assert build_digest(command) == third
