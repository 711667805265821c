# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""What tools/pictures makes of a terminal's text, and the finished page that it wrote."""

from __future__ import annotations

import importlib.machinery
import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "page"))

from payload import payloads  # noqa: E402


@pytest.fixture(scope="module")
def pictures() -> ModuleType:
    loader = importlib.machinery.SourceFileLoader("pictures", str(ROOT / "tools" / "pictures"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("pictures", loader))
    loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("a < b & c", "a &lt; b &amp; c"),
        ("\033[1mbold\033[0m plain", '<span style="font-weight:bold">bold</span> plain'),
        ("\033[1;2mboth\033[0m", '<span style="font-weight:bold"><span style="opacity:.6">both</span></span>'),
        ("\033[2mto the end", '<span style="opacity:.6">to the end</span>'),
        ("two\nlines", "two\nlines"),
    ],
)
def test_codes_become_spans_that_end(pictures: ModuleType, text: str, html: str) -> None:
    assert pictures.as_html(text) == html


def test_an_unknown_code_is_an_error(pictures: ModuleType) -> None:
    with pytest.raises(ValueError, match="35"):
        pictures.as_html("\033[35mnot of Dryfit's")


def test_the_finished_page_is_small_and_names_no_folder_of_the_machine_that_made_it(pictures: ModuleType) -> None:
    assert pictures.PAGE.stat().st_size < pictures.LARGEST_PAGE
    pages = payloads(pictures.PAGE)
    assert sorted(pages) == [pictures.FITS, pictures.FAILS]
    for page in pages.values():
        folders = {name for name in page.head["names"] if name.startswith("/")}
        assert folders and all(name.startswith("/tmp/dryfit-demo/") for name in folders)
