# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Slips on the command line: each gets the line that would have worked, and that line is run here. Runs
<repo>/bin/dryfit (`make build`), or the one that DRYFIT_UNDER_TEST names."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).resolve().parents[2]
DRYFIT = Path(os.environ.get("DRYFIT_UNDER_TEST", ROOT / "bin" / "dryfit"))

WRONG_USAGE = 2


class Desk(NamedTuple):
    """A folder with a script, and an environment with a cache of its own in which `python` can be started."""

    folder: Path
    environment: "dict[str, str]"

    def run(self, *words: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            [str(DRYFIT), *words],
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
            cwd=self.folder,
            env=self.environment,
            timeout=600,
        )


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    folder, programs = tmp_path / "desk", tmp_path / "programs"
    folder.mkdir()
    programs.mkdir()
    (folder / "train.py").write_text("print('trained')\n")
    (folder / "x.json").write_text("{}")
    (programs / "python").symlink_to(sys.executable)
    environment = {
        **os.environ,
        "PATH": f"{programs}:/usr/bin:/bin",
        "XDG_CACHE_HOME": str(tmp_path / "cache"),
        "XDG_DATA_HOME": str(tmp_path / "data"),
        "LANG": "C.UTF-8",
    }
    return Desk(folder, environment)


def suggested(stderr: str) -> "list[str]":
    """The first command line in backquotes that isn't a mere pointer to a list or to help."""
    for line in re.findall(r"`(dryfit [^`]*)`", stderr):
        if line not in ("dryfit gpus", "dryfit models") and not line.endswith("--help"):
            return shlex.split(line)[1:]
    pytest.fail(f"no command line is suggested: {stderr}")


COMMAND = "-- python train.py"
RUN = f"run --gpu rtx-4090 {COMMAND}"
PREDICT = "predict --model resnet50 --batch 8 --gpu rtx-4090"

