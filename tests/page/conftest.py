# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""A real Chromium, and pages to open in it. `make test-page` sees to both; elsewhere these tests are skipped where there
is no browser. DRYFIT_TEST_PAGE=1 makes that a failure."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any, Callable, Iterator

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
SAMPLE_PAGE = REPOSITORY / "build/release/tests/page/sample_page"
HANGING_MS = 300_000  # no machine is that slow: what takes longer hangs


def what_is_missing() -> str:
    """Of what these tests need; empty: nothing."""
    if importlib.util.find_spec("playwright") is None:
        return "no playwright in this Python"
    if shutil.which("chromium") is None:
        return "no chromium"
    return "" if SAMPLE_PAGE.exists() else "sample_page is not built"


def pytest_collection_modifyitems(items: "list[pytest.Item]") -> None:
    reason = what_is_missing()
    if not reason or os.environ.get("DRYFIT_TEST_PAGE"):
        return
    for item in items:
        if item.path.parent == Path(__file__).parent:
            item.add_marker(pytest.mark.skip(reason=f"{reason}; run make test-page"))


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        # A sandbox cannot be had under root or in a container; the pages are our own.
        started = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-dev-shm-usage"]
        )
        yield started
        started.close()


@pytest.fixture(scope="session")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """The page of an imagined job: the kinds are in sample_page.cpp."""
    folder = tmp_path_factory.mktemp("pages")

    def page(kind: str) -> Path:
        file = folder / f"{kind}.html"
        if not file.exists():
            subprocess.run([str(SAMPLE_PAGE), kind, str(file)], check=True, timeout=HANGING_MS / 1000)
        return file

    return page


class Opened:
    """A page in a tab, and what went wrong in it."""

    def __init__(
        self, context: Any, file: Path, prepare: "Callable[[Any], None]" = lambda tab: None, gpu: str = ""
    ) -> None:
        self.file = file
        self.tab = context.new_page()
        prepare(self.tab)
        self.troubles: "list[str]" = []
        self.requests: "list[str]" = []
        self.tab.on("console", lambda message: message.type in ("error", "warning") and self.troubles.append(message.text))
        self.tab.on("pageerror", lambda error: self.troubles.append(str(error)))
        self.tab.on("request", lambda request: self.requests.append(request.url))
        self.tab.goto(file.as_uri() + (f"#gpu={gpu}" if gpu else ""))
        self.tab.wait_for_selector("html[data-ready]", timeout=HANGING_MS)
        self.settle()

    def settle(self) -> None:
        """Two frames later everything is drawn."""
        self.tab.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")

    def text(self, selector: str) -> str:
        """Spaces that do not break are spaces."""
        return self.tab.inner_text(selector).replace("\u00a0", " ")

    def choose_gpu(self, gpu: str, name: str) -> None:
        """In the strip; waits until the verdict has that name."""
        self.tab.click(f'#strip [data-gpu="{gpu}"]')
        self.tab.wait_for_function("(name) => document.getElementById('verdict-title').textContent.includes(name)", arg=name)
        self.settle()

    def box(self, selector: str) -> "dict[str, float]":
        return self.tab.locator(selector).first.bounding_box()

    def rows(self, label: str) -> "list[str]":
        """A column of the table of tensors, also of rows that are out of sight and have no layout."""
        cells = self.tab.locator(f'#tensor-rows td[data-label="{label}"]')
        return cells.evaluate_all(
            """(cells) => cells.map((cell) => [...cell.childNodes]
                 .map((part) => (part.className === "sub" ? "\\n" : "") + part.textContent).join(""))"""
        )


@pytest.fixture
def opened(browser: Any) -> Iterator[Callable[..., Opened]]:
    """Opens a page; afterwards nothing may have gone wrong in it."""
    contexts, pages = [], []

    def open_page(
        file: Path, prepare: "Callable[[Any], None]" = lambda tab: None, gpu: str = "", **options: Any
    ) -> Opened:
        context = browser.new_context(**{"viewport": {"width": 1280, "height": 900}, "reduced_motion": "reduce", **options})
        context.set_default_timeout(HANGING_MS)
        contexts.append(context)
        pages.append(Opened(context, file, prepare, gpu))
        return pages[-1]

    yield open_page
    troubles = [trouble for page in pages for trouble in page.troubles]
    for context in contexts:
        context.close()
    assert troubles == []
