# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""A dry run changes nothing of the user's files, whatever the program does, whoever runs it and however it ends."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import time
from pathlib import Path
from typing import Callable, Iterator

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
DRYFIT = Path(os.environ.get("DRYFIT_EXECUTABLE", REPOSITORY / "bin" / "dryfit"))
PLAIN_PYTHON = "/usr/bin/python3"  # within reach of every user
NOBODY = 65534
HANGING_SECONDS = 1800
SCRATCH = Path(f"/var/tmp/dryfit-test-scratch-{os.getpid()}")

pytestmark = [
    pytest.mark.skipif(not DRYFIT.exists(), reason="bin/dryfit is not built; run make build"),
    pytest.mark.skipif(not Path(PLAIN_PYTHON).exists(), reason=f"no {PLAIN_PYTHON}"),
]

DEEDS = {
    "overwrites a checkpoint": "open('ckpt.pt', 'wb').write(b'zeros'); assert open('ckpt.pt').read() == 'zeros'",
    "empties the output folder": "shutil.rmtree('out'); assert not os.path.exists('out'); os.makedirs('out/new')",
    "appends to a log": "open('log', 'a').write('more'); assert open('log').read() == 'before\\nmore'",
    "renames a file": "os.rename('log', 'log.old'); assert open('log.old').read() == 'before\\n'",
    "renames a folder": "os.rename('out', 'out.old'); assert os.listdir('out.old') == ['old'] and not os.path.exists('out')",
    "replaces an empty folder": "os.mkdir('e'); pathlib.Path('out').replace('e'); assert os.path.exists('e/old/file')",
    "moves a folder by a command": "subprocess.run(['mv', 'out', 'gone'], check=True); assert os.path.exists('gone/old/file')",
    "replaces a file": "open('new', 'w').write('n'); os.replace('new', 'ckpt.pt'); assert open('ckpt.pt').read() == 'n'",
    "links a file and writes to it": "os.link('log', 'second'); open('second', 'a').write('x')",
    "replaces a symbolic link": "os.remove('latest'); os.symlink('ckpt.pt', 'latest'); open('latest', 'w').write('x')",
    "takes permissions away": "os.chmod('log', 0); os.chmod('out', 0o700)",
    "changes times": "os.utime('log', (0, 0))",
    "truncates": "os.truncate('log', 2); assert open('log').read() == 'be'",
    "writes through a mapping": (
        "f = open('log', 'r+b'); m = mmap.mmap(f.fileno(), 0); m[:3] = b'xyz'; m.flush(); "
        "assert open('log').read() == 'xyzore\\n'"
    ),
    "uses SQLite with a write-ahead log": (
        "d = sqlite3.connect('runs.db'); d.execute('pragma journal_mode=wal'); d.execute('insert into t values (2)'); "
        "d.commit(); assert sqlite3.connect('runs.db').execute('select sum(x) from t').fetchone() == (3,)"
    ),
    "has a child that writes": "subprocess.run(['sh', '-c', 'echo x > log; rm -r out'], check=True)",
    "leaves a daemon that writes": (
        "subprocess.run(['sh', '-c', '(setsid sh -c \"echo x > log; echo x > done\" &)'])\n"
        "while not os.path.exists('done'): time.sleep(0.01)"
    ),
    "writes elsewhere": "open(os.environ['ELSEWHERE'] + '/file', 'w').write('x'); os.mkdir('/tmp/dryfit-test-elsewhere')",
    "uses temporary files": "f = tempfile.NamedTemporaryFile(); f.write(b'x'); f.flush(); assert os.path.exists(f.name)",
    "fails": "open('log', 'w').write('x'); sys.exit(7)",
    "is killed": "open('log', 'w').write('x'); os.kill(os.getpid(), signal.SIGKILL)",
}
BEGINNING = "import mmap, os, pathlib, shutil, signal, sqlite3, subprocess, sys, tempfile, time\n"


def state_of(folder: Path) -> "list[tuple[object, ...]]":
    """Bytes, permissions, links and times of everything below the folder."""
    found = []
    for path in sorted([folder, *folder.rglob("*")]):
        status = path.lstat()
        content = path.read_bytes() if path.is_file() and not path.is_symlink() else b""
        target = os.readlink(path) if path.is_symlink() else ""
        found.append((str(path), status.st_mode, status.st_nlink, status.st_mtime_ns, status.st_uid, content, target))
    return found


@pytest.fixture
def home(tmp_path_factory: pytest.TempPathFactory) -> "Iterator[Path]":
    """A user's folder with what trainings leave, in a place that every user can reach."""
    folder = Path(f"/var/tmp/dryfit-test-home-{os.getpid()}")
    (folder / "work" / "out" / "old").mkdir(parents=True)
    (folder / "elsewhere").mkdir()
    work = folder / "work"
    (work / "ckpt.pt").write_text("precious")
    (work / "log").write_text("before\n")
    (work / "out" / "old" / "file").write_text("old")
    (work / "latest").symlink_to("log")
    subprocess.run([PLAIN_PYTHON, "-c", "import sqlite3; d = sqlite3.connect('runs.db'); d.execute('create table t(x)');"
                    "d.execute('insert into t values (1)'); d.commit()"], cwd=work, check=True)  # fmt: skip
    yield folder
    shutil.rmtree(folder)


@pytest.fixture(autouse=True)
def scratch() -> "Iterator[None]":
    """A place for scratch folders that no other test uses."""
    SCRATCH.mkdir()
    SCRATCH.chmod(0o777)
    yield
    shutil.rmtree(SCRATCH)


def scratch_folders() -> "set[str]":
    return {path.name for path in SCRATCH.glob("dryfit-scratch-*")}


