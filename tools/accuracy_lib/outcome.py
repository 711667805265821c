# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""The outcome of one case's dry run, and pairs of case and outcome."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any, Optional

from .case import Case


@dataclass(frozen=True)
class Outcome:
    """`error` is set if the run gave no answer."""

    measured: dict[str, int] = field(default_factory=dict)
    verdict: Optional[str] = None  # "fits", "tight", "does-not-fit" or "cannot-tell"
    capacity: Optional[int] = None
    context: Optional[int] = None
    reason: Optional[str] = None
    limits: dict[str, Any] = field(default_factory=dict)  # as in docs/json.md; empty: the report has none
    compared: dict[str, Any] = field(default_factory=dict)
    error: Optional[str] = None
    passing: bool = False  # the error may go away, e.g. on a less busy machine
    seconds: Optional[float] = None


@dataclass(frozen=True)
class Result:
    case: Case
    outcome: Outcome
    explanation: Optional[str] = None

    @property
    def not_run(self) -> Optional[str]:
        """Why this row has no dry run at all."""
        return self.case.cannot

    @property
    def failed(self) -> Optional[str]:
        """Why the dry run gave no answer."""
        return None if self.case.cannot else self.outcome.error

    @property
    def answered(self) -> bool:
        return not self.case.cannot and self.outcome.error is None

    def ours(self, name: str) -> Optional[int]:
        return self.outcome.measured.get(name)

    @property
    def truth(self) -> Optional[int]:
        return self.case.truth.get(self.case.main)

    @property
    def main(self) -> Optional[int]:
        return self.ours(self.case.main)

    def is_exact(self, name: str) -> bool:
        ours = self.ours(name)
        return ours is not None and abs(ours - self.case.truth[name]) <= self.case.tolerance.get(name, 0)

    def record(self) -> dict[str, Any]:
        """As a JSON line."""
        case = asdict(self.case)
        case["peers"] = {name: estimate and estimate._asdict() for name, estimate in self.case.peers.items()}
        return {**case, **asdict(self.outcome), "explanation": self.explanation}
