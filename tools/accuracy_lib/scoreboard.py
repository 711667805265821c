# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""The tables of the scoreboard, made from results alone. The same results give the same tables."""

from __future__ import annotations

from typing import Any, Optional, Sequence

from . import board, comparison, metrics, misses
from .outcome import Result
from .tables import Cells, Table, mebibytes, percent, share

Results = Sequence[Result]

ALL_CARDS = "all"
ALL_GROUPS = "all"
SHOWN_MISSES = 10
EQUAL = "equal"
DIFFERENT = "DIFFERS"
NOT_RUN = "not run"


def text(results: Results) -> str:
    return "\n\n".join(table.text() for table in tables(results))


def markdown(results: Results) -> str:
    return "\n\n".join(table.markdown() for table in tables(results)) + "\n"


def tables(results: Results) -> list[Table]:
    shown = [summary(results), beside_peers(results), verdicts(results), *board.tables(results), traces(results)]
    shown += [differences(results), not_run(results), worst(results)]
    return [table for table in shown if table.lines]


# ---- parts of the results

GroupKey = tuple[str, str]


def by_source(results: Results) -> dict[str, list[Result]]:
    groups: dict[str, list[Result]] = {}
    for result in results:
        groups.setdefault(result.case.source, []).append(result)
    return groups


def by_group(results: Results) -> dict[GroupKey, list[Result]]:
    """If a source has several groups, the source as a whole comes first."""
    groups: dict[GroupKey, list[Result]] = {}
    for source, members in by_source(results).items():
        parts: dict[str, list[Result]] = {}
        for result in members:
            parts.setdefault(result.case.group, []).append(result)
        if len(parts) > 1:
            groups[source, ""] = members
        groups.update({(source, group): part for group, part in sorted(parts.items())})
    return groups


def by_card(results: Results) -> dict[str, list[Result]]:
    """If there are several cards, all of them together come first."""
    cards: dict[str, list[Result]] = {}
    for result in results:
        cards.setdefault(result.case.card, []).append(result)
    ordered = dict(sorted(cards.items()))
    return {ALL_CARDS: list(results), **ordered} if len(cards) > 1 else ordered


def has_peers(results: Results) -> bool:
    return bool(metrics.peers_of(results))


# ---- tables


def summary(results: Results) -> Table:
    header = ("source", "group", "GPU", "rows", "run", "allocated", "reserved", "all fields", "median", "p95", "worst")
    table = Table("Dryfit against real GPUs", (*header, "within 2 MiB", "constant MiB"))
    table.note = (
        "allocated, reserved, all fields: rows equal to the byte in every such field that was published.\n"
        "median, p95, worst: relative error of the row's main field. within 2 MiB: after adding the GPU's constant,\n"
        "the median of measured - ours. Rows that were run and gave no answer count as missed."
    )
    for (source, group), members in by_group(results).items():
        parts = by_card(members) if group else {ALL_CARDS: members}
        table.lines += [[source, group or ALL_GROUPS, card, *_summary_cells(part)] for card, part in parts.items()]
    return table


def _summary_cells(results: Results) -> Cells:
    found = metrics.errors(results, metrics.ours)
    exact = [share(metrics.exact_share(results, part)) for part in ("allocated", "reserved", "")]
    errors = [percent(found.median), percent(found.p95), percent(found.worst)] if found else ["", "", ""]
    tried = str(sum(result.answered for result in results))
    return [str(len(results)), tried, *exact, *errors, share(metrics.near_share(results)), _constant(results)]


def _constant(results: Results) -> str:
    """Only if there is exactly one: several cards or groups have several."""
    found = metrics.constants(results)
    return mebibytes(next(iter(found.values()))) if len(found) == 1 else ""


def beside_peers(results: Results) -> Table:
    header = ("source", "group", "tool", "rows", "median", "mean", "p95", "worst", "dryfit on these: median", "mean")
    table = Table("Relative error beside other tools, completed runs", header)
    table.note = (
        "dryfit: PyTorch's reserved memory, libraries and code; dryfit, reserved: PyTorch's reserved memory alone;\n"
        "dryfit + constant: with the GPU's constant added."
    )
    for (source, group), members in by_group(results).items():
        if has_peers(members):
            table.lines += [[source, group or ALL_GROUPS, *cells] for cells in _peer_lines(members)]
    return table


