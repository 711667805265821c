# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""`dryfit observe -- command` from outside. The machine's NVML is played by a library of the tests (src/meter/testing)
that reports what a file contains at that moment; the commands write into it. What PyTorch counts is played by a module
`torch` of the test's own; tests/e2e/test_observe.py has the real one."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
DRYFIT = Path(os.environ.get("DRYFIT_UNDER_TEST", ROOT / "bin" / "dryfit"))
NVML = ROOT / "build" / "release" / "src" / "meter" / "testing"
CARD = "NVIDIA GeForce RTX 4090"

WRONG_USAGE, NOT_STARTED = 2, 127
GIB = 1 << 30

pytestmark = pytest.mark.skipif(not (NVML / "libnvidia-ml.so.1").exists(), reason="the tests of make build are not there")

# What a command reports to NVML: hold(1 << 30) is a process of this size from now on, and returns when a sample has seen it.
HOLD = """
import os, sys, time
def hold(*sizes, accounts=()):
    path = os.environ["DRYFIT_TESTING_NVML"]
    lines = ["card %s"] + [f"process {card} {os.getpid()} {size}" for card, size in enumerate(sizes)]
    lines += [f"account {card} {os.getpid()} {size}" for card, size in enumerate(accounts)]
    wanted = {f"{os.getpid()} {size}" for size in sizes}
    before = os.path.getsize(path + ".seen") if os.path.exists(path + ".seen") else 0
    with open(path + ".new", "w") as file:
        file.write("\\n".join(lines) + "\\n")
    os.rename(path + ".new", path)
    for _ in range(30_000):  # minutes: what takes longer hangs
        if os.path.exists(path + ".seen"):
            with open(path + ".seen") as file:
                file.seek(before)
                if wanted <= set(file.read().splitlines()):
                    return
        time.sleep(0.01)
    raise TimeoutError("no sample was taken")
""" % CARD

# As much of PyTorch as the hook looks at.
TORCH = """
__version__ = "2.6.0"
class version: cuda = "12.4"
class cuda:
    used, ooms, initialised = 0, 0, True
    is_initialized = staticmethod(lambda: cuda.initialised)
    device_count = staticmethod(lambda: 1)
    get_device_name = staticmethod(lambda index: "%s")
    memory_stats = staticmethod(lambda index: {"reserved_bytes.all.peak": cuda.used, "num_ooms": cuda.ooms})
""" % CARD


