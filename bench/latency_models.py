# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""The tree models that bench/latency times: trained with the settings of tools/comparators, saved by their libraries.

Run in the environment of `make venv-comparators`.
"""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Iterable

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tools"))

from comparators_lib import feature_table  # noqa: E402
from comparators_lib.contestants import SEED, SQUARED, Learner  # noqa: E402
from comparators_lib.learners import regressor  # noqa: E402
from comparators_lib.targets import TARGETS  # noqa: E402

KINDS = ("xgboost", "lightgbm", "catboost")
LIBRARIES = {"xgboost": "lib/libxgboost.so", "lightgbm": "lib/lib_lightgbm.so"}
WRAPPER = """
#include "{source}"
extern "C" double catboost_answer(const float* features, std::size_t count) {{
  thread_local std::vector<float> row;
  row.assign(features, features + count);
  return ApplyCatboostModel(row);
}}
"""


@dataclass(frozen=True)
class TreeModel:
    kind: str
    features: str
    library: Path
    model: Path

    @property
    def name(self) -> str:
        return learner_of(self.kind).name

    def arguments(self) -> list[str]:
        return [self.kind, self.features, str(self.library), str(self.model)]

    def mean_answer(self, rows: Iterable[int]) -> float:
        """The mean answer over these rows of the table, from the library itself in Python."""
        answers = json.loads(answers_file(self.model).read_text(encoding="utf-8"))
        return sum(chosen := [answers[str(row)] for row in rows]) / len(chosen)


def answers_file(model: Path) -> Path:
    return model.with_name(model.name + ".answers.json")


def learner_of(kind: str) -> Learner:
    return next(learner for learner in SQUARED if learner.kind == kind)


def versions() -> str:
    return ", ".join(f"{learner_of(kind).name} {version(learner_of(kind).library)}" for kind in KINDS)


def train(kind: str, table: feature_table.FeatureTable) -> Any:
    """Trained on the logarithm of the peaks, without the first fold."""
    model = regressor(learner_of(kind), 1000 * SEED)
    part = table.folds[0].train
    model.fit(part.inputs, TARGETS["log"](part))
    return model


def answers_for(model: Any, part: feature_table.Part) -> Iterable[tuple[int, float]]:
    return zip(part.rows, map(float, model.predict(part.inputs)))


def save(kind: str, model: Any, file: Path) -> None:
    if kind == "catboost":
        model.save_model(str(file), format="cpp")
    elif kind == "lightgbm":
        model.booster_.save_model(str(file))
    else:
        model.save_model(str(file))


def library_of(kind: str) -> Path:
    spec = find_spec(kind)
    assert spec is not None and spec.origin is not None
    return Path(spec.origin).parent / LIBRARIES[kind]


def compiled(source: Path) -> Path:
    """CatBoost's exported code as a shared library, for exactly this processor: the best that a user could do."""
    library = source.with_suffix(".so")
    if not library.exists():
        wrapper = source.with_suffix(".wrapper.cpp")
        wrapper.write_text(WRAPPER.format(source=source.name), encoding="utf-8")
        flags = ["-std=c++17", "-O3", "-march=native", "-w", "-shared", "-fPIC"]
        subprocess.run(["g++", *flags, str(wrapper), "-o", str(library)], check=True)
    return library


def kept(kind: str, features: str, folder: Path, features_file: Path) -> TreeModel:
    """The model of that kind from the folder; trained first if it is missing."""
    suffix = {"xgboost": ".ubj", "lightgbm": ".txt", "catboost": ".cpp"}[kind]
    file = folder / f"{kind}-{features}-{version(learner_of(kind).library)}{suffix}"
    if not file.exists():
        print(f"training {learner_of(kind).name} on the features '{features}'", file=sys.stderr, flush=True)
        table = feature_table.read(features_file)
        model = train(kind, table)
        answers = {row: answer for fold in table.folds for row, answer in answers_for(model, fold.test)}
        answers_file(file).write_text(json.dumps(answers), encoding="utf-8")
        save(kind, model, file)
    library = compiled(file) if kind == "catboost" else library_of(kind)
    return TreeModel(kind, features, library, file)
