# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Runs the cases of a study side by side, equal runs once, and gives their results in the order of the cases."""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from typing import Iterator, Optional

from .answers import Answers, digest
from .case import Case
from .catalogue import Source
from .outcome import Outcome, Result
from .progress import Progress
from .runner import SCRIPTS, Runner


class Study:
    def __init__(self, runner: Runner, answers: Answers, sources: dict[str, Source], workers: int):
        self._runner = runner
        self._answers = answers
        self._sources = sources
        self._workers = workers

    def results(self, cases: list[Case]) -> Iterator[Result]:
        """Yields each result as soon as it and all before it are known. A case that cannot be run here says so."""
        cases = [replace(case, cannot=case.cannot or self._runner.obstacle(case)) for case in cases]
        keys = [None if case.cannot else self._key(case) for case in cases]
        waiting: dict[str, Case] = {}
        for key, case in zip(keys, cases):
            if key and self._answers.find(key) is None:
                waiting.setdefault(key, case)
        progress = Progress(len(waiting))
        with ThreadPoolExecutor(self._workers) as pool:
            futures = {key: pool.submit(self._run, key, case, progress) for key, case in waiting.items()}
            try:
                for key, case in zip(keys, cases):
                    yield self._result(case, self._outcome(key, futures))
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)
                raise

    def _key(self, case: Case) -> str:
        return digest(case, self._sources.get(case.source), SCRIPTS)

    def _run(self, key: str, case: Case, progress: Progress) -> Outcome:
        outcome = self._runner.run(case, self._sources.get(case.source))
        self._answers.keep(case, key, outcome)
        progress.advance(f"{case.source} {case.id}" + (f": {outcome.error}" if outcome.error else ""))
        return outcome

    def _outcome(self, key: Optional[str], futures: dict[str, Future]) -> Outcome:
        if key in futures:
            return futures[key].result()
        return (self._answers.find(key) if key else None) or Outcome()

    def _result(self, case: Case, outcome: Outcome) -> Result:
        source = self._sources.get(case.source)
        explain = source.explain if source else None
        return Result(case, outcome, explain(case, outcome.measured) if explain else None)
