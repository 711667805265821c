# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Programs that wait for what never comes are ended and named; programs that are only slow are not."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
DRYFIT = Path(os.environ.get("DRYFIT_UNDER_TEST", ROOT / "bin" / "dryfit"))
HANG = 1800

pytestmark = pytest.mark.skipif(not DRYFIT.exists(), reason="bin/dryfit is not built; run make build")

WAITS = {
    "input() without an answer": ("input('continue? ')", "was waiting for a pipe (read)"),
    "a queue that nobody fills": (
        "import multiprocessing; multiprocessing.get_context('fork').Queue().get()",
        "was waiting for a pipe (read)",
    ),
    "two threads, each with the lock of the other": (
        """
import threading
first, second, both = threading.Lock(), threading.Lock(), threading.Barrier(2)
def take(one, other):
    with one:
        both.wait()
        other.acquire()
threads = [threading.Thread(target=take, args=pair) for pair in ((first, second), (second, first))]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
""",
        "was waiting for a lock, a queue or another thread (futex)",
    ),
    "two processes, each waiting for the other": (
        """
import os
a, b = os.pipe(), os.pipe()
if os.fork() == 0:
    os.read(a[0], 1); os.write(b[1], b'x'); os._exit(0)
os.read(b[0], 1)
""",
        "; process ",
    ),
    "a child whose full pipe nobody empties": (
        """
import subprocess, sys
child = subprocess.Popen([sys.executable, '-c', "print('x' * 1000000)"], stdout=subprocess.PIPE)
child.wait()
""",
        "was waiting for a pipe (write)",
    ),
    "a server that does not answer": (
        """
import socket
listener = socket.create_server(('127.0.0.1', 0))
client = socket.create_connection(listener.getsockname())
client.recv(1)
""",
        "was waiting for a socket connected to 127.0.0.1:",
    ),
    "a lock on a file that another process holds": (
        """
import fcntl, os
one, other = open('lock', 'w'), open('lock', 'w')
fcntl.flock(one, fcntl.LOCK_EX)
fcntl.flock(other, fcntl.LOCK_EX)
""",
        "lock' (flock)",
    ),
}

SLOW = {
    "sleeps": "import time; time.sleep(4)",
    "sleeps in a thread": "import threading, time; t = threading.Thread(target=time.sleep, args=(4,)); t.start(); t.join()",
    "sleeps in a child": "import subprocess; subprocess.run(['sleep', '4'])",
    "looks again and again for a file": """
import os, subprocess, time
subprocess.Popen(['sh', '-c', 'sleep 4; touch done'])
while not os.path.exists('done'):
    time.sleep(0.1)
""",
    "computes": "import time\nend = time.process_time() + 3\nwhile time.process_time() < end: pass",
    "reads a slow pipe": "import subprocess; subprocess.run(['sh', '-c', '(sleep 4; echo x) | cat'])",
}


def run(program: str, folder: Path, *options: str) -> Any:
    """Its stdin is a pipe into which nobody writes."""
    (folder / "program.py").write_text(program)
    reading, writing = os.pipe()
    done = subprocess.run(
        [DRYFIT, "run", "--gpu", "rtx-4090", "--json", *options, "--", sys.executable, "program.py"],
        cwd=folder,
        stdin=reading,
        capture_output=True,
        text=True,
        timeout=HANG,
    )
    os.close(reading)
    os.close(writing)
    return json.loads(done.stdout)["results"][0]


@pytest.mark.parametrize("name", WAITS)
def test_a_wait_for_what_never_comes_is_ended_and_named(name: str, tmp_path: Path) -> None:
    program, words = WAITS[name]
    result = run(program, tmp_path, "--stall-timeout", "1")
    assert result["verdict"] == "cannot-tell"
    assert "the run stood still and was ended" in result["reason"]
    assert words in result["reason"]


@pytest.mark.slow
@pytest.mark.parametrize("name", SLOW)
def test_a_program_that_is_only_slow_is_not_cut(name: str, tmp_path: Path) -> None:
    result = run(SLOW[name], tmp_path, "--stall-timeout", "1")
    assert "stood still" not in result["reason"]
    assert result["seconds"] >= 2


def test_the_limit_has_a_unit_or_is_none(tmp_path: Path) -> None:
    done = subprocess.run(
        [DRYFIT, "run", "--gpu", "rtx-4090", "--stall-timeout", "soon", "--", "true"], capture_output=True, text=True
    )
    assert done.returncode == 2
    assert "'soon' is not a duration" in done.stderr
    assert run("", tmp_path, "--stall-timeout", "none")["verdict"] == "cannot-tell"
