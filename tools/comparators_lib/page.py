# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""The tables of docs/evaluation.md, compared with the latest measurements.

A section of the page names its study in its title (### `set`, `folds`, `features`). The rows of
its table, and the lines "Shipped minus B2", come from a report of dryfit-evaluate; the rest is prose and left alone.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from statistics import mean, stdev
from typing import Any, Mapping, Optional

from .studies import Study

Report = Mapping[str, Any]  # as `dryfit-evaluate --against-bars --json` prints it
METRICS = ("MSE", "RMSE", "MAE", "MAPE", "R2")
TITLE = re.compile(r"### `([^`]+)`, `([^`]+)`, `([^`]+)`$")
ROW = re.compile(r"\| (\*\*)?([^|*]+?)\1? \| [-\d]")
LESS = re.compile(r"Shipped minus (B\d): ")
LAST_BASELINE = "B3"


@dataclass(frozen=True)
class Line:
    number: int  # from 1
    study: Study
    written: str
    measured: Optional[str]  # None: the report has nothing of that name


def measured_lines(page: str, reports: Mapping[Study, Report]) -> list[Line]:
    """Those of studies that have a report."""
    lines = []
    study = None
    for number, text in enumerate(page.splitlines(), 1):
        if text.startswith("#"):
            title = TITLE.match(text)
            study = Study(*title.groups()) if title else None
        if study is None or study not in reports:
            continue
        row, less = ROW.match(text), LESS.match(text)
        if row:
            lines.append(Line(number, study, text, _row(row.group(1), row.group(2), reports[study])))
        elif less:
            lines.append(Line(number, study, text, _difference(less.group(1), reports[study])))
            if less.group(1) == LAST_BASELINE:
                study = None  # what follows comes from another study's report
    return lines


def _row(bold: Optional[str], name: str, report: Report) -> Optional[str]:
    scores = {contender["name"]: contender["scores"] for contender in report["contenders"]}
    baselines = {f"baseline {bar['bar']}": bar for bar in report["bars"]}
    found = baselines[name]["scores"] if name in baselines else scores.get(name)
    if found is None:
        return None
    amounts = " | ".join(f"{found[metric]:.4f}" if metric == "R2" else _amount(found[metric]) for metric in METRICS)
    remark = _best_of(baselines[name]["by"]) if name in baselines else _single_seeds(name, scores)
    label = f"**{name}**" if bold else name
    return f"| {label} | {amounts} |{' ' if remark else ''}{remark} |"


def _amount(value: float) -> str:
    return f"{value:.0f}" if abs(value) >= 10000 else f"{value:.4g}"


def _best_of(by: Mapping[str, str]) -> str:
    """Which comparator is the baseline, and in which metrics, unless in all."""
    metrics: dict[str, list[str]] = {}
    for metric in METRICS:
        metrics.setdefault(by[metric], []).append(metric)
    if len(metrics) == 1:
        return next(iter(metrics))
    return "; ".join(f"{name}: {', '.join(of)}" for name, of in metrics.items())


def _single_seeds(name: str, scores: Mapping[str, Mapping[str, float]]) -> str:
    together = re.fullmatch(r"(.+) x(\d+)", name)
    singles = [scores.get(f"{together.group(1)} seed {seed}") for seed in range(int(together.group(2)))] if together else []
    if not singles or None in singles:
        return ""
    spread = {metric: [single[metric] for single in singles] for metric in ("MAE", "MAPE")}
    spread_text = ", ".join(f"{metric} {mean(values):.4g} ± {stdev(values):.2g}" for metric, values in spread.items())
    return f"single seeds: {spread_text}"


def _difference(baseline: str, report: Report) -> Optional[str]:
    for difference in report["differences"]:
        if difference["less"] == baseline and difference["name"].startswith("shipped"):
            scores = ", ".join(f"{metric} {_interval(difference['scores'][metric])}" for metric in METRICS)
            return f"Shipped minus {baseline}: {scores}."
    return None


def _interval(score: Mapping[str, float]) -> str:
    star = "*" if score["low"] > 0 or score["high"] < 0 else ""
    return f"{score['value']:+.3g} [{score['low']:+.3g}, {score['high']:+.3g}]{star}"


def corrected(page: str, lines: list[Line]) -> str:
    """The page with the measured values in place of the written ones."""
    texts = page.splitlines()
    for line in lines:
        if line.measured is not None:
            texts[line.number - 1] = line.measured
    return "\n".join(texts) + "\n"
