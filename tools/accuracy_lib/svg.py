# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""The few shapes the plots need, as SVG text, and logarithmic scales."""

from __future__ import annotations

import math
from dataclasses import dataclass
from html import escape
from typing import Iterable


@dataclass(frozen=True)
class LogScale:
    """Maps values to positions; values outside the range go to the edge."""

    low: float
    high: float
    start: float
    end: float

    def place(self, value: float) -> float:
        bounded = min(max(value, self.low), self.high)
        share = math.log(bounded / self.low) / math.log(self.high / self.low)
        return self.start + share * (self.end - self.start)


def number(value: float) -> str:
    return f"{value:.1f}".rstrip("0").rstrip(".")


def circle(x: float, y: float, radius: float, style: str, title: str) -> str:
    place = f'cx="{number(x)}" cy="{number(y)}" r="{number(radius)}"'
    return f'<circle {place} class="{style}"><title>{escape(title)}</title></circle>'


def line(x1: float, y1: float, x2: float, y2: float, style: str) -> str:
    place = f'x1="{number(x1)}" y1="{number(y1)}" x2="{number(x2)}" y2="{number(y2)}"'
    return f'<line {place} class="{style}"/>'


def label(x: float, y: float, words: str, style: str = "", anchor: str = "start") -> str:
    return f'<text x="{number(x)}" y="{number(y)}" class="{style}" text-anchor="{anchor}">{escape(words)}</text>'


def drawing(width: float, height: float, shapes: Iterable[str], description: str) -> str:
    head = f'<svg viewBox="0 0 {number(width)} {number(height)}" role="img" aria-label="{escape(description, True)}">'
    return head + "".join(shapes) + "</svg>"
