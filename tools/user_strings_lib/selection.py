# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Which files have strings for users, and which of their strings those are.

A string is for users if it has words, and either a space or, where labels and headings stand, only one word. A string that may
be for users is listed: what is left out is what a rule below can name.
"""
from __future__ import annotations

import re
from fnmatch import fnmatch
from pathlib import Path
from typing import Callable, Iterator

from . import cpp, javascript, markup, python, scripts
from .expressions import Found

READERS: tuple[tuple[str, Callable[[str], Iterator[Found]]], ...] = (
    ("apps/**/*.cpp", cpp.strings_of),
    ("apps/**/*.h", cpp.strings_of),
    ("include/**/*.h", cpp.strings_of),
    ("src/**/*.cpp", cpp.strings_of),
    ("src/**/*.h", cpp.strings_of),
    ("src/report/page/*.js", javascript.strings_of),
    ("src/report/page/*.html", markup.strings_of),
    ("python/**/*.py", python.strings_of),
    ("tools/setup/*.sh", scripts.shell_strings),
    ("Makefile", scripts.make_strings),
    ("CMakeLists.txt", scripts.cmake_strings),
    ("cmake/*.cmake", scripts.cmake_strings),
)
LEFT_OUT_FILES = (
    # Tests and what they use.
    "*_test.cpp", "*testing.h", "*/testing/*", "*/testing_*", "*test_support.h", "*_fixture.h", "*_fuzz.cpp", "src/simulator/reference/*",
    # Programs for contributors.
    "apps/evaluate/*", "apps/oracle/*", "apps/train/*", "apps/train_compute/*", "src/training/*",
    # Names of features in model files.
    "src/predictor/*features.cpp", "src/predictor/probes.h",
    # The vendor's own names and texts, and pieces of assembler.
    "src/driver/nvml/chip.cpp", "src/driver/nvml/library.cpp", "src/driver/cuda/stubs.cpp",
)
# Here a single word may be a label or a heading; elsewhere it is a name or a key.
LABEL_FILES = (
    "apps/cli/*_text.cpp", "apps/cli/models.cpp", "apps/cli/history.cpp",
    "src/report/needs.cpp", "src/report/terminal*.cpp", "src/report/compute.cpp", "src/report/difference.cpp",
    "src/report/wording.cpp", "src/report/page/*.html",
)

VALUES = re.compile(r"\{\}|%-?\d*(?:\.\d+|\.\*)?(?:l|ll|z)?[a-zA-Z%]|\$\{[^}]*\}|\$\([^)]*\)|\$\w+|@\w+@|\\n")
WORD = re.compile(r"[A-Za-z][a-z]+")
UNITS = {"Gi", "Mi", "Ki", "Ti", "px", "ms", "em", "min"}
LABEL = re.compile(r"[A-Za-z][a-z]+(?: ✕)?[:.]?")
NOT_FOR_USERS = re.compile(
    r"""(?:SELECT|INSERT|DELETE|UPDATE|CREATE|DROP|PRAGMA|BEGIN|COMMIT|ROLLBACK|SAVEPOINT|RELEASE|ALTER)\s   # SQL
      | \w+\ (?:=|<|>=)\ \?$ | \w+(?:,\ \w+)*,\ \w+_\w+(?:,\ \w+)*$                                          # columns
      | "\w+":                                                                                              # JSON
      | .*(?:var\(--|\dpx|\{\}px|:\ \{\}%) | \((?:max-width|prefers-) | input,\ select$ | background:\ \{\}$ | \#\w # CSS
      | <\w+[^>]*>$                                                                                         # HTML
      | \w+(?:\.\w+)?\[[\w.,\ \[\]]+\]$ | (?:(?:un)?signed|long|short)\ (?:char|int)$                       # types
      | Concrete\ Inputs$ | Device\ Type$ | Input\ (?:Dims|Strides|type)$ | Sequence\ number$              # PyTorch's keys
    """,
    re.VERBOSE,
)
NAMES_ONLY = re.compile(r"(?:[\w.:]+\s+){3,}[\w.:]*\w")
LIKE_A_NAME = re.compile(r"\w*_\w*|\w+(?:\.|::)[A-Za-z]\w*")
WORDS_OF_SENTENCES = {"a", "and", "are", "as", "be", "is", "must", "needs", "not", "of", "or", "the", "to"}


def is_list_of_names(text: str) -> bool:
    """Operators of PyTorch, say: words without punctuation, with underscores or dots in some."""
    if not NAMES_ONLY.fullmatch(text) or WORDS_OF_SENTENCES.intersection(text.split()):
        return False
    return LIKE_A_NAME.search(text) is not None


def is_for_users(text: str, labels: bool = False) -> bool:
    text = text.strip()
    words = [word for word in WORD.findall(VALUES.sub(" ", text)) if word not in UNITS]
    if not words or NOT_FOR_USERS.match(text) or is_list_of_names(text):
        return False
    return bool(re.search(r"\s", text)) or (labels and LABEL.fullmatch(text) is not None)


def is_left_out(name: str) -> bool:
    return any(fnmatch(name, pattern) for pattern in LEFT_OUT_FILES)


def strings_of(root: Path) -> Iterator[tuple[str, Found]]:
    """The strings for users with the file that has them, in the order of files and lines."""
    readers = {path: reader for pattern, reader in READERS for path in root.glob(pattern)}
    for path in sorted(readers):
        name = path.relative_to(root).as_posix()
        if is_left_out(name):
            continue
        source = path.read_text(encoding="utf-8")
        labels = any(fnmatch(name, pattern) for pattern in LABEL_FILES)
        found = [each for each in readers[path](source) if is_for_users(each.text, labels)]
        if path.suffix == ".js":
            found += [each for each in javascript.labels_of(source) if is_for_users(each.text, labels=True)]
        for each in sorted(found, key=lambda one: one.line):
            yield name, each
