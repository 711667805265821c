# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""A source's comparison as the tables show it; accuracy_lib.case defines what it may contain."""

from __future__ import annotations

from typing import Any, NamedTuple, Optional

from .outcome import Result

FIRST_DIFFERENCE = "first_difference"
OURS_PREFIX = "our_"
TRUTH_PREFIX = "truth_"
PEAKS = ("peak_allocated", "peak_reserved")


class Difference(NamedTuple):
    what: str
    truth: str
    ours: str


def columns(result: Result) -> dict[str, Any]:
    """Sorted by name, with the row's published peaks last."""
    flat = _flat(result.outcome.compared)
    found: dict[str, Any] = {}
    for name, value in flat.items():
        if name.startswith(TRUTH_PREFIX):
            plain = name.removeprefix(TRUTH_PREFIX)
            found[plain] = [value, flat.get(OURS_PREFIX + plain)]
        elif not name.startswith(OURS_PREFIX) and name != FIRST_DIFFERENCE:
            found[name] = value
    peaks = {name: [result.case.truth[name], result.ours(name)] for name in PEAKS if name in result.case.truth}
    return {name.replace("_", " "): value for name, value in {**found, **peaks}.items()}


def first_difference(result: Result) -> Optional[Difference]:
    found = _flat(result.outcome.compared).get(FIRST_DIFFERENCE)
    if not found:
        return None
    level = f"{found['level']}, " if "level" in found else ""
    event = found.get("event", found.get("index", 0))
    return Difference(f"{level}event {event:,}", str(found.get("truth", "")), str(found.get("ours", "")))


def _flat(compared: dict[str, Any]) -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for name, value in compared.items():
        flat.update(value if isinstance(value, dict) and name != FIRST_DIFFERENCE else {name: value})
    return flat
