# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""What a cell of the board says, and when one is worse than another."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Mapping, Optional

LIMIT = re.compile(r"docs/limitations\.md#([\w-]+)")
FOLDERS = re.compile(r"(?<![\w./:])/(?:[^\s/'\"()]+/)+")  # of an absolute path
COLOURS = re.compile(r"\x1b\[[\d;]*m")
VERDICTS = {"fits": "fits", "tight": "fits, tight", "does-not-fit": "does not fit"}


@dataclass(frozen=True)
class Outcome:
    """`state` is verdict, limit, no-answer, reason (it can't run with this PyTorch), not-installed or not-run."""

    state: str
    word: str  # the verdict, the name of the limit, or why there is none
    steps: int = 0
    device_peak: Optional[int] = None
    seconds: float = 0
    text: str = ""  # the verdict's reason and hint, without colours and the folders of this machine

    @property
    def was_run(self) -> bool:
        return self.state in _ORDER


_ORDER = ("no-answer", "limit", "verdict")

NOT_RUN = Outcome("not-run", "not run yet")


def not_installed(what: str) -> Outcome:
    return Outcome("not-installed", what)


def no_answer(text: str, seconds: float = 0) -> Outcome:
    return Outcome("no-answer", "no answer", seconds=seconds, text=_cleaned(text))


def outcome_of(result: Mapping[str, Any], seconds: float) -> Outcome:
    """Of one entry of the `results` of a JSON report."""
    facts = {"steps": result["steps"], "device_peak": result["device_peak_bytes"], "seconds": round(seconds, 1)}
    text = _cleaned(" ".join(part for part in (result["reason"], result["hint"]) if part))
    if result["verdict"] in VERDICTS:
        return Outcome("verdict", VERDICTS[result["verdict"]], text=text, **facts)
    limit = LIMIT.search(text)
    if limit:
        return Outcome("limit", limit.group(1), text=text, **facts)
    return Outcome("no-answer", "no answer", text=text, **facts)


def _cleaned(text: str) -> str:
    return FOLDERS.sub("", COLOURS.sub("", text))


def is_worse(now: Outcome, before: Outcome) -> bool:
    """A verdict became a limit or nothing, or a limit nothing. Cells that were not run are not compared."""
    if not (now.was_run and before.was_run):
        return False
    return _ORDER.index(now.state) < _ORDER.index(before.state)