def _peer_lines(results: Results) -> list[Cells]:
    lines: list[Cells] = []
    peers = metrics.peers_of(results)
    for tool, estimate in metrics.estimators(results).items():
        found = metrics.errors(results, estimate)
        if found:
            same = [point.result for point in metrics.points(results, estimate)]
            ours = metrics.errors(same, metrics.ours) if tool in peers else None
            beside = [percent(ours.median), percent(ours.mean)] if ours else ["", ""]
            lines.append([tool, str(found.rows), *map(percent, found[1:]), *beside])
    return lines


def verdicts(results: Results) -> Table:
    header = ("source", "tool", "rows", "fitted: fits", "tight", "does not fit", "OOM: does not fit", "tight", "fits")
    table = Table("Verdicts where the real outcome was published", (*header, "cannot tell"))
    table.note = (
        "Columns: the real outcome, then what the tool said. The worst error is “fits” for a run that ended in OOM.\n"
        "cannot tell: the job never calls an optimizer step, or Dryfit gave no answer."
    )
    for source, members in by_source(results).items():
        for tool in (metrics.OURS, *metrics.peers_of(members)):
            tally = metrics.verdicts(members, tool)
            if tally.rows:
                table.lines.append([source, tool, str(tally.rows), *map(str, vars(tally).values())])
    return table


def traces(results: Results) -> Table:
    """The results of the sources' comparisons, one line per row."""
    compared = [(result, comparison.columns(result)) for result in results if result.outcome.compared]
    names = list(dict.fromkeys(name for _, columns in compared for name in columns))
    table = Table("Event by event", ("source", "row", *names))
    table.note = "Where both are shown: recorded / ours."
    for result, columns in compared:
        table.lines.append([result.case.source, result.case.id, *(_compared_cell(columns.get(name)) for name in names)])
    return table


def _compared_cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return EQUAL if value else DIFFERENT
    if isinstance(value, (list, tuple)):
        recorded, ours = value
        return _number(recorded) if recorded == ours else f"{_number(recorded)} / {_number(ours)}"
    return _number(value)


def _number(value: Any) -> str:
    return f"{value:,}" if isinstance(value, int) else str(value)


def differences(results: Results) -> Table:
    table = Table("First differences", ("row", "where", "recorded", "ours"))
    for result in results:
        found = comparison.first_difference(result)
        if found:
            table.lines.append([result.case.id, *found])
    return table


def not_run(results: Results) -> Table:
    """Rows without an answer, by reason."""
    counts: dict[tuple[str, str, str], int] = {}
    for result in results:
        reason = result.not_run or result.failed
        if reason:
            key = (result.case.source, NOT_RUN if result.not_run else misses.NO_ANSWER, reason)
            counts[key] = counts.get(key, 0) + 1
    table = Table("Rows without an answer", ("source", "", "reason", "rows"))
    table.lines += [[*key, str(count)] for key, count in sorted(counts.items())]
    return table


def worst(results: Results, limit: Optional[int] = SHOWN_MISSES) -> Table:
    """The worst misses of every source."""
    header = ("source", "row", "what", "measured", "ours", "difference", "off", "cause")
    table = Table("Misses", header)
    counts: dict[str, int] = {}
    for miss in misses.find(results):
        source = miss.result.case.source
        counts[source] = counts.get(source, 0) + 1
        if limit is None or counts[source] <= limit:
            table.lines.append(_miss_cells(miss))
    hidden = [f"{source}: {count - limit} more" for source, count in counts.items() if limit and count > limit]
    table.note = "\n".join(hidden)
    return table


def _miss_cells(miss: misses.Miss) -> Cells:
    case = miss.result.case
    numbers = ["", "", "", ""]
    if miss.truth is not None and miss.ours is not None:
        numbers = [f"{miss.truth:,}", f"{miss.ours:,}", f"{miss.ours - miss.truth:+,}", percent(miss.off)]
    cause = f"{miss.cause} ({miss.remark})" if miss.remark else miss.cause
    return [case.source, case.id, miss.what, *numbers, cause]
