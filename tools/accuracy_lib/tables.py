# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""The comparison as plain text."""

from __future__ import annotations

from typing import Iterable, Sequence

from . import statistics as stats
from .models import is_cnn
from .rows import PEERS
from .study import Record

Cells = Sequence[str]


def report(records: list[Record]) -> str:
    parts = []
    for (source, era), group in _grouped(records).items():
        parts.append(f"{source}, {era}")
        parts.append(_errors_table(group))
        parts.append(_constants_table(group))
        parts.append(_verdicts_table(group))
    parts.append(_problems(records))
    return "\n\n".join(part for part in parts if part)


def _grouped(records: Iterable[Record]) -> dict[tuple[str, str], list[Record]]:
    groups: dict[tuple[str, str], list[Record]] = {}
    for record in records:
        era = "zero_grad position not published" if record["zero_grad_mode"] is None else "zero_grad position published"
        groups.setdefault((record["source"], era), []).append(record)
    return groups


def _by_card(records: list[Record]) -> dict[str, list[Record]]:
    cards: dict[str, list[Record]] = {}
    for record in records:
        cards.setdefault(record["gpu_name"], []).append(record)
    return {"all cards": records, **cards} if len(cards) > 1 else cards


def _errors_table(records: list[Record]) -> str:
    header = ["relative error", "tool", "rows", "median", "mean", "p95", "worst", "dryfit on these: median", "mean"]
    lines: list[Cells] = [header]
    for card, group in _by_card([record for record in records if stats.has_truth(record)]).items():
        for tool, estimate in stats.ESTIMATORS.items():
            found = stats.errors(group, estimate)
            if found:
                same = [record for record in group if estimate(record) is not None]
                ours = stats.errors(same, stats.reserved)
                beside = [_percent(ours.median), _percent(ours.mean)] if ours and tool in PEERS else ["", ""]
                lines.append([card, tool, str(found.rows), *map(_percent, found[1:]), *beside])
    return _align(lines) if len(lines) > 1 else ""


def _constants_table(records: list[Record]) -> str:
    lines: list[Cells] = [["measured - dryfit", "of", "rows", "median MiB", "within +-2 MiB", "share"]]
    fitted = [record for record in records if stats.has_truth(record)]
    for card, group in _by_card(fitted).items():
        if card != "all cards":
            lines += _constant_lines(card, group)
    return _align(lines) if len(lines) > 1 else ""


def _constant_lines(card: str, group: list[Record]) -> list[Cells]:
    forms = {"reserved": stats.reserved, "above context": stats.above_context}
    if any(is_cnn(record["model"]) for record in group):
        forms["reserved since model load"] = stats.reserved_since_load
    large = [record for record in group if record["batch_size"] >= stats.CHECKED_BATCH]
    subsets = {"": group}
    if len(large) < len(group):
        subsets[f", batch >= {stats.CHECKED_BATCH}"] = large
    lines: list[Cells] = []
    for suffix, subset in subsets.items():
        for name, estimate in forms.items():
            found = stats.spread(subset, estimate)
            if found:
                share = _percent(found.within / found.rows, digits=0)
                middle = f"{found.median / stats.MIB:+.1f}"
                lines.append([card, name + suffix, str(found.rows), middle, str(found.within), share])
    return lines


def _verdicts_table(records: list[Record]) -> str:
    lines: list[Cells] = [["verdict", "tool", "rows", "fits: right", "false alarm", "OOM: right", "false fit"]]
    for card, group in _by_card(records).items():
        for tool in ("dryfit", *PEERS):
            tally = stats.verdicts(group, tool)
            counts = [tally.fits_right, tally.false_alarms, tally.oom_right, tally.false_fits]
            if sum(counts):
                lines.append([card, tool, str(sum(counts)), *map(str, counts)])
    return _align(lines) if len(lines) > 1 else ""


def _problems(records: list[Record]) -> str:
    counts: dict[str, int] = {}
    for record in records:
        if "error" in record:
            counts[record["error"]] = counts.get(record["error"], 0) + 1
    return "\n".join(f"{count} row{'s' * (count > 1)} without an answer: {error}" for error, count in counts.items())


def _percent(value: float, digits: int = 2) -> str:
    return f"{100 * value:.{digits}f} %"


def _align(lines: list[Cells]) -> str:
    """Columns padded to their widest cell: the first two to the left, numbers to the right."""
    widths = [max(len(line[column]) for line in lines) for column in range(len(lines[0]))]
    return "\n".join(
        "  ".join(
            cell.ljust(width) if column < 2 else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(line, widths))
        ).rstrip()
        for line in lines
    )