SLIPS = [
    # what is typed, the line that is suggested
    (f"rn --gpu rtx-4090 {COMMAND}", RUN),
    ("predct --model resnet50 --batch 8 --gpu rtx-4090", PREDICT),
    ("pred --model resnet50 --batch 8 --gpu rtx-4090", PREDICT),
    ("gpu a100", "gpus a100"),
    (f"run --setps 5 --gpu rtx-4090 {COMMAND}", f"run --steps 5 --gpu rtx-4090 {COMMAND}"),
    (f"run --gpus rtx-4090 {COMMAND}", RUN),
    (f"run -gpu rtx-4090 {COMMAND}", RUN),
    (f"run --gpus=rtx-4090 {COMMAND}", f"run --gpu=rtx-4090 {COMMAND}"),
    ("predict --model resnet50 --btach 8 --gpu rtx-4090", PREDICT),
    (f"run --gpu a100 {COMMAND}", f"run --gpu a100-40gb {COMMAND}"),
    (f"run --gpu 'h100 ' {COMMAND}", f"run --gpu h100-80gb {COMMAND}"),
    (f"run --gpu rtx-3061 {COMMAND}", f"run --gpu rtx-3060-12gb {COMMAND}"),
    (f"run --gpu t4,rtx-4O90 {COMMAND}", f"run --gpu t4,rtx-4090-24gb {COMMAND}"),
    (f"run --gpu all {COMMAND}", f"run --gpu rtx-4090,a100-80gb,h100-80gb {COMMAND}"),
    (f"run --gpu 2xa100-80gb {COMMAND}", f"run --count 2 --gpu a100-80gb {COMMAND}"),
    (f"run --gpu a100-80gb:2 {COMMAND}", f"run --count 2 --gpu a100-80gb {COMMAND}"),
    ("predict --model resnet50 --batch 8 --gpu 2xa100-80gb", f"run --count 2 --gpu a100-80gb {COMMAND}"),
    (f"run {COMMAND}", RUN),
    ("run python train.py --gpu rtx-4090", RUN),
    (f"--gpu rtx-4090 run {COMMAND}", RUN),
    (f"--gpu rtx-4090 {COMMAND}", RUN),
    ("limits", f"limits --gpu rtx-4090 {COMMAND}"),
    ("limits --gpu rtx-4090", f"limits --gpu rtx-4090 {COMMAND}"),
    (f"limits --gpu rtx-4090 --batch-size 8 {COMMAND}", f"limits --gpu rtx-4090 {COMMAND} --batch-size 8"),
    ("train.py", RUN),
    ("python train.py", RUN),
    ("run --gpu rtx-4090 train.py", RUN),
    ("run --gpu rtx-4090 -- python trian.py", RUN),
    ("run --gpu rtx-4090 -- pyhton train.py", RUN),
    ("run --gpu rtx-4090 --", RUN),
    ("run --gpu rtx-4090", RUN),
    (f"run --gpu {COMMAND}", RUN),
    (f"run --memory 12gb {COMMAND}", f"run --gpu rtx-3060-12gb {COMMAND}"),
    (f"run --steps ten --gpu rtx-4090 {COMMAND}", f"run --steps 3 --gpu rtx-4090 {COMMAND}"),
    ("predict --model resnet50 --batch 8", "predict --gpu rtx-4090 --model resnet50 --batch 8"),
    ("predict --model resnet50 --gpu rtx-4090", "predict --batch 64 --model resnet50 --gpu rtx-4090"),
    ("predict --model resnet5O --batch 8 --gpu rtx-4090", PREDICT),
    ("predict --model ResNet50 --batch 8 --gpu rtx-4090", PREDICT),
    ("predict resnet50 --batch 8 --gpu rtx-4090", PREDICT),
    ("history lst", "history list"),
    ("history show", "history list"),
    ("run train.py", RUN),
    ("run", RUN),
    ("run --gpu", RUN),
    (f"run rtx-4090 {COMMAND}", RUN),
    (f"run --gpu rtx-4090 a100-40gb {COMMAND}", f"run --gpu rtx-4090,a100-40gb {COMMAND}"),
    ("run --gpu rtx-4090 -- 'python train.py'", RUN),
    ("run --gpu rtx-4090 -- SEED=1 python train.py", "run --gpu rtx-4090 -- env SEED=1 python train.py"),
    ("run --gpu rtx-4090 \u2014 python train.py", RUN),
    (f"run \u2014gpu rtx-4090 {COMMAND}", RUN),
    (f"run --gpu rtx-4090 --- python train.py", RUN),
    (f"run --gpu 0 {COMMAND}", RUN),
    (f"run --gpu cuda:0 {COMMAND}", RUN),
    (f"run --gpu rtx-4090 --ouput x.json {COMMAND}", f"run --gpu rtx-4090 --output x.json {COMMAND}"),
    (f"run --gpu rtx-4090 --num-gpus 2 {COMMAND}", f"run --gpu rtx-4090 --count 2 {COMMAND}"),
    (f"run -g rtx-4090 {COMMAND}", RUN),
    (f"run --gpu rtx-4090 -n 5 {COMMAND}", f"run --gpu rtx-4090 --steps 5 {COMMAND}"),
    (f"run --gpu rtx-4090 --batch-size 8 {COMMAND}", f"run --gpu rtx-4090 {COMMAND} --batch-size 8"),
    (f"run --gpu rtx-4090 --lr=0.1 {COMMAND}", f"run --gpu rtx-4090 {COMMAND} --lr=0.1"),
    ("profile train.py", "profile -- python train.py"),
    (f"{PREDICT} --amp", f"{PREDICT} --precision bf16-amp"),
    (f"{PREDICT} --dtype bfloat16", f"{PREDICT} --precision bf16"),
    (f"{PREDICT} --precision FP16", f"{PREDICT} --precision fp16-amp"),
    (f"{PREDICT} --optimizer Adam", f"{PREDICT} --optimizer adam"),
    (f"{PREDICT} --image-size 224", f"{PREDICT} --size 224"),
    ("predict --model resnet50 --bs 8 --gpu rtx-4090", PREDICT),
    ("resnet50", "predict --model resnet50 --batch 64 --gpu rtx-4090"),
    ("models resnte50", "models resnet50"),
]
# The line works only with a run or a file that is not there in the test.
ABOUT_A_RUN = [
    ("last", "top last"),
    ("compare last~1 last", "diff last~1 last"),
    ("sweep last", "replay last --sweep"),
    ("view last", "report last"),
    ("snapshot.pickle --gpu t4", "replay snapshot.pickle --gpu t4"),
    ("trace.json.gz", "estimate --gpu rtx-4090 trace.json.gz"),
    ("top --by modules", "top --by module"),
    ("export --format perfeto", "export --format perfetto"),
    ("observe train.py", "observe -- python train.py"),
    ("observe python train.py", "observe -- python train.py"),
    ("replay x.json", "estimate --gpu rtx-4090 x.json"),
]


