# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""The scoreboard as one self-contained HTML file, including its style sheet and plots."""

from __future__ import annotations

import os
from html import escape
from pathlib import Path
from typing import Iterable, Sequence

from . import board, metrics, misses, plots, scoreboard
from .outcome import Result
from .tables import Table, percent, share

Results = Sequence[Result]

STYLE = Path(__file__).with_name("page.css")
SHOWN_FIELDS = 3
LONG_CELL = 40  # characters from which a cell of text may wrap


def html(results: Results) -> str:
    style = STYLE.read_text(encoding="utf-8")
    head = '<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'
    body = "\n".join([_opening(results), *_overview(results), *_sources(results)])
    return (
        f'<!doctype html>\n<html lang="en"><head>{head}<title>Dryfit: accuracy</title>\n'
        f"<style>\n{style}</style></head>\n<body>\n{body}\n</body></html>\n"
    )


# ---- the whole


def _opening(results: Results) -> str:
    sources = scoreboard.by_source(results)
    links = "".join(f'<a href="#{escape(name, True)}">{escape(name)}</a>' for name in sources)
    return (
        "<h1>Dryfit against real GPUs</h1>\n"
        '<p class="faint">Every job below ran on a simulated GPU and is compared with what a real one '
        "showed. Point at a dot to see its row.</p>\n"
        f'<div class="tiles">{"".join(_tiles(results))}</div>\n<nav>{links}</nav>'
    )


def _tiles(results: Results) -> Iterable[str]:
    yield _tile(f"{sum(result.answered for result in results)}", f"of {len(results)} measured rows run dry")
    for part in ("allocated", "reserved"):
        exact = metrics.exact_share(results, part)
        if exact.rows:
            yield _tile(percent(exact.hits / exact.rows, 1), f"of rows equal to the byte in {part} ({share(exact)})")
    yield from _device_tile([result for result in results if result.case.main in metrics.DEVICE_FIELDS])
    tally = metrics.verdicts(results, metrics.OURS)
    if tally.rows:
        yield _tile(str(tally.false_fits), f"false “fits” in {tally.rows} published verdicts")


def _device_tile(results: Results) -> Iterable[str]:
    found = metrics.errors(results, metrics.ours)
    others = {name: metrics.errors(results, metrics.peer(name)) for name in metrics.peers_of(results)}
    peers = [(error.median, name) for name, error in others.items() if error]
    if found:
        beside = f"; best other tool: {percent(min(peers)[0])} ({min(peers)[1]})" if peers else ""
        yield _tile(percent(found.median), f"median error of what NVML shows{beside}")


def _tile(figure: str, words: str) -> str:
    return f'<div class="tile"><b>{escape(figure)}</b><span>{escape(words)}</span></div>'


def _overview(results: Results) -> Iterable[str]:
    yield "<h2>Scoreboard</h2>"
    tables = [scoreboard.summary(results), scoreboard.verdicts(results), *board.tables(results)]
    for table in (*tables, scoreboard.not_run(results)):
        yield _table(table)


# ---- one source


def _sources(results: Results) -> Iterable[str]:
    for name, members in scoreboard.by_source(results).items():
        yield f'<h2 id="{escape(name, True)}">{escape(name)}</h2>'
        yield _figures(members)
        yield _table(scoreboard.beside_peers(members))
        yield _table(scoreboard.traces(members))
        yield _table(scoreboard.differences(members))
        yield _table(scoreboard.worst(members, limit=None))


def _figures(results: Results) -> str:
    if not metrics.points(results, metrics.ours):
        return ""
    parts = {
        f"Error of {_main_fields(results)}, per GPU and tool": plots.spread(results),
        "Estimated against measured, both logarithmic": plots.scatter(results),
    }
    figures = (f"<figure><figcaption>{escape(title)}</figcaption>{plot}</figure>" for title, plot in parts.items())
    return f'<div class="plots">{"".join(figures)}</div>'


def _main_fields(results: Results) -> str:
    names = list(dict.fromkeys(result.case.main.replace("_", " ") for result in results if result.truth))
    return " or ".join(names) if len(names) <= SHOWN_FIELDS else "the published field"


# ---- tables


def _table(table: Table) -> str:
    if not table.lines:
        return ""
    numbers = [table.is_number(column) for column in range(len(table.header))]
    head = "".join(f"<th{_attribute(flag and 'n')}>{escape(cell)}</th>" for cell, flag in zip(table.header, numbers))
    above = [[], *table.lines]
    rows = "".join(_row(line, numbers, before) for line, before in zip(table.lines, above))
    note = f'<p class="note">{escape(table.note)}</p>' if table.note else ""
    return f'<h3>{escape(table.title)}</h3><div class="scroll"><table><tr>{head}</tr>{rows}</table></div>{note}'


def _row(line: Sequence[str], numbers: Sequence[bool], above: Sequence[str]) -> str:
    """If a line begins like the one above it, its beginning is present but not shown."""
    again = len(os.path.commonprefix([list(line), list(above)]))
    cells = (
        f"<td{_attribute('again' if column < again else _cell_class(cell, flag))}>{escape(cell)}</td>"
        for column, (cell, flag) in enumerate(zip(line, numbers))
    )
    return f"<tr{_attribute(metrics.OURS in line and 'ours')}>{''.join(cells)}</tr>"


def _cell_class(cell: str, is_number: bool) -> str:
    if is_number:
        return "n"
    if cell in (scoreboard.DIFFERENT, misses.FALSE_FIT, misses.NO_ANSWER):
        return "bad"
    return "long" if len(cell) > LONG_CELL else ""


def _attribute(name: object) -> str:
    return f' class="{name}"' if name else ""
