# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""What every source of measured truth turns its rows into: jobs to run dry, and what a real GPU showed for them.

A source is a module of accuracy_lib.sources with

    NAME    what --source calls it
    FILE    where its rows lie below the data folder or its ground-truth
    cases(path) -> list[Case]            path: FILE, or another file with the same columns
    compare(case, folder) -> dict        optional: looks at what the job left in `folder`, adds entries to the record
    explain(case, measured) -> str|None  optional: why this row is missed, as a rule that holds for rows not seen yet

A job is a script of bench/truth. It is started as `python SCRIPT ARGUMENTS... --out FOLDER` and writes
FOLDER/measured.json: {field: bytes}, with the names of `Case.truth`. What Dryfit itself reports need not be written:

    peak_reserved, peak_allocated   PyTorch's own peaks
    reserved_after_load             reserved when the model was on the card
    device_peak                     what nvidia-smi would show
    device_growth                   device_peak without the bare context: PyTorch, libraries and code
    oom_requested, oom_free         the request that ended the run, and what the device had left

A job that never calls an optimizer's step is no failure if it wrote measured.json.

Entries of `compare` are shown as columns, those of an entry that is itself a dict among them: [recorded, ours] or a
pair of names truth_x and our_x is one column x; true and false are shown as equal or not; `first_difference` is null
or {"event": n, "truth": text, "ours": text} with the Python line in both texts.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple, Optional


class RowsError(Exception):
    """A file of rows cannot be used; the message says why."""


class Estimate(NamedTuple):
    """What a peer said. Both None: the peer does not support the job."""

    bytes: Optional[int]
    oom: Optional[bool]


@dataclass(frozen=True)
class Case:
    source: str
    id: str  # unique within the source and stable: answers are found again by it
    group: str  # the line of the scoreboard it counts in, e.g. a card or an era
    card: str  # of the catalogue
    venv: str  # below .venv, e.g. "torch-2.11.0"
    job: tuple[str, ...]  # script below bench/truth, then its arguments
    options: tuple[str, ...] = ()  # further options of `dryfit run`
    truth: dict[str, int] = field(default_factory=dict)  # exact bytes, by name
    tolerance: dict[str, int] = field(default_factory=dict)  # where the published value is rounded: half a unit
    main: str = "peak_reserved"  # the field whose error the scoreboard shows
    truth_oom: Optional[bool] = None  # None: nothing was published about it
    peers: dict[str, Optional[Estimate]] = field(default_factory=dict)
    cannot: Optional[str] = None  # why the row cannot be run here; it is still counted and shown
    facts: dict[str, Any] = field(default_factory=dict)  # further columns of the row, copied into the record
