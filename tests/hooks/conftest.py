# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""What the tests of the hooks share: programs run with the hooks' folder in their way, alone or under `dryfit run`."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import textwrap
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Callable, Iterator

import pytest

ROOT = Path(__file__).resolve().parents[2]
HOOKS = ROOT / "python" / "dryfit" / "hooks"
DRYFIT = Path(os.environ.get("DRYFIT_EXECUTABLE", ROOT / "bin" / "dryfit"))
ENVIRONMENTS = os.environ.get("DRYFIT_TEST_ENVIRONMENTS", "torch-2.6.0 torch-latest").split()

Completed = subprocess.CompletedProcess


def run_program(python: object, program: str, *arguments: str, env: "dict[str, str] | None" = None) -> "Completed[str]":
    return subprocess.run(
        [str(python), "-c", textwrap.dedent(program), *arguments],
        capture_output=True,
        text=True,
        timeout=300,
        env={**os.environ, **(env or {})},
    )


@pytest.fixture
def hooks() -> Path:
    return HOOKS


@pytest.fixture
def plain_python(tmp_path: Path) -> Callable[..., "Completed[str]"]:
    """Runs a program in this interpreter with the hooks on, but without PyTorch or a driver."""

    def run(program: str, *arguments: str, path: "tuple[object, ...]" = (), **env: str) -> "Completed[str]":
        search = os.pathsep.join(map(str, [HOOKS, *path]))
        watched = {"PYTHONPATH": search, "DRYFIT_MACHINE": str(tmp_path / "machine.txt"), **env}
        return run_program(sys.executable, program, *arguments, env=watched)

    return run


@pytest.fixture(params=ENVIRONMENTS, scope="session")
def torch_python(request: pytest.FixtureRequest) -> Path:
    python = ROOT / ".venv" / request.param / "bin" / "python"
    if not python.exists():
        pytest.skip(f"no environment .venv/{request.param}")
    return python


# Imports torch once, then runs each program that it is given, one JSON string a line, in a fork of itself.
FORK_SERVER = """
import json, os, sys, tempfile, traceback
import torch
sys.path.insert(0, sys.argv[1])
for line in sys.stdin:
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
        child = os.fork()
        if child == 0:
            os.dup2(out.fileno(), 1)
            os.dup2(err.fileno(), 2)
            code = 0
            try:
                exec(compile(json.loads(line), "program.py", "exec"), {"__name__": "__main__"})
            except BaseException:
                traceback.print_exc()
                code = 1
            sys.stdout.flush()
            os._exit(code)
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        out.seek(0), err.seek(0)
        print(json.dumps([code, out.read(), err.read()]), flush=True)
"""


@pytest.fixture(scope="session")
def with_parts(torch_python: Path) -> "Iterator[Callable[[str], Completed[str]]]":
    """Runs a program with single parts of the hooks within reach, on PyTorch without any driver."""
    server = subprocess.Popen(
        [str(torch_python), "-c", FORK_SERVER, str(HOOKS)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "CUDA_VISIBLE_DEVICES": ""},
    )
    assert server.stdin and server.stdout

    def run(program: str) -> "Completed[str]":
        print(json.dumps(program), file=server.stdin, flush=True)
        done = subprocess.CompletedProcess(program, *json.loads(server.stdout.readline()))
        assert done.returncode == 0, done.stderr
        return done

    yield run
    server.stdin.close()
    server.wait()


@dataclass
class Watched:
    """A program that was run under `dryfit run`, and what its processes recorded."""

    code: int
    stdout: str  # of the program
    verdict: "dict[str, Any]"
    processes: "list[list[dict[str, str]]]"  # events with "kind", one list for each process
    histories: "list[Path]"

    def events(self, kind: str) -> "list[dict[str, str]]":
        return [event for process in self.processes for event in process if event["kind"] == kind]

    def notes(self) -> "dict[str, str]":
        return {event["key"]: event["value"] for event in self.events("note")}

    def values(self, key: str) -> "list[int]":
        return [int(event["value"]) for event in self.events("value") if event["key"] == key]

    def phases(self) -> "list[str]":
        return [event["name"] for event in self.events("phase")]

    def steps(self) -> int:
        return max((int(event["completed"]) for event in self.events("step")), default=0)


FIELD = re.compile(r'(\w+)=(?:"((?:[^"\\]|\\.)*)"|(\S+))')


def parse_trace(text: str) -> "Iterator[dict[str, str]]":
    for line in text.splitlines()[1:]:
        kind = line.split()[1]
        yield {"kind": kind, **{key: quoted or bare for key, quoted, bare in FIELD.findall(line)}}


@pytest.fixture
def watched(torch_python: Path, tmp_path: Path) -> Callable[..., Watched]:
    """Runs a program as the user would, and gives back everything that was recorded."""
    if not DRYFIT.exists():
        pytest.skip("bin/dryfit is not built; run make build")

    def run(program: str, *options: str, gpu: str = "rtx-3060-12gb", command: "list[str] | None" = None) -> Watched:
        script = tmp_path / "program.py"
        script.write_text(textwrap.dedent(program))
        saved = tmp_path / "saved"
        wanted = command or [str(torch_python), str(script)]
        done = subprocess.run(
            [str(DRYFIT), "run", "--json", "--gpu", gpu, "--save", str(saved), *options, "--", *wanted],
            capture_output=True,
            text=True,
            timeout=300,
            cwd=tmp_path,
        )
        traces = sorted(saved.glob("**/trace-*.dryfit"))
        texts = [subprocess.run([str(DRYFIT), "trace", str(t)], capture_output=True, text=True).stdout for t in traces]
        assert done.stdout, done.stderr
        return Watched(
            code=done.returncode,
            stdout=done.stderr,
            verdict=json.loads(done.stdout),
            processes=[list(parse_trace(text)) for text in texts],
            histories=sorted(saved.glob("**/history-*.pickle")),
        )

    return run
