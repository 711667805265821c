# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Recorded allocator traces of real GPU runs, compared event by event.

A trace is run with the address order of its platform, as a user would run it, and again with every segment at its
recorded address, which leaves nothing open: then every block must lie at its recorded place.
"""

from __future__ import annotations

import csv
import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Callable, NamedTuple, Optional

from dryfit_command import REPOSITORY

from ..case import Case
from ..events import compare as compare_recordings
from ..events import read_snapshot, read_trace, write_segments

NAME = "snapshots"
FILE = "snapshots/index.csv"

Row = dict[str, str]

ADDRESSES = Path("build/accuracy/addresses")  # below the repository, where the jobs are started

FIELDS = ("start_reserved", "start_allocated", "peak_reserved", "peak_allocated", "end_reserved", "end_allocated")


# For recordings whose segments lie one above the other from a low address on; all others are native Linux, the default.
ASCENDING = ("--address-order", "ascending")


REWOUND = ("start_allocated", "peak_allocated")


class Plan(NamedTuple):
    """How a row is run; what is None follows from the row's own columns."""

    job: tuple[str, ...]
    options: tuple[str, ...] = ()
    card: Optional[str] = None
    venv: Optional[str] = None
    recorded: bool = False  # a second run with every segment at its recorded address
    cannot: Optional[str] = None


@dataclass(frozen=True)
class TraceCase(Case):
    trace: Path = Path()
    replays: bool = True  # from its start state PyTorch's allocator puts every block where the recording has it


class Shape(NamedTuple):
    name: str
    d_model: int
    d_ff: int
    layers: int
    heads: int


def shape_of(row: Row) -> Shape:
    """From the model column, e.g. `xl d2560 ff10240 L32 H32`."""
    match = re.match(r"(\S+) d(\d+) ff(\d+) L(\d+) H(\d+)", row["model"])
    if match is None:
        raise ValueError(f"no shape in the model column: {row['model']!r}")
    return Shape(match[1], *(int(value) for value in match.groups()[1:]))


def precision_of(row: Row) -> str:
    return "bf16" if row["precision"].startswith("bf16") else "fp32"


def model_arguments(row: Row) -> tuple[str, ...]:
    """The arguments that every script of a language model understands."""
    shape = shape_of(row)
    arguments = {
        "--d-model": shape.d_model,
        "--d-ff": shape.d_ff,
        "--layers": shape.layers,
        "--heads": shape.heads,
        "--vocabulary": row["vocab"],
        "--batch": row["batch"],
        "--ctx": row["ctx"],
        "--mode": row["mode"],
        "--precision": precision_of(row),
    }
    return tuple(str(part) for pair in arguments.items() for part in pair)


def after_warm_up(script: str, row: Row) -> tuple[str, ...]:
    return (script, *model_arguments(row), "--warmup", row["warmup_steps"])


def _niuhuangxi(row: Row) -> Plan:
    return Plan(("niu_trace.py", *model_arguments(row)), options=ASCENDING, recorded=True)


def _silmont(row: Row) -> Plan:
    head = re.match(r"single-head attention, B(\d+) S(\d+) d(\d+)", row["model"])
    if head:
        job = ("single_head_attention.py", "--batch", head[1], "--ctx", head[2], "--d-head", head[3])
        return Plan(job, recorded=True)
    return Plan(after_warm_up("silmont_trace.py", row), recorded=True)


def _linyun(row: Row) -> Plan:
    # Training takes ends of chunks and new chunks in turn: the order of older segments does not show in the addresses.
    return Plan(after_warm_up("linyun_trace.py", row), recorded=not row["mode"].startswith("train"))


def _wedsonlin(row: Row) -> Plan:
    return Plan(after_warm_up("wedsonlin_trace.py", row), options=ASCENDING, recorded=True)


# What one process of kkaitlyn's script ran: each a fresh model, the earlier ones gone.
_KKAITLYN_JOBS = tuple(f"{mode}:{ctx}" for mode in ("forward_grad", "train") for ctx in (128, 256, 512))


def _kkaitlyn(row: Row) -> Plan:
    """The note says which model of its process a row shows. Only the later version of the script emptied the cache."""
    if "ctx" not in row["source_path"]:
        row = {**row, "ctx": "128"}  # what the recorded ids and logits have, whatever the column says
    later = re.search(r"(\d)(?:nd|rd|th) model in the same process", row["note"])
    before: tuple[str, ...] = ()
    if later:
        before = ("--before", *_KKAITLYN_JOBS[: int(later[1]) - 1], "--empty-cache")
    elif "after a forward-only run" in row["note"]:
        before = ("--before", f"forward_grad:{row['ctx']}")
    compiled = ("--compiled",) if row["compiled"] == "yes" else ()
    cannot = None
    if compiled and row["segment_frees"] != "0":
        cannot = "compiled, after other compiled models in its process that were not recorded"
    return Plan(("kkaitlyn_trace.py", *model_arguments(row), *before, *compiled), cannot=cannot)


