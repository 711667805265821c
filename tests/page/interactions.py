# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""What a person does on the page, and how each is undone: for tests/page/test_fluid.py and bench/page."""

from __future__ import annotations

from typing import Any, Callable, Dict, Tuple

Act = Callable[[Any], None]


def chart_box(tab: Any) -> Dict[str, float]:
    tab.locator("#canvas").scroll_into_view_if_needed()
    return tab.locator("#canvas").bounding_box()


def drag(tab: Any) -> None:
    box = chart_box(tab)
    middle = box["y"] + box["height"] / 2
    tab.mouse.move(box["x"] + 200, middle)
    tab.mouse.down()
    tab.mouse.move(box["x"] + 400, middle)
    tab.mouse.up()


def choose_moment(tab: Any) -> None:
    box = chart_box(tab)
    tab.mouse.click(box["x"] + 333, box["y"] + 200)


def point(tab: Any) -> None:
    box = chart_box(tab)
    tab.mouse.move(box["x"] + 300, box["y"] + 200)


def leave(tab: Any) -> None:
    tab.mouse.move(2, 2)


def wheel(tab: Any) -> None:
    point(tab)
    tab.keyboard.down("Control")
    tab.mouse.wheel(0, -60)
    tab.keyboard.up("Control")


def click(selector: str) -> Act:
    return lambda tab: tab.locator(selector).first.click()


def press(selector: str, key: str) -> Act:
    return lambda tab: tab.press(selector, key)


def type_word(tab: Any) -> None:
    tab.locator("#search").press_sequentially("c_f")


# Work in proportion to what is shown, however large the run is.
LOOKING: Dict[str, Tuple[Act, Act]] = {
    "zoom by dragging": (drag, click("#zoom-all")),
    "zoom with a button": (click("#zoom-in"), click("#zoom-all")),
    "zoom with the wheel": (wheel, click("#zoom-all")),
    "point at the chart": (point, leave),
    "move with a key": (press("#canvas", "ArrowRight"), press("#canvas", "0")),
    "more rows": (click("#more"), click("#tensor-head button")),
}

# Each asks something of every tensor once.
ASKING: Dict[str, Tuple[Act, Act]] = {
    "choose a moment": (choose_moment, click("#to-peak")),
    "choose a category": (click('[data-category="parameters"]'), click('[data-category="parameters"]')),
    "choose a frame": (click('#flame .frame[aria-label^="h,"]'), click("#filters button")),
    "unfold": (click("#fold"), click("#fold")),
    "by source line": (click('[data-view="line"]'), click('[data-view="module"]')),
    "search": (type_word, press("#search", "Escape")),
}
