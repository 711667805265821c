# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""A page with 200,000 allocations stays fluid. No clock is read here, because a time measures the machine: the work is
counted (blocks of the script that ran, calls of the canvas, nodes that changed, elements that were styled) and compared with
that of a small page, in the same run. bench/page measures the milliseconds."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any, Callable, Dict, Iterator, NamedTuple

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))

from conftest import Opened  # noqa: E402
from interactions import ASKING, LOOKING, click  # noqa: E402
from payload import payloads  # noqa: E402

SIZES = ("fits", "many")
CARD = "a100-40gb"
MORE_ROWS = 80

# Counts every call that draws on a canvas.
COUNT_CANVAS = """() => { window.canvasCalls = 0;
  for (const name of Object.getOwnPropertyNames(CanvasRenderingContext2D.prototype)) {
    const own = Object.getOwnPropertyDescriptor(CanvasRenderingContext2D.prototype, name);
    if (typeof own.value !== "function") continue;
    CanvasRenderingContext2D.prototype[name] = function (...given) { ++window.canvasCalls; return own.value.apply(this, given); };
  } }"""
# Collects what changes in the document, but for the table's own growth.
WATCH = """() => { window.changed = { rows: 0, removed: 0, elsewhere: [] };
  for (const row of document.getElementById("tensor-rows").children) row.wasThere = true;
  const record = (list) => { for (const each of list) {
    if (each.target.id === "tensor-rows") { window.changed.rows += each.addedNodes.length; window.changed.removed += each.removedNodes.length; }
    else if (!each.target.closest?.("#more") && !each.target.parentElement?.closest("#more")) window.changed.elsewhere.push(each.target.nodeName + "#" + each.target.id);
  } };
  window.watching?.disconnect();
  window.watching = new MutationObserver(record);
  window.watching.observe(document, { subtree: true, childList: true, attributes: true, characterData: true }); }"""


class Work(NamedTuple):
    blocks: int  # of the page's script, as often as each ran
    canvas: int
    elements: int  # made


class Counted:
    """A page opened so that its work can be counted."""

    def __init__(self, browser: Any, file: Path) -> None:
        context = browser.new_context(viewport={"width": 1280, "height": 900}, reduced_motion="reduce")
        self.page = Opened(context, file, self.__prepare, CARD)
        self.page.tab.click("#group")  # a row for each tensor

    def __prepare(self, tab: Any) -> None:
        tab.add_init_script(f"({COUNT_CANVAS})()")
        tab.add_init_script(
            """{ window.elementsMade = 0; const make = document.createElement;
                 Document.prototype.createElement = function (...given) { ++window.elementsMade; return make.apply(this, given); }; }"""
        )
        self.session = tab.context.new_cdp_session(tab)
        self.session.send("Profiler.enable")
        self.session.send("Profiler.startPreciseCoverage", {"callCount": True, "detailed": True})

    def __taken(self) -> Work:
        scripts = self.session.send("Profiler.takePreciseCoverage")["result"]
        ours = [script for script in scripts if script["url"].startswith("file:")]
        blocks = sum(each["count"] for script in ours for function in script["functions"] for each in function["ranges"])
        canvas, elements = self.page.tab.evaluate("() => [window.canvasCalls, window.elementsMade]")
        self.page.tab.evaluate("() => { window.canvasCalls = window.elementsMade = 0; }")
        return Work(blocks, canvas, elements)

    def work(self, act: Callable[[Any], None]) -> Work:
        self.page.settle()
        self.__taken()
        act(self.page.tab)
        self.page.settle()
        return self.__taken()


@pytest.fixture(scope="module")
def counted(browser: Any, sample: Callable[[str], Path]) -> Iterator[Dict[str, Counted]]:
    pages = {size: Counted(browser, sample(size)) for size in SIZES}
    yield pages
    troubles = [trouble for each in pages.values() for trouble in each.page.troubles]
    for each in pages.values():
        each.page.tab.context.close()
    assert troubles == []