@pytest.mark.parametrize("typed, line", SLIPS, ids=[typed for typed, _ in SLIPS])
def test_a_slip_is_answered_with_the_line_that_works(desk: Desk, typed: str, line: str) -> None:
    wrong = desk.run(*shlex.split(typed))
    assert wrong.returncode == WRONG_USAGE, wrong.stdout + wrong.stderr
    assert wrong.stdout == ""
    assert suggested(wrong.stderr) == shlex.split(line)
    if not line.startswith("history"):  # a history is first made by `dryfit observe`
        right = desk.run(*shlex.split(line))
        assert right.returncode != WRONG_USAGE, right.stderr


@pytest.mark.parametrize("typed, line", ABOUT_A_RUN, ids=[typed for typed, _ in ABOUT_A_RUN])
def test_a_slip_about_a_run_or_a_file_is_answered_with_the_right_line(desk: Desk, typed: str, line: str) -> None:
    wrong = desk.run(*shlex.split(typed))
    assert wrong.returncode == WRONG_USAGE, wrong.stdout + wrong.stderr
    assert suggested(wrong.stderr) == shlex.split(line)


@pytest.mark.parametrize(
    "typed, line",
    [
        ("help", "--help"),
        ("help run", "run --help"),
        ("version", "--version"),
        ("-v", "--version"),
        ("-V", "--version"),
        ("list", "gpus"),
    ],
)
def test_help_version_and_lists_by_other_names(desk: Desk, typed: str, line: str) -> None:
    wrong = desk.run(*shlex.split(typed))
    assert wrong.returncode == WRONG_USAGE
    assert f"Did you mean `dryfit {line}`?" in wrong.stderr
    assert desk.run(*shlex.split(line)).returncode == 0


@pytest.mark.parametrize(
    "typed",
    [
        "predict --model resnet50 --batch-size 8 --gpu rtx-4090",
        "predict --model resnet50 --batch 8 --gpu 4090",
        "predict --model resnet50 --batch 8 --gpu rtx4090",
        "predict --model resnet50 --batch 8 --gpu 'RTX 4090'",
        "predict --model resnet50 --batch 8 --gpu a100-80g",
        "run --gpu rtx-4090 python train.py",
    ],
)
def test_what_can_mean_only_one_thing_just_works(desk: Desk, typed: str) -> None:
    done = desk.run(*shlex.split(typed))
    assert done.returncode != WRONG_USAGE, done.stderr
    assert done.stdout