class Machine:
    """One with a GPU, as far as NVML says so."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.nvml = folder / "nvml.txt"
        self.nvml.write_text(f"card {CARD}\n")
        (folder / "torch.py").write_text(TORCH)
        self.environment = {k: v for k, v in os.environ.items() if not k.startswith(("SLURM_", "LC_", "DRYFIT_"))}
        self.environment.update(
            LANG="C.UTF-8",
            XDG_DATA_HOME=str(folder / "data"),
            LD_LIBRARY_PATH=str(NVML),
            DRYFIT_TESTING_NVML=str(self.nvml),
            PYTHONPATH=str(folder),
        )

    def words(self, command: "list[object]", *options: object) -> "list[str]":
        return [str(word) for word in [DRYFIT, "observe", *options, "--", *command]]

    def run(self, command: "list[object]", *options: object, **more: Any) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            self.words(command, *options), capture_output=True, text=True, timeout=600, env=self.environment, **more
        )

    def python(self, program: str, *options: object) -> "subprocess.CompletedProcess[str]":
        return self.run([sys.executable, "-c", HOLD + textwrap.dedent(program)], *options)

    def records(self) -> "list[dict[str, Any]]":
        listed = subprocess.run(
            [str(DRYFIT), "history", "list", "--json"], capture_output=True, text=True, env=self.environment
        )
        return json.loads(listed.stdout)["records"]


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def test_the_most_that_the_command_held_is_recorded(machine: Machine) -> None:
    done = machine.python(f"hold({GIB}); hold({3 * GIB}); hold({GIB})")
    assert done.returncode == 0, done.stderr
    assert done.stdout == ""
    assert "3.00 GiB on rtx-4090-24gb (device, from nvml, ok)" in done.stderr
    (record,) = machine.records()
    assert (record["peak_bytes"], record["kind"], record["source"]) == (3 * GIB, "device", "nvml")
    assert (record["card"], record["outcome"]) == ("rtx-4090-24gb", "ok")


def test_a_process_that_the_command_starts_counts_and_others_do_not(machine: Machine) -> None:
    child = HOLD + f"hold({2 * GIB})"
    program = f"import subprocess; subprocess.run([sys.executable, '-c', {child!r}])"
    assert machine.python(program).returncode == 0
    other = f"card {CARD}\nprocess 0 {os.getpid()} {9 * GIB}\n"
    machine.nvml.write_text(other)
    unseen = machine.run(["sleep", "0.3"])
    assert "NVML saw no process of the command" in unseen.stderr
    assert [record["peak_bytes"] for record in machine.records()] == [2 * GIB]


def test_what_the_driver_accounted_goes_before_samples(machine: Machine) -> None:
    machine.python(f"hold({GIB}, accounts=[{5 * GIB}])")
    (record,) = machine.records()
    assert (record["peak_bytes"], record["source"]) == (5 * GIB, "nvml-accounting")


def test_output_input_and_code_are_the_commands(machine: Machine) -> None:
    machine.nvml.unlink()
    done = machine.run(["sh", "-c", "cat; echo words >&2; exit 5"], input="given\n")
    assert done.stdout == "given\n"
    assert done.stderr.startswith("words\n")
    assert done.returncode == 5


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGUSR1])
def test_signals_are_passed_on(machine: Machine, number: int) -> None:
    script = f"trap 'echo caught; exit 9' {signal.Signals(number).name[3:]}; echo ready; while :; do sleep 0.05; done"
    process = subprocess.Popen(
        machine.words(["sh", "-c", script]),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=machine.environment,
        start_new_session=True,
        # It is ignored when a script runs the tests in the background.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    assert process.stdout is not None and process.stdout.readline() == "ready\n"
    process.send_signal(number)
    output, _ = process.communicate(timeout=600)
    assert (output, process.returncode) == ("caught\n", 9)


def test_a_command_that_a_signal_ends_has_the_code_of_a_shell(machine: Machine) -> None:
    assert machine.run(["sh", "-c", "kill -KILL $$"]).returncode == 128 + signal.SIGKILL


def test_a_command_that_fails_is_recorded_only_on_request(machine: Machine) -> None:
    failed = machine.python(f"hold({GIB}); sys.exit(4)")
    assert failed.returncode == 4
    assert "failed with code 4" in failed.stderr and "--any-ending" in failed.stderr
    assert machine.records() == []
    assert machine.python(f"hold({GIB}); sys.exit(4)", "--any-ending").returncode == 4
    assert len(machine.records()) == 1


def test_without_numbers_the_error_names_what_is_missing_and_nothing_is_recorded(machine: Machine) -> None:
    machine.nvml.unlink()
    done = machine.run(["true"])
    assert done.returncode == 0
    assert "NVML cannot be initialized: Driver Not Loaded" in done.stderr
    assert "no Python process reported what PyTorch reserved" in done.stderr
    assert machine.records() == []


def test_what_PyTorch_reserved_is_taken_where_NVML_is_silent(machine: Machine) -> None:
    machine.nvml.unlink()
    done = machine.python(f"import torch; torch.cuda.used = {3 * GIB}")
    assert done.returncode == 0, done.stderr
    (record,) = machine.records()
    assert (record["peak_bytes"], record["kind"], record["source"]) == (3 * GIB, "reserved", "torch")
    assert record["card"] == "rtx-4090-24gb"
    assert record["software"] == {"cuda": "12.4", "python": "%d.%d.%d" % sys.version_info[:3], "torch": "2.6.0"}


def test_samples_that_missed_the_peak_give_way_to_PyTorch(machine: Machine) -> None:
    machine.python(f"import torch; torch.cuda.used = {3 * GIB}; hold({GIB})")
    (record,) = machine.records()
    assert (record["peak_bytes"], record["source"]) == (3 * GIB, "torch")


def test_a_job_that_ran_out_of_memory_is_recorded_as_such(machine: Machine) -> None:
    done = machine.python(f"import torch; torch.cuda.used, torch.cuda.ooms = {3 * GIB}, 1; hold({4 * GIB}); 1 / 0")
    assert done.returncode == 1 and "ZeroDivisionError" in done.stderr
    (record,) = machine.records()
    assert (record["outcome"], record["peak_bytes"]) == ("out-of-memory", 4 * GIB)


def test_a_program_that_did_not_use_the_GPU_records_nothing(machine: Machine) -> None:
    machine.nvml.unlink()
    machine.python("import torch; torch.cuda.initialised = False; torch.cuda.used = 5")
    machine.python("pass")
    assert machine.records() == []


def test_the_hook_prints_nothing_and_imports_nothing(machine: Machine) -> None:
    program = "import sys; print(sorted(n for n in sys.modules if n in ('json', 'torch') or 'dryfit' in n), sys.path[1:2])"
    done = machine.run([sys.executable, "-S", "-c", program])
    watched = machine.run([sys.executable, "-c", program])
    assert done.stdout.startswith("[]")
    assert watched.stdout == f"['_dryfit_observe'] [{str(machine.folder)!r}]\n"


def test_a_torch_that_misbehaves_at_the_end_causes_no_noise(machine: Machine) -> None:
    machine.nvml.unlink()
    done = machine.python("import torch; torch.cuda.memory_stats = None; print('done')")
    assert (done.returncode, done.stdout) == (0, "done\n")
    assert "Traceback" not in done.stderr


def test_remarks_and_a_prediction_go_with_it(machine: Machine) -> None:
    predicted = machine.folder / "predicted.json"
    predicted.write_text(
        json.dumps(
            {
                "job": {"model": "resnet50", "batch": 64},
                "coverage": 0.95,
                "cards": [{"card": "rtx-4090-24gb", "median_bytes": GIB, "upper_bytes": 2 * GIB}],
                "model_file": {"file": "surrogate.dryfit-model"},
            }
        )
    )
    done = machine.python(f"hold({GIB})", "--predicted", predicted, "--name", "nightly", "--json")
    tally = json.loads(done.stderr)
    assert tally["new"] == 1
    (record,) = machine.records()
    assert record["predicted"]["upper_bytes"] == 2 * GIB
    assert (record["job"]["model"], record["name"]) == ("resnet50", "nightly")


def test_several_commands_of_one_slurm_job_are_several_records(machine: Machine) -> None:
    machine.environment["SLURM_JOB_ID"] = "77"
    for _ in range(2):
        assert machine.python(f"hold({GIB})").returncode == 0
    records = machine.records()
    assert len(records) == 2
    assert all(record["job_id"].startswith("77-") for record in records)


def test_a_command_that_cannot_be_started_is_named(machine: Machine) -> None:
    done = machine.run(["no-such-program-at-all"])
    assert done.returncode == NOT_STARTED
    assert "no-such-program-at-all" in done.stderr


def test_wrong_remarks_are_refused_before_the_command_runs(machine: Machine) -> None:
    ran = machine.folder / "ran"
    for options in (["--gpu", "rtx-3061"], ["--predicted", machine.nvml], ["--job", "/nonexistent"]):
        assert machine.run(["touch", ran], *options).returncode == WRONG_USAGE
    broken = machine.folder / "broken.db"
    broken.write_bytes(b"not a database at all" * 100)
    assert machine.run(["touch", ran], "--history", broken).returncode == WRONG_USAGE
    assert not ran.exists()


def processor_seconds(machine: Machine, command: "list[object]") -> float:
    """Of Dryfit and the command together."""
    process = subprocess.Popen(machine.words(command), env=machine.environment, stdout=-3, stderr=-3)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0
    return usage.ru_utime + usage.ru_stime


@pytest.mark.slow
def test_watching_takes_less_than_a_hundredth_of_a_core(machine: Machine) -> None:
    """A command that does nothing for five seconds, less what starting and recording takes."""
    machine.nvml.write_text(f"card {CARD}\nprocess 0 1 1000\n")
    short = min(processor_seconds(machine, ["sleep", "0.5"]) for _ in range(3))
    long = min(processor_seconds(machine, ["sleep", "5.5"]) for _ in range(2))
    assert long - short < 0.01 * 5
