# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""The value of the parts of our network: BiGRU and Transformer together, and each alone."""

from __future__ import annotations

import statistics
from typing import Any, Sequence

METRICS = ("MSE", "RMSE", "MAE", "MAPE", "R2")
Scores = dict[str, float]


def ablation(title: str, report: dict[str, Any], cores: Sequence[tuple[str, Sequence[str]]], against: str) -> str:
    """`cores` are ensembles and the seeds of each; the report has the differences of the ensembles from `against`."""
    scores = {one["name"]: one["scores"] for one in report["contenders"]}
    differences = {one["name"]: one["scores"] for one in report["differences"] if one["less"] == against}
    width = max(len(ensemble) for ensemble, _ in cores) + 2
    lines = [f"{title}: mean and standard deviation of single seeds; all seeds together", _header(width)]
    for ensemble, seeds in cores:
        cells = [_spread([scores[seed][metric] for seed in seeds]) for metric in METRICS]
        lines.append(f"  {'a seed':{width}}" + "".join(f"{cell:>22}" for cell in cells))
        values = [_number(scores[ensemble][metric]) for metric in METRICS]
        lines.append(f"  {ensemble:{width}}" + "".join(f"{value:>22}" for value in values))
    lines += ["", f"less '{against}', with 95 % intervals over groups (* excludes 0)", _header(width)]
    for ensemble, _ in cores:
        if ensemble in differences:
            cells = [_interval(differences[ensemble][metric]) for metric in METRICS]
            lines.append(f"  {ensemble:{width}}" + "".join(f"{cell:>22}" for cell in cells))
    return "\n".join(lines) + "\n"


def _header(width: int) -> str:
    return "  " + " " * width + "".join(f"{metric:>22}" for metric in METRICS)


def _number(value: float, digits: int = 4) -> str:
    return f"{value:.0f}" if abs(value) >= 10**digits else f"{value:.{digits}g}"


def _spread(values: Sequence[float]) -> str:
    if len(values) < 2:
        return _number(values[0])
    return f"{_number(statistics.mean(values))} ± {_number(statistics.stdev(values), 2)}"


def _interval(score: Scores) -> str:
    excludes = score["low"] > 0 or score["high"] < 0
    value, low, high = (_number(score[name], 2) for name in ("value", "low", "high"))
    return f"{value} [{low}, {high}]{'*' if excludes else ' '}"
