# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Which rows share profiles: all with the same model, optimizer and loop, whatever their batch and GPU. A model
that the host can hardly train is profiled at the rows' own batch instead."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Iterable, Optional

from accuracy_lib.case import Case

BATCHES = (2, 4)
STEPS = 4  # as many as the published jobs: PyTorch's reserved memory can still grow in the last
# Its host memory, from its published peak on the GPU.
TOO_LARGE = {"Qwen/Qwen3-4B": "not tried: needs about 36 GiB of host memory"}
# A batch of 4 takes more than 22 GiB of host memory; the rows' own is 1.
AT_THEIR_OWN_BATCH = {"deepseek-ai/DeepSeek-R1-Distill-Qwen-1.5B"}


@dataclass
class Group:
    name: str
    job: tuple[str, ...]  # with {batch} in place of the batch if it is reduced
    shrunk: bool
    cases: list[Case] = field(default_factory=list)

    def traces(self, folder: Path) -> list[Path]:
        if not self.shrunk:
            return [self.output(folder)]
        return [folder / f"{self.name}.batch-{batch}.json.gz" for batch in BATCHES]

    def output(self, folder: Path) -> Path:
        return folder / f"{self.name}.json.gz"


def obstacle(case: Case) -> Optional[str]:
    return case.cannot or TOO_LARGE.get(case.facts["model"])


def group(cases: Iterable[Case]) -> list[Group]:
    """Sorted by the number of rows they serve, largest first."""
    found: dict[tuple[str, ...], Group] = {}
    for case in cases:
        if obstacle(case):
            continue
        shrunk = case.facts["model"] not in AT_THEIR_OWN_BATCH
        job = _without_batch(case.job) if shrunk else case.job
        found.setdefault(job, Group(_name(job), job, shrunk)).cases.append(case)
    return sorted(found.values(), key=lambda each: -len(each.cases))


def _without_batch(job: tuple[str, ...]) -> tuple[str, ...]:
    place = job.index("--batch") + 1
    return (*job[:place], "{batch}", *job[place + 1 :])


def _name(job: tuple[str, ...]) -> str:
    """A file name: the values of the job's options."""
    values = [word for word in job[1:] if not word.startswith("--") and word != "{batch}"]
    return re.sub(r"[^\w.-]+", "-", "-".join(values)).strip("-")
