# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Two plots per source: how the errors are spread, per GPU and tool, and estimates against measured peaks."""

from __future__ import annotations

from statistics import median
from typing import Iterable, Sequence

from . import metrics, svg
from .outcome import Result
from .tables import gibibytes, percent

Results = Sequence[Result]

WIDTH = 440
GUTTER = 124  # left of the lanes, for their names
LANE = 17
HEADING = 22
BOTTOM = 34
EXACT_X = GUTTER + 16  # where errors of zero go, outside the logarithmic axis
ERRORS = svg.LogScale(1e-5, 2.0, GUTTER + 48, WIDTH - 14)
ERROR_TICKS = (1e-4, 1e-3, 1e-2, 1e-1, 1.0)

SCATTER_LEFT = 50
SCATTER_HEIGHT = 330
MARGIN = 1.5  # the axes extend this many times beyond the smallest and the largest size
GIB = 1 << 30


def tool_class(tool: str) -> str:
    """A class of the page's style sheet: one colour per tool."""
    return "t-" + "".join(letter if letter.isalnum() else "-" for letter in tool)


def _hint(point: metrics.Point, tool: str) -> str:
    sizes = f"{tool} {gibibytes(point.guess)} GiB, measured {gibibytes(point.truth)} GiB"
    off = f"{percent(abs(point.guess - point.truth) / point.truth, 3)} ({point.guess - point.truth:+,.0f} bytes)"
    return f"{point.result.case.id}\n{sizes}, off by {off}"


# ---- spread of the errors


def spread(results: Results) -> str:
    """A lane per GPU and tool, a dot per row, a bar at the median."""
    shapes: list[str] = []
    y = 8.0
    for card, members in _cards(results).items():
        y += HEADING
        shapes.append(svg.label(0, y - 8, card, "heading"))
        for tool, estimate in metrics.estimators(members).items():
            points = metrics.points(members, estimate)
            if points:
                shapes += _lane(y, tool, points)
                y += LANE
    return svg.drawing(WIDTH, y + BOTTOM, [*_error_axis(y), *shapes], "relative error per GPU and tool")


def _cards(results: Results) -> dict[str, list[Result]]:
    cards: dict[str, list[Result]] = {}
    for result in results:
        if metrics.has_truth(result) and not result.not_run:
            cards.setdefault(result.case.card, []).append(result)
    return dict(sorted(cards.items()))


def _error_place(error: float) -> float:
    return EXACT_X if error == 0 else ERRORS.place(error)


def _lane(y: float, tool: str, points: Sequence[metrics.Point]) -> Iterable[str]:
    middle = y + LANE / 2
    yield svg.label(GUTTER - 8, middle + 4, tool, "lane " + tool_class(tool), "end")
    for index, point in enumerate(points):
        scatter = ((index * 7) % 11 - 5) * 0.9  # separates neighbours, and is the same on every run
        yield svg.circle(_error_place(point.error), middle + scatter, 2.6, tool_class(tool), _hint(point, tool))
    x = _error_place(median(point.error for point in points))
    yield svg.line(x, y + 1, x, y + LANE - 1, "median " + tool_class(tool))


def _error_axis(bottom: float) -> Iterable[str]:
    yield svg.line(EXACT_X, 16, EXACT_X, bottom + 4, "grid")
    yield svg.label(EXACT_X, bottom + 18, "exact", "tick", "middle")
    for tick in ERROR_TICKS:
        x = ERRORS.place(tick)
        yield svg.line(x, 16, x, bottom + 4, "grid")
        yield svg.label(x, bottom + 18, f"{100 * tick:g} %", "tick", "middle")
    yield svg.label(WIDTH - 14, bottom + 31, "relative error; the bar is the median", "tick", "end")


# ---- estimate against truth


def scatter(results: Results) -> str:
    """Both axes logarithmic; a right estimate lies on the diagonal."""
    tools = metrics.estimators(results)
    drawn = {tool: metrics.points(results, tools[tool]) for tool in reversed(tools) if tool != metrics.OURS_CONSTANT}
    every = [point for points in drawn.values() for point in points]
    sizes = [size for point in every for size in (point.truth, point.guess) if size > 0]
    if not sizes:
        return ""
    low, high = min(sizes) / MARGIN, max(sizes) * MARGIN
    across = svg.LogScale(low, high, SCATTER_LEFT, WIDTH - 14)
    up = svg.LogScale(low, high, SCATTER_HEIGHT - BOTTOM, 12)
    shapes = [*_size_axes(low, high, across, up)]
    for tool, points in drawn.items():
        radius = 3.2 if tool == metrics.OURS else 2.2
        for point in points:
            place = across.place(point.truth), up.place(point.guess)
            shapes.append(svg.circle(*place, radius, tool_class(tool), _hint(point, tool)))
    return svg.drawing(WIDTH, SCATTER_HEIGHT, shapes, "estimated against measured peak")


def _size_axes(low: float, high: float, across: svg.LogScale, up: svg.LogScale) -> Iterable[str]:
    for tick in _size_ticks(low, high):
        x, y = across.place(tick), up.place(tick)
        yield svg.line(x, up.end, x, up.start, "grid")
        yield svg.line(across.start, y, across.end, y, "grid")
        yield svg.label(x, up.start + 15, _size(tick), "tick", "middle")
        yield svg.label(across.start - 6, y + 4, _size(tick), "tick", "end")
    yield svg.line(across.start, up.start, across.end, up.end, "diagonal")
    yield svg.label(across.end, up.start + 30, "measured", "tick", "end")
    yield svg.label(across.start + 6, up.end + 8, "estimated", "tick")


def _size_ticks(low: float, high: float) -> list[float]:
    """Powers of two, four or more, so that an axis has at most seven."""
    powers = [2.0**power for power in range(0, 50) if low <= 2.0**power <= high]
    step = len(powers) // 7 + 1
    return powers[::step]


def _size(value: float) -> str:
    for unit, name in ((GIB, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")):
        if value >= unit:
            return f"{value / unit:g} {name}"
    return f"{value:g} B"
