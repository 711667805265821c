# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""The board of limits: xMem's three measures for every tool's limits, and each of Dryfit's caps that failed."""

from __future__ import annotations

from typing import Iterable, Iterator, Optional, Sequence

from . import metrics, misses, second_run, xmem_metrics
from .limits import Contender, contenders
from .outcome import Result
from .tables import Cells, Table, gibibytes, percent
from .xmem_metrics import Judged, Scores

Results = Sequence[Result]
WAYS = (second_run.PUBLISHED, second_run.ARGUMENT, second_run.DRY_RUN)


def measures(results: Results) -> Table:
    header = ("source", "tool", "limit", "rows", "median error", "failure", "conserved GiB", "with the rest")
    table = Table("xMem's own measures, runs out of memory included", (*header, *WAYS, "undecided"))
    table.note = (
        "limit: what PyTorch's allocator is capped at; an estimate is rounded to 1 % of the GPU, as for xMem.\n"
        "failure: the verdict was wrong, or the job ran out of memory with that cap. conserved: GPU memory left to\n"
        "other jobs, per run; a wrong verdict costs the whole GPU. with the rest: the same, after what the GPU holds\n"
        "outside PyTorch, by the dry run. published, argument, dry run: how the ends of the capped runs are known;\n"
        "argument: the dry run without the cap never reserved as much. undecided: that run was not made, or gave no\n"
        "answer; it counts as failed."
    )
    for source, members in _by_source(results).items():
        for contender in contenders(members):
            found = xmem_metrics.scores(members, contender)
            if found:
                table.lines.append([source, contender.tool, contender.limit, *_cells(found)])
    return table


def _by_source(results: Results) -> dict[str, list[Result]]:
    """The sources with second runs."""
    groups: dict[str, list[Result]] = {}
    for result in results:
        if second_run.PUBLISHED_ENDS in result.case.facts:
            groups.setdefault(result.case.source, []).append(result)
    return groups


def _cells(found: Scores) -> Cells:
    numbers = [percent(found.median_error), percent(found.failure)]
    numbers += [gibibytes(found.conserved), gibibytes(found.conserved_beside)]
    return [str(found.rows), *numbers, *(str(found.ends[way]) for way in WAYS), str(found.undecided)]


def failures(results: Results) -> Table:
    """Every row on which a limit of Dryfit failed, and every second run of any tool that is not decided."""
    table = Table("Limits that failed", ("source", "row", "tool", "limit", "fraction", "how"))
    table.note = "Dryfit's limits, and the undecided ones of the other tools."
    for source, members in _by_source(results).items():
        shown = [each for each in contenders(members) if xmem_metrics.scores(members, each)]
        table.lines += [[source, *line] for contender in shown for line in _failed(members, contender)]
    return table


def _failed(results: Results, contender: Contender) -> Iterator[Cells]:
    ours = contender.tool.startswith(metrics.OURS)
    for row in xmem_metrics.judged(results, contender):
        reason = _reason(row)
        if reason and (ours or _is_undecided(row)):
            yield [row.result.case.id, contender.tool, contender.limit, row.claim.share or "", reason]


def _is_undecided(row: Judged) -> bool:
    return row.end is not None and row.end.oom is None


def _reason(row: Judged) -> Optional[str]:
    if row.succeeded:
        return None
    if row.claim.fits is None:
        return "no answer"
    if not row.flag_is_right:
        return misses.FALSE_FIT if row.claim.fits else misses.FALSE_ALARM
    if row.end is None:
        return "no limit reported"
    return f"out of memory, {row.end.by}" if row.end.oom else f"undecided: {row.end.by}"


def tables(results: Iterable[Result]) -> list[Table]:
    listed = list(results)
    return [measures(listed), failures(listed)]
