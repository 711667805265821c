# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Writes docs/compatibility.md."""

from __future__ import annotations

from typing import Iterable, Mapping

from compat_lib.outcome import Outcome
from compat_lib.programs import Cell, Program, ProgramList

LIMITS = "limitations.md"
REQUIREMENTS = "../tools/setup/requirements-compat-{}.txt"

HEAD = """\
# Compatibility

`make compat` dry-runs real programs, each under several versions of PyTorch, and writes this page. The programs are training
commands, examples and test scripts that packages and repositories ship, run as they are, and
[short scripts of ours](../bench/compat/programs) that use a package as its guide does. The list
([programs.toml](../bench/compat/programs.toml)) was chosen before the first run and is kept whole: a program that fails stays.

{summary}

| cell | meaning |
|---|---|
| ✔ fits, ✔ fits, tight, ✔ does not fit | a [verdict](run.md#the-verdicts) |
| a name with a link | no verdict: the report named this limit of ours |
| ✘ no answer | no verdict, and no limit was named |
| not installed | it needs a package or a clone that wasn't there |
| not run yet | its environment wasn't there, or its turn has not come |
| a number in parentheses | not for this version, for the reason below the table |

Conditions: one simulated GPU (A100 80 GB; an H100 for vLLM), Linux on x86-64 without a GPU, no network, random weights and
synthetic data, the default of three optimizer steps. A verdict here says that the program ran and that its memory was counted. It
says nothing about how exact the count is; [accuracy.md](accuracy.md) does. A cell shows its last outcome; not every cell was repeated
with the last build. Packages are pinned: {requirements}.

"""

FOOT = """
## Without a verdict

What the report said, or why there was none:

{failures}

## What the programs show

{programs}

## Repeat it

```sh
make compat                                        # all versions: about 8 GB of packages for each
make compat COMPAT_TORCH=2.6.0 JOBS=2              # one version, two programs at once
make compat COMPAT_TORCH=2.6.0 COMPAT_FLAGS='--only trl-* --fresh'
```

Finished programs are not repeated until they, their packages or Dryfit change. The command fails if a program that had a verdict
or a named limit on the [kept board](../bench/compat/board.json) is worse now; `COMPAT_FLAGS=--accept` records it anyway. Programs
that no package ships run from clones in `build/compat/repositories`, such as `karpathy+nanoGPT`; put them there with `git clone`.
"""


def page(board: ProgramList, outcomes: Mapping[Cell, Outcome]) -> str:
    reasons = sorted({outcome.word for outcome in outcomes.values() if outcome.state == "reason"})
    numbers = {reason: number for number, reason in enumerate(reasons, start=1)}
    head = HEAD.format(summary=summary(board, outcomes), requirements=_requirements(board))
    parts = [head, *_table(board, outcomes, numbers), *_reasons(numbers),
             FOOT.format(failures=_failures(outcomes), programs=_programs(board))]
    return "".join(parts)


def summary(board: ProgramList, outcomes: Mapping[Cell, Outcome]) -> str:
    """Programs, cells, and the share of those that were run that ended in a verdict."""
    count = lambda state: sum(outcome.state == state for outcome in outcomes.values())  # noqa: E731
    run = sum(outcome.was_run for outcome in outcomes.values())
    verdicts, limits = count("verdict"), count("limit")
    share = f" ({100 * verdicts / run:.1f} %)" if run else ""
    return (
        f"{len(board.programs)} programs, {len(outcomes)} cells: {run} were run, {verdicts} of them ended in a verdict"
        f"{share}, {limits} in a named limit, {run - verdicts - limits} without an answer. {count('reason')} can't run with "
        f"that version, {count('not-installed')} are not installed, {count('not-run')} were not run yet."
    )


def _requirements(board: ProgramList) -> str:
    return ", ".join(f"[torch {version}]({REQUIREMENTS.format(version)})" for version in board.torch)


def _table(board: ProgramList, outcomes: Mapping[Cell, Outcome], numbers: Mapping[str, int]) -> Iterable[str]:
    yield "| program | kind |" + "".join(f" torch {version} |" for version in board.torch) + "\n"
    yield "|---|---|" + "---|" * len(board.torch) + "\n"
    for program in board.programs:
        cells = (_cell(outcomes[Cell(program, version)], numbers) for version in board.torch)
        yield f"| {program.name} | {program.kind} |" + "".join(f" {text} |" for text in cells) + "\n"


def _cell(outcome: Outcome, numbers: Mapping[str, int]) -> str:
    if outcome.state == "verdict":
        return f"✔ {outcome.word}"
    if outcome.state == "limit":
        return f"[{outcome.word}]({LIMITS}#{outcome.word})"
    if outcome.state == "no-answer":
        return "✘ no answer"
    if outcome.state == "reason":
        return f"({numbers[outcome.word]})"
    return "not run yet" if outcome.state == "not-run" else "not installed"


def _reasons(numbers: Mapping[str, int]) -> Iterable[str]:
    if numbers:
        yield "\n" + "\n".join(f"- ({number}) {reason}" for reason, number in numbers.items()) + "\n"


def _failures(outcomes: Mapping[Cell, Outcome]) -> str:
    failed = [(cell, outcome) for cell, outcome in outcomes.items() if outcome.state in ("limit", "no-answer")]
    lines = (f"- **{cell.program.name}**, torch {cell.torch}: `{_quoted(outcome.text)}`" for cell, outcome in failed)
    return "\n".join(lines) or "Every program that was run has one."


def _quoted(text: str) -> str:
    """Text for a span of code."""
    return " ".join(text.replace("`", "'").split()) or "nothing"


def _programs(board: ProgramList) -> str:
    return "\n".join(f"- **{program.name}**: {program.shows}{_origin(program)}" for program in board.programs)


def _origin(program: Program) -> str:
    if not program.repository:
        return f" ({', '.join(program.packages)})"
    place = f"/{program.folder}" if program.folder else ""
    return f" (`{program.repository}{place}` at {program.commit[:12]})"
