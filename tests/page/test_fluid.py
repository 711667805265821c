# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""200,000 allocations stay fluid: from an input until the next picture less than 100 ms, by the browser's own clock.

Each interaction is done several times and the median counts."""

from __future__ import annotations

import statistics
from pathlib import Path
from typing import Any, Callable

import pytest

LONGEST_MS = 100
TIMES = 5
# Chromium's event timing tells of inputs that took this long or longer; shorter ones are as good as nothing.
OBSERVE = """() => { window.slowest = 0;
  new PerformanceObserver((list) => { for (const e of list.getEntries()) window.slowest = Math.max(window.slowest, e.duration); })
    .observe({ type: "event", durationThreshold: 16, buffered: false }); }"""
# What moves continuously is not in it: the handlers, and the picture after them.
WHEEL = """() => new Promise((done) => { const canvas = document.getElementById("canvas"); const begin = performance.now();
  canvas.dispatchEvent(new WheelEvent("wheel", { deltaY: -60, ctrlKey: true, clientX: 600, clientY: 500, cancelable: true }));
  requestAnimationFrame(() => { const sent = new MessageChannel(); sent.port1.onmessage = () => done(performance.now() - begin); sent.port2.postMessage(0); }); })"""
MOVE = WHEEL.replace('new WheelEvent("wheel", { deltaY: -60, ctrlKey: true,', 'new PointerEvent("pointermove", {').replace(
    "clientX: 600", "clientX: 300 + Math.random() * 500"
)


@pytest.fixture
def many(opened: Callable[..., Any], sample: Callable[[str], Path]) -> Any:
    page = opened(sample("many"))
    page.tab.evaluate(OBSERVE)
    return page


def drag(page: Any) -> None:
    box = page.box("#canvas")
    middle = box["y"] + box["height"] / 2
    page.tab.mouse.move(box["x"] + 200, middle)
    page.tab.mouse.down()
    page.tab.mouse.move(box["x"] + 400, middle)
    page.tab.mouse.up()


def choose_moment(page: Any) -> None:
    box = page.box("#canvas")
    page.tab.mouse.click(box["x"] + 333, box["y"] + 200)


INTERACTIONS: "dict[str, tuple[Callable[[Any], None], Callable[[Any], None]]]" = {
    "zoom by dragging": (drag, lambda page: page.tab.click("#zoom-all")),
    "zoom by a button": (lambda page: page.tab.click("#zoom-in"), lambda page: page.tab.click("#zoom-all")),
    "choose a moment": (choose_moment, lambda page: page.tab.click("#to-peak")),
    "choose a category": (lambda page: page.tab.click('[data-category="activations"]'), lambda page: page.tab.click('[data-category="activations"]')),
    "choose a frame": (lambda page: page.tab.locator('#flame .frame[aria-label^="h,"]').first.click(), lambda page: page.tab.click("#filters button")),
    "unfold": (lambda page: page.tab.click("#fold"), lambda page: page.tab.click("#fold")),
    "by line": (lambda page: page.tab.click('[data-view="line"]'), lambda page: page.tab.click('[data-view="module"]')),
    "search": (lambda page: page.tab.locator("#search").press_sequentially("c_f"), lambda page: page.tab.press("#search", "Escape")),
    "more rows": (lambda page: page.tab.click("#more"), lambda page: page.tab.locator("th button").first.click()),
    "move by a key": (lambda page: page.tab.press("#canvas", "ArrowRight"), lambda page: page.tab.press("#canvas", "0")),
}


def slowest(page: Any) -> float:
    """The longest of the inputs since window.slowest was set to 0. They are told a while after the picture."""
    for _ in range(10):
        page.settle()
        page.tab.wait_for_timeout(30)
        if page.tab.evaluate("() => window.slowest") > 0:
            break
    return page.tab.evaluate("() => window.slowest")


@pytest.mark.parametrize("name", INTERACTIONS)
def test_an_interaction_takes_less_than_a_tenth_of_a_second(many: Any, name: str, record_property: Any) -> None:
    act, undo = INTERACTIONS[name]
    taken = []
    for _ in range(TIMES):
        many.settle()
        many.tab.evaluate("() => { window.slowest = 0; }")
        act(many)
        taken.append(slowest(many))
        undo(many)
    record_property("milliseconds", taken)
    print(f"{name}: {taken} ms")
    assert statistics.median(taken) < LONGEST_MS


@pytest.mark.parametrize("script", [WHEEL, MOVE], ids=["wheel", "pointer"])
def test_what_moves_continuously_is_drawn_in_less_than_a_tenth_of_a_second(many: Any, script: str) -> None:
    taken = [many.tab.evaluate(script) for _ in range(3 * TIMES)]
    print([round(each, 1) for each in taken])
    assert statistics.median(taken) < LONGEST_MS


def test_there_are_two_hundred_thousand_allocations(many: Any) -> None:
    assert "counted: 20" in many.text("#conditions")
