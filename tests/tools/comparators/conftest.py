# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""A tiny feature table, and the tool's parts on the path. Nothing here needs the libraries."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any, Sequence

import pytest

REPOSITORY = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(REPOSITORY / "tools"))

TINY = """fold,part,row,group,truth,base,x,log base
0,test,3,a,10,20,1,3
0,train,5,b,40,20,2,3
0,train,8,b,80,20,3,3
1,train,3,a,10,10,1,2
1,test,5,b,40,10,2,2
1,test,8,b,80,40,3,2
"""


@pytest.fixture
def tiny(tmp_path: Path) -> Path:
    path = tmp_path / "tiny.csv"
    path.write_text(TINY, encoding="utf-8")
    return path


class MeanRegressor:
    """Answers with the mean of what it was fitted on."""

    def fit(self, inputs: Sequence[Any], targets: Sequence[float]) -> None:
        assert len(inputs) == len(targets)
        self._mean = sum(targets) / len(targets)

    def predict(self, inputs: Sequence[Any]) -> list[float]:
        return [self._mean] * len(inputs)


@pytest.fixture
def mean_regressor() -> type[MeanRegressor]:
    return MeanRegressor