def can_reach(program: Path) -> bool:
    """As an ordinary user."""
    return subprocess.run([*become_ordinary(), "test", "-x", str(program.resolve())]).returncode == 0


def become_ordinary() -> "list[str]":
    return ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"]


class User:
    """Runs Dryfit as this user, or as one without privileges."""

    def __init__(self, ordinary: bool, home: Path):
        self.ordinary, self.home, self.work = ordinary, home, home / "work"
        if ordinary:
            for path in [home, *home.rglob("*")]:
                os.chown(path, NOBODY, NOBODY, follow_symlinks=False)
        self.before = state_of(home)

    def start(self, *words: str, **options: object) -> "subprocess.Popen[str]":
        become = become_ordinary() if self.ordinary else []
        environment = {**os.environ, "HOME": str(self.home), "ELSEWHERE": str(self.home / "elsewhere")}
        environment["TMPDIR"] = str(SCRATCH)
        environment.pop("XDG_CACHE_HOME", None)
        environment["XDG_STATE_HOME"] = environment["XDG_CACHE_HOME"] = "/nonexistent"
        return subprocess.Popen(
            [*become, str(DRYFIT), "run", "--json", "--gpu", "rtx-3060-12gb", *words],
            cwd=self.work, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            text=True, **options,  # type: ignore[call-overload]
        )  # fmt: skip

    def run(self, program: str, *options: str) -> "tuple[dict[str, object], str]":
        """What the report says of the program's writes, and what was printed on stderr."""
        process = self.start(*options, "--", PLAIN_PYTHON, "-c", BEGINNING + program)
        stdout, stderr = process.communicate(timeout=HANGING_SECONDS)
        (result,) = json.loads(stdout)["results"]
        return {**result["writes"], "ended": result["reason"]} if result["writes"] else {}, stderr


@pytest.fixture(params=["as this user", "as an ordinary user"])
def user(request: pytest.FixtureRequest, home: Path) -> User:
    ordinary = request.param == "as an ordinary user"
    if ordinary and os.geteuid() != 0:
        pytest.skip("the other case is that of an ordinary user")
    if ordinary and not can_reach(DRYFIT):
        pytest.skip("an ordinary user can't reach this checkout")
    return User(ordinary, home)


def skip_without_layer(writes: "dict[str, object]") -> None:
    if not writes["held_back"]:
        pytest.skip(f"no layer on this machine: {writes['reason']}")


@pytest.mark.parametrize("deed", DEEDS)
def test_a_program_that(deed: str, user: User) -> None:
    writes, stderr = user.run(DEEDS[deed])
    skip_without_layer(writes)
    assert "Traceback" not in stderr, stderr
    assert state_of(user.home) == user.before
    assert scratch_folders() == set()
    assert not Path("/tmp/dryfit-test-elsewhere").exists()


def test_what_was_written_is_in_the_report(user: User) -> None:
    writes, _ = user.run("open('ckpt.pt', 'wb').write(bytes(5000)); open('log', 'a').write('x'); os.remove('latest')")
    skip_without_layer(writes)
    assert (writes["files"], writes["bytes"], writes["deleted"]) == (2, 5000 + len("before\nx"), 1)
    assert (writes["largest_file"], writes["largest_bytes"]) == (str(user.work / "ckpt.pt"), 5000)


def test_writes_are_let_through_on_request(user: User) -> None:
    writes, _ = user.run("open('ckpt.pt', 'w').write('trained')", "--keep-writes")
    assert writes == {}
    assert (user.work / "ckpt.pt").read_text() == "trained"


def test_the_program_sees_the_user_that_runs_it(user: User) -> None:
    writes, stderr = user.run("assert os.getuid() == os.stat('log').st_uid; print(os.getcwd(), file=sys.stderr)")
    skip_without_layer(writes)
    assert str(user.work) in stderr and "Traceback" not in stderr


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_nothing_is_left_when_dryfit_is_ended(user: User, number: signal.Signals) -> None:
    program = BEGINNING + "open('log', 'w').write('x'); print('ready', file=sys.stderr, flush=True); time.sleep(1000)"
    process = user.start("--", PLAIN_PYTHON, "-c", program)
    assert process.stderr is not None
    while "ready" not in (line := process.stderr.readline()):
        assert line, "the program did not start"
    process.send_signal(number)
    process.communicate(timeout=HANGING_SECONDS)
    patience = time.monotonic() + HANGING_SECONDS
    while scratch_folders() and time.monotonic() < patience:
        time.sleep(0.05)
    assert scratch_folders() == set()
    assert state_of(user.home) == user.before


def test_several_runs_at_once_have_a_layer_each(home: Path) -> None:
    user = User(False, home)
    program = "assert open('log').read() == 'before\\n'; open('log', 'a').write('x')"
    process = user.start("--gpu", "rtx-4090", "--jobs", "2", "--", PLAIN_PYTHON, "-c", program)
    stdout, stderr = process.communicate(timeout=HANGING_SECONDS)
    results = json.loads(stdout)["results"]
    skip_without_layer(results[0]["writes"])
    assert [each["writes"]["files"] for each in results] == [1, 1], stderr
    assert state_of(home) == user.before


def test_an_outer_dry_run_holds_back_an_inner_one(home: Path) -> None:
    user = User(False, home)
    inner = [str(DRYFIT), "run", "--gpu", "rtx-3060-12gb", "--", "sh", "-c", "echo x > log"]
    process = user.start("--", *inner)
    stdout, stderr = process.communicate(timeout=HANGING_SECONDS)
    skip_without_layer(json.loads(stdout)["results"][0]["writes"])
    assert state_of(home) == user.before
    assert scratch_folders() == set()