def works(counted: "Dict[str, Counted]", act: Callable[[Any], None], undo: Callable[[Any], None]) -> "tuple[Work, Work]":
    """In the small page and in the large one."""
    found = []
    for size in SIZES:
        found.append(counted[size].work(act))
        undo(counted[size].page.tab)
    small, large = found
    print(f"small: {small}, large: {large}")
    return small, large


@pytest.fixture(scope="module")
def ratios(sample: Callable[[str], Path]) -> Dict[str, float]:
    """How many times as much the large page has of what lives at the peak, and of everything."""
    small, large = (payloads(sample(size))[CARD] for size in SIZES)
    assert len(large.born) > 200_000
    return {
        "living": len(large.living(large.fullest())) / len(small.living(small.fullest())),
        "all": len(large.born) / len(small.born),
    }


@pytest.mark.parametrize("name", LOOKING)
def test_looking_around_hardly_costs_more_in_a_large_run(counted: Dict[str, Counted], ratios: Dict[str, float], name: str) -> None:
    small, large = works(counted, *LOOKING[name])
    assert ratios["all"] > 100
    assert 0 < large.blocks < 5 * small.blocks  # a column of pixels looks into two blocks of sums at most
    assert large.canvas <= 2 * small.canvas
    assert large.elements <= small.elements + 300  # steps and phases above the chart, as many as there is room for


@pytest.mark.parametrize("name", ASKING)
def test_a_question_costs_in_proportion_to_the_tensors_it_is_about(counted: Dict[str, Counted], ratios: Dict[str, float], name: str) -> None:
    small, large = works(counted, *ASKING[name])
    about = "all" if name == "choose a moment" else "living"  # who lives at a moment is asked of all
    assert 0 < large.blocks < 2 * ratios[about] * small.blocks
    assert large.canvas <= 2 * small.canvas  # what is drawn is as large as the screen


@pytest.mark.parametrize("size", SIZES)
def test_more_rows_are_added_and_nothing_else_changes(opened: Callable[..., Any], sample: Callable[[str], Path], size: str) -> None:
    page = opened(sample(size), gpu=CARD)
    page.tab.click("#group")
    page.settle()
    for press in (1, 2):
        before = page.tab.locator("#tensor-rows > *").count()
        page.tab.evaluate(WATCH)
        page.tab.click("#more")
        page.settle()
        assert page.tab.evaluate("() => window.changed") == {"rows": MORE_ROWS, "removed": 0, "elsewhere": []}
        kept = page.tab.evaluate("() => [...document.getElementById('tensor-rows').children].filter((row) => row.wasThere).length")
        assert kept == before == 20 + (press - 1) * MORE_ROWS


def test_more_rows_cost_the_same_whatever_the_size_of_the_run(counted: Dict[str, Counted]) -> None:
    small, large = works(counted, *LOOKING["more rows"])
    assert large.blocks < 1.1 * small.blocks
    assert large.elements < 1.1 * small.elements


def test_each_press_for_more_rows_costs_the_same(counted: Dict[str, Counted]) -> None:
    more = click("#more")
    presses = [counted["many"].work(more) for _ in range(4)]
    click("#tensor-head button")(counted["many"].page.tab)
    assert max(press.blocks for press in presses) < 1.1 * min(press.blocks for press in presses)
    assert max(press.elements for press in presses) < 1.1 * min(press.elements for press in presses)


def test_rows_out_of_sight_are_neither_styled_nor_laid_out(browser: Any, opened: Callable[..., Any], sample: Callable[[str], Path]) -> None:
    page = opened(sample("many"), gpu=CARD, viewport={"width": 1280, "height": 500})
    page.tab.click("#group")
    page.settle()
    inside = "() => document.querySelectorAll('#tensor-rows, #tensor-rows *').length"
    before = page.tab.evaluate(inside)
    browser.start_tracing(page=page.tab, categories=["devtools.timeline"])
    page.tab.click("#more")
    page.settle()
    events = json.loads(browser.stop_tracing())["traceEvents"]
    added = page.tab.evaluate(inside) - before
    styled = sum(event["args"].get("elementCount", 0) for event in events if event["name"] == "UpdateLayoutTree")
    print(f"{added} elements added, {styled} styled")
    assert added > 10 * MORE_ROWS
    assert 0 < styled < added