def _nothanmin(row: Row) -> Plan:
    """The scratch of its sum over all logits (1,536 bytes) is that of 128 multiprocessors with 1,536 threads each."""
    earlier = re.search(r"(\d+) earlier steps", row["warmup_steps"])
    assert earlier is not None
    card = "rtx-4090-24gb" if row["mode"] == "train" else "rtx-6000-ada-48gb"
    return Plan(("nothanmin_trace.py", *model_arguments(row), "--warmup", earlier[1]), card=card)


def _bolongcheng(row: Row) -> Plan:
    expandable = ("--expandable-segments",) if row["expandable"] == "True" else ()
    return Plan(("bolongcheng_trace.py", *model_arguments(row), "--warmup", row["warmup_steps"], *expandable))


def _bcrafton(row: Row) -> Plan:
    return Plan((), cannot="compiled with graph breaks by a script that has changed since, under torch 2.10")


def _cranberrii(row: Row) -> Plan:
    arguments = ("--vocabulary", row["vocab"], "--batch", row["batch"], "--ctx", row["ctx"])
    return Plan(("cranberrii_trace.py", *arguments))


# By the first part of the file's name.
PLANS: dict[str, Callable[[Row], Plan]] = {
    "bcrafton": _bcrafton,
    "bolongchen": _bolongcheng,
    "cranberrii": _cranberrii,
    "kkaitlyn11": _kkaitlyn,
    "linyunliny": _linyun,
    "niuhuangxi": _niuhuangxi,
    "nothanmin": _nothanmin,
    "silmont200": _silmont,
    "wedsonlin": _wedsonlin,
}

# The beginning of the gpu column. Cards that nobody named have workspaces of 8.1 MiB, so they are not Hopper; beyond
# that the recorded operations ask for the same memory on all of them, and this one is large enough for every row.
_CARDS = {
    "RTX 4090": "rtx-4090-24gb",
    "RTX PRO 6000": "rtx-pro-6000-96gb",
    "H100": "h100-80gb",
    "B200": "b200-180gb",
    "unknown": "a100-80gb",
}

# The beginning of the torch column.
_VENVS = {"2.1.": "torch-2.1.2", "2.6.": "torch-2.6.0", "2.11.": "torch-2.11.0"}


def cases(path: Path) -> list[Case]:
    with open(path, newline="", encoding="utf-8") as file:
        return [case for row in csv.DictReader(file) for case in _cases_of(row, path.parent / "traces")]


def compare(case: Case, folder: Path) -> dict[str, Any]:
    assert isinstance(case, TraceCase)
    return {"events": compare_recordings(read_trace(case.trace), read_snapshot(folder)).record()}


def explain(case: Case, measured: dict[str, int]) -> Optional[str]:
    assert isinstance(case, TraceCase)
    if case.replays:
        return None
    missed = [field for field in FIELDS if measured.get(field) != case.truth[field]]
    if missed and all(field in REWOUND and measured[field] > case.truth[field] for field in missed):
        return (
            "the state before a recording was found by undoing its events, which does not show how much of a block freed "
            "in it had been left unsplit (up to 1 MiB each): the published number is too small by that"
        )
    return None


def _cases_of(row: Row, traces: Path) -> list[Case]:
    owner = row["file"].partition("_")[0]
    card, venv = _lookup(_CARDS, row["gpu"]), _lookup(_VENVS, row["torch"])
    plan, cannot = None, None
    if owner in PLANS:
        plan = PLANS[owner](row)
        card, venv = plan.card or card, plan.venv or venv
    if plan is None:
        cannot = "its operations are not implemented"
    elif plan.cannot is not None:
        cannot = plan.cannot
    elif card is None or venv is None:
        cannot = f"no environment for {row['gpu']} with torch {row['torch']}"
    case = TraceCase(
        source=NAME,
        id=row["file"].removesuffix(".txt.xz"),
        group=owner,
        card=card or "",
        venv=venv or "",
        job=plan.job if plan else (),
        options=plan.options if plan else (),
        truth={field: int(row[field]) for field in FIELDS},
        cannot=cannot,
        trace=traces / row["file"],
        replays=int(row["replay_addr_mismatch"]) == 0,
    )
    return [case, _at_recorded_addresses(case)] if plan and plan.recorded and cannot is None else [case]


def _at_recorded_addresses(case: TraceCase) -> TraceCase:
    segments = ADDRESSES / f"{case.id}.txt"
    options = ("--address-order", f"recorded:{segments}")
    file = REPOSITORY / segments
    if not file.exists():
        file.parent.mkdir(parents=True, exist_ok=True)
        write_segments(read_trace(case.trace), file)
    return replace(case, id=f"{case.id}@recorded", group=f"{case.group}, recorded addresses", options=options)


def _lookup(table: dict[str, str], text: str) -> Optional[str]:
    return next((value for beginning, value in table.items() if text.startswith(beginning)), None)
