# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""A longer run from a few of its steps.

Note [A few steps of a hundred]: a validation follows every hundred steps, and averages were published over the steps
between. After some steps memory repeats itself, with a period of a few steps, except for the losses, which are all
kept. So the first interval has enough steps to see the period, and its average is continued from them; the others have
fewer. All counts are congruent to the published ones modulo 12, so that a validation meets the same state of the cycle
for periods of 1, 2, 3, 4, 6 or 12.
"""

from __future__ import annotations

from typing import NamedTuple, Sequence

PUBLISHED_INTERVAL = 100
FIRST_INTERVAL = 16
CYCLE = 12


class Interval(NamedTuple):
    before: int  # published steps before it
    played: int


def intervals_of(steps: int) -> list[Interval]:
    """What to play of so many published steps."""
    starts = range(0, steps, PUBLISHED_INTERVAL)
    return [Interval(start, _played(min(PUBLISHED_INTERVAL, steps - start), start == 0)) for start in starts]


def _played(length: int, first: bool) -> int:
    return min(length, FIRST_INTERVAL if first else length % CYCLE or CYCLE)


def interval_average(values: Sequence[int], growth: int, length: int = PUBLISHED_INTERVAL) -> int:
    """Over `length` steps of which the first are given. Each step keeps `growth` bytes for good."""
    period = find_period(values, growth)
    steps = list(values[:length])
    while len(steps) < length:
        steps.append(steps[-period] + growth * period)
    return round(sum(steps) / length)


def find_period(values: Sequence[int], growth: int) -> int:
    """The shortest one that the values end in twice; 1 if there is none."""
    for period in range(1, len(values) // 2 + 1):
        later, earlier = values[-period:], values[-2 * period : -period]
        if all(after == before + growth * period for after, before in zip(later, earlier)):
            return period
    return 1
