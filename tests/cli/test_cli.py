# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""The command line from outside: what a user types, sees and gets as exit code. Runs <repo>/bin/dryfit (`make build`),
or the one that DRYFIT_UNDER_TEST names."""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys
from pathlib import Path
from typing import Iterator

import pytest

ROOT = Path(__file__).resolve().parents[2]
DRYFIT = Path(os.environ.get("DRYFIT_UNDER_TEST", ROOT / "bin" / "dryfit"))
TORCH_PYTHON = ROOT / ".venv" / "torch-2.6.0" / "bin" / "python"

COULD_NOT_TELL, WRONG_USAGE, DOES_NOT_FIT = 1, 2, 3

TRAIN = """
import torch
model = torch.nn.Linear({width}, {width}).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(100):
    optimizer.zero_grad()
    model(torch.zeros(8, {width}, device="cuda")).sum().backward()
    optimizer.step()
"""


@pytest.fixture
def temporary(tmp_path: Path) -> Iterator[Path]:
    """TMPDIR of the runs; nothing may be left in it."""
    folder = tmp_path / "tmpdir"
    folder.mkdir()
    yield folder
    assert [entry.name for entry in folder.iterdir() if entry.name.startswith("dryfit-")] == []


@pytest.fixture
def torch_python() -> str:
    if not TORCH_PYTHON.exists():
        pytest.fail(f"{TORCH_PYTHON} is missing: run `make test`, which makes it")
    return str(TORCH_PYTHON)


def dryfit(*arguments: object, **options: object) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "LANG": "C.UTF-8", **options.pop("env", {})}  # type: ignore[dict-item]
    environment.pop("LC_ALL", None)
    return subprocess.run(
        [str(DRYFIT), *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=300,
        stdin=options.pop("stdin", subprocess.DEVNULL) if "input" not in options else None,
        env=environment,
        **options,
    )  # type: ignore[call-overload]


def run(temporary: Path, *arguments: object, **options: object) -> subprocess.CompletedProcess[str]:
    return dryfit("run", *arguments, env={"TMPDIR": str(temporary)}, **options)


def script(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "script.py"
    path.write_text(text)
    return path


def assert_one_clear_sentence(result: subprocess.CompletedProcess[str], code: int, part: str) -> None:
    assert result.returncode == code, result.stderr
    sentences = [line for line in result.stderr.splitlines() if line.startswith("dryfit: ")]
    assert len(sentences) == 1, result.stderr
    assert part in result.stderr
    assert result.stdout == ""


# ---- wrong usage


@pytest.mark.parametrize(
    "arguments, part",
    [
        ([], "no command given"),
        (["frobnicate"], "unknown command 'frobnicate'"),
        (["run"], "no command to run"),
        (["run", "--gpu", "3060"], "no command to run"),
        (["run", "--", "python"], "dryfit gpus"),
        (["run", "--gpus", "3060", "--", "python"], "unknown option '--gpus'"),
        (["run", "--gpu", "3060", "--steps", "none", "--", "python"], "'none'"),
        (["run", "--gpu", "3060", "--steps", "0", "--", "python"], "'0'"),
        (["run", "--gpu", "3060", "--timeout", "soon", "--", "python"], "'soon'"),
        (["run", "--gpu", "3060", "--count", "0", "--", "python"], "--count"),
        (["run", "--gpu", "3060", "--address-order", "up", "--", "python"], "'up'"),
        (["run", "--gpu", "3060", "--address-order", "recorded:/nonexistent/x", "--", "python"], "/nonexistent/x"),
        (["run", "--gpu", "3060", "--address-orders", "--address-order", "chunk", "--", "python"], "--address-order"),
        (["run", "--gpu", "3060", "--unknown-sizes", "fraction:2", "--", "python"], "'fraction:2'"),
        (["run", "--gpu", "3060", "--output", "/nonexistent/x.json", "--", "sh"], "/nonexistent/x.json"),
        (["gpus", "no-such-card-at-all"], "no-such-card-at-all"),
        (["trace", "/nonexistent/trace"], "/nonexistent/trace"),
    ],
)
def test_wrong_usage_gets_one_sentence_and_exit_code_2(arguments: list[str], part: str) -> None:
    assert_one_clear_sentence(dryfit(*arguments), WRONG_USAGE, part)


def test_help_shows_an_example_and_version_the_version() -> None:
    help_text = dryfit("--help")
    assert help_text.returncode == 0
    assert "dryfit run --gpu rtx-3060-12gb -- python train.py" in help_text.stdout
    version = dryfit("--version")
    assert version.returncode == 0
    assert version.stdout.startswith("dryfit ")


def test_run_help_shows_an_example_and_the_exit_codes() -> None:
    text = " ".join(dryfit("run", "--help").stdout.split())
    assert "-- python train.py" in text
    assert "3 does not fit" in text


def test_an_unknown_card_gets_suggestions() -> None:
    assert_one_clear_sentence(dryfit("run", "--gpu", "rtx-3061", "--", "sh"), WRONG_USAGE, "3060")


def test_an_ambiguous_card_names_the_candidates() -> None:
    result = dryfit("run", "--gpu", "a100 mig", "--", "sh")
    assert result.returncode == WRONG_USAGE
    assert "mig" in result.stderr


def test_an_unreadable_card_file_is_named(tmp_path: Path) -> None:
    card = tmp_path / "mine.toml"
    card.write_text("this is not TOML")
    assert_one_clear_sentence(dryfit("run", "--gpu", "3060", "--cards", card, "--", "sh"), WRONG_USAGE, "mine.toml")
    assert_one_clear_sentence(dryfit("gpus", "--cards", tmp_path / "none.toml"), WRONG_USAGE, "none.toml")


def test_a_folder_to_save_in_must_be_new_or_empty(tmp_path: Path) -> None:
    (tmp_path / "something").write_text("precious")
    assert_one_clear_sentence(dryfit("run", "--gpu", "3060", "--save", tmp_path, "--", "sh"), WRONG_USAGE, "empty")
    assert [entry.name for entry in tmp_path.iterdir()] == ["something"]


# ---- gpus


def test_gpus_lists_the_catalogue() -> None:
    result = dryfit("gpus")
    assert result.returncode == 0
    assert len(result.stdout.splitlines()) > 30
    assert "rtx-3060-12gb" in result.stdout
    assert "\033" not in result.stdout


def test_gpus_filters_by_name_and_prints_json() -> None:
    result = dryfit("gpus", "RTX 3060", "--json")
    assert result.returncode == 0
    cards = {card["id"]: card for card in json.loads(result.stdout)["cards"]}
    assert "rtx-3060-12gb" in cards
    assert all("3060" in card_id for card_id in cards)
    card = cards["rtx-3060-12gb"]
    assert card["compute_capability"] == "8.6"
    assert card["multiprocessors"] == 28
    assert card["total_memory_origin"] in ("measured", "vendor", "derived")


# ---- commands that do not train


def test_a_command_that_does_not_exist(temporary: Path) -> None:
    result = run(temporary, "--gpu", "3060", "--", "no-such-command-here")
    assert_one_clear_sentence(result, WRONG_USAGE, "no-such-command-here")


def test_a_command_that_is_not_Python(temporary: Path) -> None:
    result = run(temporary, "--gpu", "3060", "--", "echo", "hello", "--gpu", "mine")
    assert result.returncode == COULD_NOT_TELL
    assert result.stdout.startswith("hello --gpu mine\n")
    assert "cannot tell" in result.stdout
    assert "without loading the CUDA driver" in result.stdout


def test_the_dashes_before_the_command_may_be_left_out(temporary: Path) -> None:
    result = run(temporary, "--gpu", "3060", "echo", "-n", "--steps", "x")
    assert result.returncode == COULD_NOT_TELL
    assert result.stdout.startswith("--steps x")


def test_json_has_stdout_to_itself(temporary: Path) -> None:
    result = run(temporary, "--json", "--gpu", "3060", "--", "echo", "hello")
    assert result.returncode == COULD_NOT_TELL
    assert "hello" in result.stderr
    report = json.loads(result.stdout)
    assert list(report) == ["dryfit", "command", "software", "results"]
    assert report["command"] == ["echo", "hello"]
    assert report["results"][0]["verdict"] == "cannot-tell"
    assert report["results"][0]["device_peak_bytes"] is None
    assert report["results"][0]["hint"]


def test_the_json_file_is_written_beside_the_report(temporary: Path, tmp_path: Path) -> None:
    output = tmp_path / "out.json"
    result = run(temporary, "--output", output, "--gpu", "3060", "--", "echo", "hello")
    assert result.stdout.startswith("hello\n")
    assert "cannot tell" in result.stdout
    assert json.loads(output.read_text())["results"][0]["card"] == "rtx-3060-12gb"
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["out.json", "tmpdir"]


def test_a_saved_run_keeps_its_machine_and_verdict(temporary: Path, tmp_path: Path) -> None:
    folder = tmp_path / "kept"
    run(temporary, "--save", folder, "--gpu", "3060", "--", "true")
    assert json.loads((folder / "verdict.json").read_text())["results"][0]["card"] == "rtx-3060-12gb"
    assert (folder / "rtx-3060-12gb" / "machine.txt").read_text().startswith("dryfit-machine 1\n")


def test_exit_code_and_stderr_of_a_failing_command_are_passed_on_in_words(temporary: Path) -> None:
    result = run(temporary, "--gpu", "3060", "--", "sh", "-c", "echo oh no >&2; exit 7")
    assert result.returncode == COULD_NOT_TELL
    assert result.stderr == "oh no\n"
    assert "exit code 7" in result.stdout


def test_a_command_that_kills_itself_names_the_signal(temporary: Path) -> None:
    result = run(temporary, "--gpu", "3060", "--", "sh", "-c", "kill -KILL $$")
    assert result.returncode == COULD_NOT_TELL
    assert "SIGKILL" in result.stdout


def test_Python_without_PyTorch(temporary: Path, tmp_path: Path) -> None:
    program = script(tmp_path, "import torch_is_not_here\n")
    result = run(temporary, "--gpu", "3060", "--", sys.executable, program)
    assert result.returncode == COULD_NOT_TELL
    assert "ModuleNotFoundError: No module named 'torch_is_not_here'" in result.stderr
    assert "before it loaded the CUDA driver" in result.stdout


def test_a_timeout_ends_the_program(temporary: Path) -> None:
    result = run(temporary, "--timeout", "0.5", "--gpu", "3060", "--", "sleep", "1000000")
    assert result.returncode == COULD_NOT_TELL
    assert "--timeout" in result.stdout


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_reaches_the_program_and_ends_the_run(temporary: Path, number: signal.Signals) -> None:
    shell = "trap 'echo caught; exit 5' INT TERM HUP; echo ready; while :; do sleep 0.05; done"
    process = subprocess.Popen(
        [str(DRYFIT), "run", "--gpu", "3060", "--", "sh", "-c", shell],
        stdout=subprocess.PIPE,
        stdin=subprocess.DEVNULL,
        text=True,
        env={**os.environ, "TMPDIR": str(temporary)},
        preexec_fn=lambda: signal.signal(number, signal.SIG_DFL),  # a shell in the background ignores SIGINT
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    process.send_signal(number)
    output, _ = process.communicate(timeout=600)
    assert process.returncode == COULD_NOT_TELL
    assert output.startswith("caught\n")
    assert "interrupted" in output


def test_stdin_reaches_the_program(temporary: Path) -> None:
    result = run(temporary, "--gpu", "3060", "--", "cat", input="some words\n")
    assert result.stdout.startswith("some words\n")


def test_several_cards_give_one_table_and_each_run_gets_stdin(temporary: Path, tmp_path: Path) -> None:
    folder = tmp_path / "kept"
    text = "x" * 200_000 + "\n"
    result = run(temporary, "--save", folder, "--gpu", "3060,4090", "--gpu", "t4", "--jobs", "2", "--", "cat", input=text)
    assert result.returncode == COULD_NOT_TELL
    assert result.stdout.startswith(text)
    report = json.loads((folder / "verdict.json").read_text())
    cards = [entry["card"] for entry in report["results"]]
    assert len(cards) == 3
    for card in cards[1:]:
        assert (folder / card / "output.txt").read_text() == text
    for card in cards:
        assert card in result.stdout


def test_the_same_card_twice_is_run_once(temporary: Path) -> None:
    result = run(temporary, "--json", "--gpu", "3060,rtx-3060-12gb", "--", "true")
    assert len(json.loads(result.stdout)["results"]) == 1


def test_no_folder_for_temporary_files() -> None:
    result = dryfit("run", "--gpu", "3060", "--", "true", env={"TMPDIR": "/nonexistent"})
    assert_one_clear_sentence(result, COULD_NOT_TELL, "TMPDIR")


# ---- PyTorch


def test_a_small_training_fits_and_is_repeatable(temporary: Path, tmp_path: Path, torch_python: str) -> None:
    program = script(tmp_path, TRAIN.format(width=64))
    reports = []
    for _ in range(2):
        result = run(temporary, "--json", "--gpu", "3060", "--", torch_python, program)
        assert result.returncode == 0, result.stderr
        report = json.loads(result.stdout)["results"][0]
        assert report["verdict"] == "fits"
        assert report["steps"] == 3
        outside = report["outside_torch"]
        at_peak = report["peak_breakdown"]["torch_reserved_bytes"]
        parts = outside["context_bytes"] + outside["libraries_bytes"] + outside["code_bytes"]
        assert report["device_peak_bytes"] == at_peak + parts
        assert report["headroom_bytes"] == report["capacity_bytes"] - report["device_peak_bytes"]
        reports.append({key: value for key, value in report.items() if key not in ("seconds", "host_peak_rss_bytes")})
    assert reports[0] == reports[1]


def test_every_order_of_addresses_is_tried_and_shown(temporary: Path, tmp_path: Path, torch_python: str) -> None:
    path, saved = script(tmp_path, TRAIN.format(width=256)), tmp_path / "saved"
    for option in (["--address-orders"], ["--address-order", "all", "--save", saved]):
        result = run(temporary, "--gpu", "3060", "--json", *option, "--", torch_python, path)
        assert result.returncode == 0, result.stderr
        [entry] = json.loads(result.stdout)["results"]
        orders = entry["address_orders"]
        assert [each["order"] for each in orders] == ["chunk", "ascending", "descending"]
        assert {each["verdict"] for each in orders} == {"fits"} == {entry["verdict"]}
        assert entry["device_peak_low_bytes"] < entry["device_peak_bytes"] < entry["device_peak_high_bytes"]
    folders = sorted(entry.name for entry in saved.iterdir() if entry.is_dir())
    assert folders == ["rtx-3060-12gb", "rtx-3060-12gb-ascending", "rtx-3060-12gb-descending"]


UNCERTAIN_CARD = """
id = "uncertain-card"
name = "Uncertain Card"
chip = "8.6"
total_memory = { value = 1073741824, source = "derived: made up" }
context_memory = { value = 104857600, source = "derived: made up" }
context_spread = { value = 1073741824, source = "derived: nobody knows" }
[attributes]
multiprocessor_count = { value = 28, source = "derived: made up" }
"""


def test_a_tight_fit_is_a_fit_with_a_warning_unless_strict(
    temporary: Path, tmp_path: Path, torch_python: str
) -> None:
    path, cards = script(tmp_path, TRAIN.format(width=256)), tmp_path / "uncertain.toml"
    cards.write_text(UNCERTAIN_CARD)
    command = ["--cards", cards, "--gpu", "uncertain-card", "--", torch_python, path]
    shown = run(temporary, *command)
    assert shown.returncode == 0, shown.stderr
    assert "! fits, tight" in shown.stdout and "! It fits only if" in shown.stdout
    assert "derived: nobody knows" in shown.stdout
    strict = run(temporary, "--strict", "--json", *command)
    assert strict.returncode == DOES_NOT_FIT
    assert "dryfit: uncertain-card fits, tight: it fits only if" in strict.stderr
    [entry] = json.loads(strict.stdout)["results"]
    assert (entry["verdict"], entry["caveats"][0]["name"]) == ("tight", "outside_memory")
    outside = entry["outside_torch"]
    counted = outside["libraries_bytes"] + outside["code_bytes"]
    assert outside["low_bytes"] == counted
    assert outside["high_bytes"] == counted + outside["context_bytes"] + (1 << 30)


def test_a_training_too_large_does_not_fit_and_keeps_its_own_traceback(
    temporary: Path, tmp_path: Path, torch_python: str
) -> None:
    program = script(tmp_path, TRAIN.format(width=40_000))
    result = run(temporary, "--gpu", "rtx-4060-8gb", "--", torch_python, program)
    assert result.returncode == DOES_NOT_FIT, result.stdout + result.stderr
    assert "does not fit" in result.stdout
    assert "PyTorch failed to allocate" in result.stdout
    assert "torch.OutOfMemoryError: CUDA out of memory" in result.stderr


def test_of_two_cards_one_fits(temporary: Path, tmp_path: Path, torch_python: str) -> None:
    program = script(tmp_path, TRAIN.format(width=40_000))
    result = run(temporary, "--json", "--gpu", "a100-40gb,rtx-4060-8gb", "--", torch_python, program)
    assert result.returncode == DOES_NOT_FIT, result.stderr
    results = json.loads(result.stdout)["results"]
    assert [entry["verdict"] for entry in results] == ["fits", "does-not-fit"]
    assert results[0]["oom"] is None
    assert results[1]["oom"]["requested_bytes"] > results[1]["oom"]["device_free_bytes"]


def test_a_step_is_counted_beside_cards_that_fit_or_not(temporary: Path, tmp_path: Path, torch_python: str) -> None:
    program = script(tmp_path, TRAIN.format(width=40_000))
    result = run(temporary, "--gpu", "3060-12,a100-40gb", "--flops", "--", torch_python, program)
    assert result.returncode == DOES_NOT_FIT
    assert "\ncompute per step  51.2 GFLOP: " in result.stdout


def test_counting_that_fails_leaves_the_verdict_alone(temporary: Path, tmp_path: Path, torch_python: str) -> None:
    refusing = "import os, sys\nif os.environ.get('DRYFIT_FLOPS'): sys.exit('nobody counts here')\n"
    program = script(tmp_path, refusing + TRAIN.format(width=64))
    result = run(temporary, "--gpu", "3060-12", "--flops", "--json", "--", torch_python, program)
    report = json.loads(result.stdout)
    assert result.returncode == 0 and report["results"][0]["verdict"] == "fits"
    assert report["compute"]["flops"] is None and "exit code 1" in report["compute"]["reason"]
    assert "--- counting, last lines:\nnobody counts here\n" in result.stderr


def test_a_script_that_raises(temporary: Path, tmp_path: Path, torch_python: str) -> None:
    program = script(tmp_path, "import torch\ntorch.zeros(1).cuda()\nraise ValueError('my own mistake')\n")
    result = run(temporary, "--gpu", "3060", "--", torch_python, program)
    assert result.returncode == COULD_NOT_TELL
    assert "ValueError: my own mistake" in result.stderr
    assert "exit code 1 before its first optimizer step" in result.stdout


def test_a_script_that_kills_itself(temporary: Path, tmp_path: Path, torch_python: str) -> None:
    program = script(tmp_path, "import os, torch\ntorch.zeros(1).cuda()\nos.kill(os.getpid(), 9)\n")
    result = run(temporary, "--gpu", "3060", "--", torch_python, program)
    assert result.returncode == COULD_NOT_TELL
    assert "killed by SIGKILL before its first optimizer step" in result.stdout


def test_a_script_that_never_steps_fits_as_far_as_it_ran(temporary: Path, tmp_path: Path, torch_python: str) -> None:
    program = script(tmp_path, "import torch\ntorch.nn.Linear(8, 8).cuda()(torch.zeros(1, 8).cuda())\n")
    result = run(temporary, "--json", "--gpu", "3060", "--", torch_python, program)
    assert result.returncode == 0
    report = json.loads(result.stdout)["results"][0]
    assert (report["verdict"], report["steps"]) == ("fits", 0)
    assert "no_training_step" in [each["name"] for each in report["diagnostics"]]
    assert report["device_peak_bytes"] > 0


def test_a_script_that_stays_on_the_CPU(temporary: Path, tmp_path: Path, torch_python: str) -> None:
    result = run(temporary, "--gpu", "3060", "--", torch_python, script(tmp_path, "import torch\ntorch.zeros(1)\n"))
    assert result.returncode == COULD_NOT_TELL
    assert "without using the GPU" in result.stdout


def test_a_script_that_handles_its_own_out_of_memory(temporary: Path, tmp_path: Path, torch_python: str) -> None:
    handled = "import torch\ntry:\n    torch.empty(1 << 40, device='cuda')\nexcept torch.OutOfMemoryError:\n    pass\n"
    result = run(temporary, "--gpu", "3060", "--", torch_python, script(tmp_path, handled + TRAIN.format(width=64)))
    assert result.returncode == 0, result.stdout + result.stderr
    assert "caught the error and continued" in result.stdout


def test_Python_that_ignores_its_environment(temporary: Path, tmp_path: Path, torch_python: str) -> None:
    program = script(tmp_path, TRAIN.format(width=64))
    result = run(temporary, "--timeout", "2m", "--gpu", "3060", "--", torch_python, "-I", program)
    assert result.returncode == 0
    assert "no training step was seen" in " ".join(result.stdout.split())


def test_no_space_for_the_trace(temporary: Path, tmp_path: Path, torch_python: str) -> None:
    def limit_files() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (3000, 3000))

    program = script(tmp_path, TRAIN.format(width=64))
    result = run(temporary, "--no-history", "--gpu", "3060", "--", torch_python, program, preexec_fn=limit_files)
    assert result.returncode == COULD_NOT_TELL, result.stdout + result.stderr
    assert "incomplete: a limit on the size of files was reached" in " ".join(result.stdout.split())
    assert "TMPDIR" in result.stdout


def test_a_chip_that_the_libraries_do_not_support(temporary: Path, tmp_path: Path, torch_python: str) -> None:
    program = script(tmp_path, TRAIN.format(width=64))
    result = run(temporary, "--gpu", "rtx-5090-32gb", "--", torch_python, program)
    assert result.returncode == COULD_NOT_TELL
    assert "no code for compute capability 12.0" in " ".join(result.stdout.split())
    assert "headroom" not in result.stdout


def test_a_trace_can_be_shown(temporary: Path, tmp_path: Path, torch_python: str) -> None:
    folder = tmp_path / "kept"
    run(temporary, "--save", folder, "--gpu", "3060", "--", torch_python, script(tmp_path, TRAIN.format(width=64)))
    traces = list((folder / "rtx-3060-12gb").glob("trace-*.dryfit"))
    assert len(traces) == 1
    shown = dryfit("trace", traces[0])
    assert shown.returncode == 0
    assert "phase" in shown.stdout
    assert "step completed=3" in shown.stdout
