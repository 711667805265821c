# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Runs the jobs behind a list of rows, each distinct one once, and writes one JSON line per row in their order."""

from __future__ import annotations

import json
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any, Iterator

from .cards import Cards
from .dry_run import Outcome, Runner
from .models import is_known
from .progress import Progress
from .rows import JobKey, Row

Record = dict[str, Any]

_OUTCOME_FIELDS = tuple(Outcome().fields())


def record_of(row: Row, outcome: Outcome) -> Record:
    return {
        "source": row.source,
        **row.key._asdict(),
        "truth_bytes": row.truth_bytes,
        "truth_oom": row.truth_oom,
        **outcome.fields(),
        "peers": {peer: estimate and estimate._asdict() for peer, estimate in row.peers.items()},
    }


def load_finished(path: Path) -> dict[JobKey, Outcome]:
    """Outcomes of an earlier, maybe interrupted run; a line cut short and rows in error are left out."""
    finished: dict[JobKey, Outcome] = {}
    if not path.exists():
        return finished
    for line in path.read_text(encoding="utf-8").splitlines():
        try:
            record = json.loads(line)
        except json.JSONDecodeError:
            continue
        if "error" not in record:
            key = JobKey(*(record[name] for name in JobKey._fields))
            finished[key] = Outcome(**{name: record[name] for name in _OUTCOME_FIELDS})
    return finished


class Study:
    def __init__(self, runner: Runner, jobs: int, finished: dict[JobKey, Outcome]):
        self._runner = runner
        self._cards = Cards(runner.dryfit)
        self._workers = jobs
        self._finished = finished

    def records(self, rows: list[Row]) -> Iterator[Record]:
        """In the order of the rows, each as soon as it and all before it are known."""
        keys = list(dict.fromkeys(row.key for row in rows))
        open_keys = [key for key in keys if key not in self._finished]
        progress = Progress(len(open_keys))
        with ThreadPoolExecutor(self._workers) as pool:
            futures = {key: pool.submit(self._outcome, key, progress) for key in open_keys}
            try:
                for row in rows:
                    yield record_of(row, self._take(row.key, futures))
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)
                raise

    def _take(self, key: JobKey, futures: dict[JobKey, Future]) -> Outcome:
        return self._finished[key] if key in self._finished else futures[key].result()

    def _outcome(self, key: JobKey, progress: Progress) -> Outcome:
        outcome = self._run(key)
        progress.advance(f"{key.model} {key.optimizer} batch {key.batch_size} on {key.gpu_name}")
        return outcome

    def _run(self, key: JobKey) -> Outcome:
        if not is_known(key.model):
            return Outcome(error=f"unknown model {key.model}")
        card = self._cards.find(key.gpu_name)
        if card is None:
            return Outcome(error=f"no single card of the catalogue is called {key.gpu_name}")
        return self._runner.run(key, card)
