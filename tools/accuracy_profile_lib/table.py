# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""The table: median errors of `run`, `estimate` and four published tools on the same rows, and wrong verdicts."""

from __future__ import annotations

from statistics import median
from typing import Callable, NamedTuple, Optional, Sequence

from accuracy_lib.case import Case
from accuracy_lib.models import is_cnn
from accuracy_lib.outcome import Outcome

PEERS = {"xmem": "xMem", "dnnmem": "DNNMem", "schedtune": "SchedTune", "llmem": "LLMem"}
MIB = 1 << 20


class Row(NamedTuple):
    case: Case
    estimate: Outcome
    run: Optional[Outcome]

    @property
    def truth(self) -> Optional[int]:
        return self.case.truth.get("device_growth")


class Said(NamedTuple):
    """A tool's answer for a row; None if it has none."""

    bytes: Optional[float]
    fits: Optional[bool]


Tool = Callable[[Row], Said]


def _ours(outcome: Optional[Outcome]) -> Said:
    if outcome is None or outcome.error or outcome.verdict == "cannot-tell":
        return Said(None, None)
    return Said(outcome.measured.get("device_growth"), outcome.verdict != "does-not-fit")


def _peer(name: str) -> Tool:
    def said(row: Row) -> Said:
        peer = row.case.peers.get(name)
        if peer is None or peer.bytes is None:
            return Said(None, None)
        return Said(peer.bytes, None if peer.oom is None else not peer.oom)

    return said


TOOLS: dict[str, Tool] = {
    "dryfit run": lambda row: _ours(row.run),
    "dryfit estimate": lambda row: _ours(row.estimate),
    **{title: _peer(name) for name, title in PEERS.items()},
}


def errors(rows: Sequence[Row], tool: Tool) -> list[float]:
    pairs = [(row.truth, tool(row).bytes) for row in rows]
    return [abs(said - truth) / truth for truth, said in pairs if truth and said is not None]


def false_fits(rows: Sequence[Row], tool: Tool) -> int:
    return sum(1 for row in rows if row.case.truth_oom and tool(row).fits is True)


def false_alarms(rows: Sequence[Row], tool: Tool) -> int:
    return sum(1 for row in rows if row.case.truth_oom is False and tool(row).fits is False)


def parts_of(rows: Sequence[Row]) -> dict[str, list[Row]]:
    cnns = [row for row in rows if is_cnn(row.case.facts["model"])]
    transformers = [row for row in rows if not is_cnn(row.case.facts["model"])]
    return {"CNNs": cnns, "transformers": transformers, "all": list(rows)}


def markdown(rows: Sequence[Row]) -> str:
    lines = ["| rows | tool | rows with a number | median error | p90 | worst | \"fits\" that ran out | false alarms |"]
    lines.append("|---|---|---|---|---|---|---|---|")
    for part, members in parts_of(rows).items():
        for title, tool in TOOLS.items():
            found = sorted(errors(members, tool))
            if not found:
                continue
            p90 = found[min(len(found) - 1, int(0.9 * len(found)))]
            lines.append(
                f"| {part}, {len(members)} | {title} | {len(found)} | {median(found):.2%} | {p90:.2%} | {found[-1]:.2%} "
                f"| {false_fits(members, tool)} | {false_alarms(members, tool)} |"
            )
    return "\n".join(lines) + "\n"


def by_model(rows: Sequence[Row]) -> str:
    """A line per model: the errors of `estimate` and xMem, and the direction of ours."""
    lines = ["| model | rows | estimate, median | signed | xMem, median |", "|---|---|---|---|---|"]
    for model in dict.fromkeys(row.case.facts["model"] for row in rows):
        members = [row for row in rows if row.case.facts["model"] == model]
        ours = errors(members, TOOLS["dryfit estimate"])
        if not ours:
            continue
        peer = errors(members, TOOLS["xMem"])
        signed = [_signed(row) for row in members]
        known = [value for value in signed if value is not None]
        theirs = f"{median(peer):.2%}" if peer else ""
        lines.append(f"| {model} | {len(ours)} | {median(ours):.2%} | {median(known):+.2%} | {theirs} |")
    return "\n".join(lines) + "\n"


def far_off(rows: Sequence[Row], limit: float = 0.03) -> str:
    """Every row beyond the limit, by name."""
    off = [(row, value) for row in rows if (value := _signed(row)) is not None and abs(value) > limit]
    off.sort(key=lambda pair: -abs(pair[1]))
    lines = [f"{row.case.id}: {value:+.2%} ({(_growth(row) - row.truth) / MIB:+.0f} MiB)" for row, value in off]
    return "\n".join(lines) + ("\n" if lines else "")


def _growth(row: Row) -> float:
    return TOOLS["dryfit estimate"](row).bytes or 0


def _signed(row: Row) -> Optional[float]:
    said, truth = TOOLS["dryfit estimate"](row).bytes, row.truth
    return (said - truth) / truth if said is not None and truth else None