@pytest.mark.parametrize(
    "typed, what, hint",
    [
        (f"run --gpu foo {COMMAND}", "unknown GPU 'foo'", "Run `dryfit gpus` to list the NVIDIA GPUs"),
        (f"run --gpu mi300x {COMMAND}", "unknown GPU 'mi300x'", "to list the NVIDIA GPUs that Dryfit knows"),
        ("predict --model bert --batch 8 --gpu rtx-4090", "unknown model 'bert'", "Run `dryfit models bert` to list"),
        ("predict train.py", "'train.py' is a script, not the description of a job", "give --python train.py:FACTORY"),
        ("models frobnicate", "no model matches 'frobnicate'", "Run `dryfit models` to list all models."),
        ("learn --history h.db", "no --from-history given", "for example `dryfit learn --from-history"),
        ("frobnicate", "unknown command 'frobnicate'", "Run `dryfit --help` to list the commands."),
        (f"run --sweep --gpu rtx-4090 {COMMAND}", "unknown option '--sweep'", "It belongs to `dryfit replay`"),
        (f"run --frobnicate --gpu rtx-4090 {COMMAND}", "unknown option '--frobnicate'", "Options of your script come"),
        ("predict --frobnicate", "unknown option '--frobnicate'", "Run `dryfit predict --help`"),
        ("run --gpu rtx-4090 -- python elsewhere/tarin.py", "no such file: 'elsewhere/tarin.py'", "Check the path"),
        ("", "no command given", "Start with `dryfit run --gpu rtx-4090 -- python train.py`"),
        ("report last", "there is no last run yet", "Make one with `dryfit run`"),
        ("report lsat", "there is no run 'lsat'", "Did you mean `dryfit report last`?"),
        ("replay", "there is no last run yet", "Make one with `dryfit run`"),
        ("diff last", "no AFTER given", "for example `dryfit diff last~1 last`"),
        ("export", "no --format given", "for example `dryfit export --format perfetto -o run.json`"),
        ("estimate x.json", "no GPU given", "Name one, for example `dryfit estimate --gpu rtx-4090 x.json`."),
        (f"run --count two --gpu rtx-4090 {COMMAND}", "--count: 'two' is not a whole number from 1 to 64", "--help"),
        ("top --limit ten", "--limit: 'ten' is not a number", "Run `dryfit top --help` for details."),
        ("run --gpu rtx-4090 --steps", "--steps needs a value", "Run `dryfit run --help` for details."),
        ("diff a b --json --markdown", "--markdown and --json can't be combined", "Leave out one of them."),
        ("gpus a b", "unexpected argument 'b'", "Run `dryfit gpus --help` for details."),
        ("gpus 4O90", "no GPU matches '4O90'", "Did you mean `dryfit gpus rtx-4090-24gb`?"),
    ],
)
def test_what_is_wrong_and_what_to_do(desk: Desk, typed: str, what: str, hint: str) -> None:
    wrong = desk.run(*shlex.split(typed))
    assert wrong.returncode == WRONG_USAGE
    first, second = wrong.stderr.splitlines()
    assert first == f"dryfit: {what}"
    assert second.startswith("  ") and hint in second
    assert second[2].isupper() and second[-1] in ".?"


@pytest.mark.parametrize("gpu", ["foo", "all", "", "a100", "2xt4"])
@pytest.mark.parametrize("start", [f"run {{}} {COMMAND}", "predict --model resnet50 --batch 8 {}", "estimate x.json {}"])
def test_a_wrong_gpu_is_wrong_usage_for_every_command(desk: Desk, start: str, gpu: str) -> None:
    wrong = desk.run(*shlex.split(start.format(f"--gpu={gpu}" if gpu else "")))
    assert wrong.returncode == WRONG_USAGE
    assert wrong.stdout == ""
    assert wrong.stderr.count("dryfit: ") == 1


def test_options_of_the_command_are_its_own(desk: Desk) -> None:
    wrong = desk.run("run", "--", "python", "train.py", "--gpu", "0")
    assert suggested(wrong.stderr) == ["run", "--gpu", "rtx-4090", "--", "python", "train.py", "--gpu", "0"]
