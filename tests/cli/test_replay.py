# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""`dryfit replay` from outside, with snapshots made by hand. Runs <repo>/bin/dryfit (`make build`), or the one that
DRYFIT_UNDER_TEST names."""

from __future__ import annotations

import json
import os
import pickle
import subprocess
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
DRYFIT = Path(os.environ.get("DRYFIT_UNDER_TEST", ROOT / "bin" / "dryfit"))

WRONG_USAGE, DOES_NOT_FIT = 2, 3
MIB = 1 << 20
GIB = 1 << 30
BASE = 0x7F0000000000


def dryfit(*arguments: object) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "LANG": "C.UTF-8"}
    environment.pop("LC_ALL", None)
    return subprocess.run(
        [str(DRYFIT), *map(str, arguments)], capture_output=True, text=True, timeout=600, env=environment
    )


def report(*arguments: object, code: int = 0) -> dict[str, Any]:
    result = dryfit("replay", "--json", *arguments)
    assert result.returncode == code, result.stderr
    return json.loads(result.stdout)


def entry(action: str, address: int, size: int, line: int) -> dict[str, Any]:
    frames = [
        {"name": "linear", "filename": "/x/lib/python3.11/site-packages/torch/nn/functional.py", "line": 9},
        {"name": "step", "filename": "/home/me/train.py", "line": line},
    ]
    return {"action": action, "addr": address, "size": size, "stream": 0, "time_us": 1, "frames": frames}


def segment(address: int, size: int, used: bool, device: int = 0) -> dict[str, Any]:
    block = {"address": address, "size": size, "requested_size": size, "frames": []}
    block["state"] = "active_allocated" if used else "inactive"
    return {
        "device": device,
        "address": address,
        "total_size": size,
        "stream": 0,
        "segment_type": "large",
        "is_expandable": False,
        "blocks": [block],
    }


def tensors(first: int, second: int, base: int = BASE) -> list[dict[str, Any]]:
    """`first` bytes, given back to the cache; then `second` bytes."""
    behind = base + (1 << 40)
    return [
        entry("segment_alloc", base, first, 10),
        entry("alloc", base, first, 10),
        entry("free_requested", base, first, 10),
        entry("free_completed", base, first, 10),
        entry("segment_alloc", behind, second, 42),
        entry("alloc", behind, second, 42),
    ]


def snapshot(traces: list[list[dict[str, Any]]], segments: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "segments": segments,
        "device_traces": traces,
        "allocator_settings": {"PYTORCH_CUDA_ALLOC_CONF": ""},
        "external_annotations": [],
    }


@pytest.fixture
def recording(tmp_path: Path) -> Path:
    """6 GiB in the cache when 8 GiB are asked for."""
    path = tmp_path / "snapshot.pickle"
    segments = [segment(BASE, 6 * GIB, False), segment(BASE + (1 << 40), 8 * GIB, True)]
    path.write_bytes(pickle.dumps(snapshot([tensors(6 * GIB, 8 * GIB)], segments)))
    return path


# ---- wrong usage


@pytest.mark.parametrize(
    "options, part",
    [
        (["--fraction", "0.5"], "--gpu"),
        (["--fraction", "2", "--gpu", "3060"], "--fraction"),
        (["--fraction", "nan", "--gpu", "3060"], "from 0 to 1"),
        (["--torch", "2.10", "--alloc-conf", "per_process_memory_fraction:0.1"], "--gpu"),
        (["--no-such-option"], "dryfit replay --help"),
        (["--device", "many"], "dryfit replay --help"),
        (["--sweep", "--alloc-conf", "expandable_segments:True"], "--alloc-conf"),
        (["--alloc-conf", "no_such_option:1"], "no_such_option"),
        (["--torch", "0.4"], "0.4"),
        (["--gpu", "rtx-3061"], "3060"),
        (["--device", "7"], "device 7"),
        (["--device", "7"], "Give a recorded device: --device 0."),
        (["--device", "-1"], "device -1"),
        (["--write-snapshot", "/nonexistent/out.pickle"], "/nonexistent/out.pickle"),
        (["--gpu", "3060,4090", "--write-snapshot", "out.pickle"], "one GPU"),
    ],
)
def test_wrong_options_get_one_sentence_and_exit_code_2(recording: Path, options: list[str], part: str) -> None:
    result = dryfit("replay", recording, *options)
    assert result.returncode == WRONG_USAGE, result.stderr
    assert len([line for line in result.stderr.splitlines() if line.startswith("dryfit: ")]) == 1
    assert part in result.stderr
    assert result.stdout == ""


def test_the_recording_itself_is_not_overwritten(recording: Path, tmp_path: Path) -> None:
    before = recording.read_bytes()
    link = tmp_path / "link.pickle"
    link.symlink_to(recording)
    for out in (recording, link):
        result = dryfit("replay", recording, "--write-snapshot", out)
        assert result.returncode == WRONG_USAGE
        assert "the recording itself" in result.stderr
    assert recording.read_bytes() == before


def test_what_is_no_recording_gets_a_hint(tmp_path: Path) -> None:
    missing = dryfit("replay", tmp_path / "none.pickle")
    assert missing.returncode == WRONG_USAGE
    assert "none.pickle" in missing.stderr
    empty_folder = dryfit("replay", tmp_path)
    assert empty_folder.returncode == WRONG_USAGE
    assert "--save" in empty_folder.stderr
    text = tmp_path / "notes.txt"
    text.write_text("not a pickle")
    assert "_dump_snapshot" in dryfit("replay", text).stderr
    silent = tmp_path / "silent.pickle"
    silent.write_bytes(pickle.dumps(snapshot([[]], [])))
    assert "_record_memory_history" in dryfit("replay", silent).stderr


@pytest.mark.parametrize(
    "beginning, part",
    [
        (b"dryfit\r\n", "history-"),
        (b"\x1f\x8b\x08\x00", "gzip"),
        (b"PK\x03\x04", "torch.save"),
        (b'{"traceEvents": []}', "JSON"),
    ],
)
def test_other_files_are_known_by_their_beginning(tmp_path: Path, beginning: bytes, part: str) -> None:
    path = tmp_path / "file"
    path.write_bytes(beginning + bytes(100))
    result = dryfit("replay", path)
    assert result.returncode == WRONG_USAGE
    assert part in result.stderr


def test_a_run_without_a_history_is_not_confused_with_a_folder_without_a_run(tmp_path: Path) -> None:
    (tmp_path / "a100-40gb").mkdir()
    (tmp_path / "a100-40gb" / "machine.txt").write_text("dryfit-machine 1\n")
    for folder in (tmp_path, tmp_path / "a100-40gb"):
        assert "--no-history" in dryfit("replay", folder).stderr


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    result = dryfit("replay", pipe)
    assert result.returncode == WRONG_USAGE
    assert "not a regular file" in result.stderr


def test_nothing_in_a_pickle_is_run(tmp_path: Path) -> None:
    class Evil:
        def __reduce__(self) -> tuple[Any, tuple[Any, ...]]:
            return os.mkdir, (str(tmp_path / "harm"),)

    path = tmp_path / "evil.pickle"
    path.write_bytes(pickle.dumps({"segments": [Evil()]}))
    result = dryfit("replay", path)
    assert result.returncode == WRONG_USAGE
    assert "STACK_GLOBAL" in result.stderr and "byte " in result.stderr
    assert not (tmp_path / "harm").exists()


def test_a_folder_of_several_recordings_names_them(recording: Path, tmp_path: Path) -> None:
    for card in ("a100-40gb", "rtx-3060-12gb"):
        (tmp_path / "run" / card).mkdir(parents=True)
        (tmp_path / "run" / card / "history-1.pickle").write_bytes(recording.read_bytes())
    result = dryfit("replay", tmp_path / "run")
    assert result.returncode == WRONG_USAGE
    assert f"{tmp_path}/run/a100-40gb, {tmp_path}/run/rtx-3060-12gb." in result.stderr
    assert report(tmp_path / "run" / "a100-40gb")["results"]
    (tmp_path / "run" / "a100-40gb" / "history-2.pickle").write_bytes(recording.read_bytes())
    assert "run/a100-40gb/history-2.pickle, " in dryfit("replay", tmp_path / "run").stderr


def test_one_card_of_the_last_run_is_named_behind_a_slash(recording: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    for card in ("a100-40gb", "rtx-3060-12gb"):
        folder = tmp_path / "dryfit" / "runs" / "1" / card
        folder.mkdir(parents=True)
        (folder / "history-1.pickle").write_bytes(recording.read_bytes())
    several = dryfit("replay", "last")
    assert several.returncode == WRONG_USAGE
    assert "Name one of them: last/a100-40gb, last/rtx-3060-12gb." in several.stderr
    assert report("last/a100-40gb")["results"]
    missing = dryfit("replay", "last/t4-16gb")
    assert missing.returncode == WRONG_USAGE
    assert "It has: a100-40gb, rtx-3060-12gb." in missing.stderr


def test_help_shows_an_example_and_the_exit_codes() -> None:
    text = " ".join(dryfit("replay", "--help").stdout.split())
    assert "dryfit replay snapshot.pickle --gpu a100-40gb" in text
    assert "The best setting of a sweep is the one with the best verdict" in text
    assert "3 does not fit" in text


# ---- answers


def test_without_a_card_there_are_peaks_and_no_verdict(recording: Path) -> None:
    answer = report(recording)
    assert answer["recording"]["from_beginning"] is True
    assert answer["recording"]["torch_known"] is False
    (result,) = answer["results"]
    assert result["verdict"] is None
    assert result["peak_reserved_bytes"] == 14 * GIB
    assert result["peak_allocated_bytes"] == 8 * GIB
    assert result["fragmentation_bytes"] == 6 * GIB
    assert result["largest_free_block_bytes"] == 6 * GIB
    assert result["peak_at"] == {"event": 6, "file": "/home/me/train.py", "line": 42, "function": "step"}


def test_each_card_gets_an_answer(recording: Path) -> None:
    answer = report(recording, "--gpu", "rtx-4060-8gb,rtx-3060-12gb,a100-40gb", code=DOES_NOT_FIT)
    small, middle, large = answer["results"]
    assert [small["verdict"], middle["verdict"], large["verdict"]] == ["does-not-fit", "tight", "fits"]
    assert small["oom"]["requested_bytes"] == 8 * GIB
    assert small["oom"]["at"]["line"] == 42
    assert middle["alloc_retries"] == 1
    assert "memory_ran_short" in [caveat["name"] for caveat in middle["caveats"]]
    assert large["device_peak_bytes"] == 14 * GIB + large["outside_torch"]["bytes"]
    text = dryfit("replay", recording, "--gpu", "rtx-4060-8gb").stdout
    assert "train.py:42 in step" in text


def test_other_processes_of_the_run_on_the_device_make_a_fit_tight(recording: Path, tmp_path: Path) -> None:
    run = tmp_path / "run"
    run.mkdir()
    (run / "history-1.pickle").write_bytes(recording.read_bytes())
    trace = (ROOT / "tests" / "fuzz" / "trace" / "every-kind").read_bytes()
    (run / "trace-1.dryfit").write_bytes(trace)
    (alone,) = report(run, "--gpu", "a100-40gb")["results"]
    assert alone["verdict"] == "fits"
    (run / "trace-2.dryfit").write_bytes(trace)
    (shared,) = report(run, "--gpu", "a100-40gb")["results"]
    assert shared["verdict"] == "tight"
    assert "shares_device" in [caveat["name"] for caveat in shared["caveats"]]


def test_without_an_answer_there_is_no_headroom(tmp_path: Path) -> None:
    path = tmp_path / "failed.pickle"
    failed = {**entry("oom", 0, 10 * GIB, 50), "device_free": 0}
    del failed["addr"]
    segments = [segment(BASE, 6 * GIB, False), segment(BASE + (1 << 40), 8 * GIB, True)]
    path.write_bytes(pickle.dumps(snapshot([[*tensors(6 * GIB, 8 * GIB), failed]], segments)))
    result = dryfit("replay", path, "--gpu", "a100-40gb")
    assert result.returncode == 1, result.stderr
    (row,) = [line for line in result.stdout.splitlines() if "cannot tell" in line]
    assert row.endswith("–")
    (answer,) = report(path, "--gpu", "a100-40gb", code=1)["results"]
    assert answer["peak_allocated_bytes"] == 18 * GIB
    assert answer["fragmentation_bytes"] == 6 * GIB


def test_a_fraction_limits_the_card(recording: Path) -> None:
    answer = report(recording, "--gpu", "a100-40gb", "--fraction", "0.1", code=DOES_NOT_FIT)
    assert answer["fraction"] == 0.1
    (result,) = answer["results"]
    assert result["oom"]["limit_bytes"] == int(0.1 * result["capacity_bytes"])
    text = dryfit("replay", recording, "--gpu", "a100-40gb", "--fraction", "0.1").stdout
    assert "its limit is" in " ".join(text.split())
    assert "are free" not in text


def test_a_sweep_names_the_lowest_peak(recording: Path) -> None:
    results = report(recording, "--sweep", "--gpu", "a100-40gb")["results"]
    (best,) = [result for result in results if result["best"]]
    assert best["alloc_conf"] == "expandable_segments:True"
    assert best["peak_reserved_bytes"] == min(result["peak_reserved_bytes"] for result in results)
    assert "best: expandable_segments:True" in dryfit("replay", recording, "--sweep").stdout


def test_of_several_devices_the_fullest_answers(tmp_path: Path) -> None:
    other = BASE + (1 << 42)
    segments = [segment(BASE, 30 * MIB, False), segment(BASE + (1 << 40), 40 * MIB, True)]
    segments += [segment(other, 300 * MIB, False, 1), segment(other + (1 << 40), 400 * MIB, True, 1)]
    traces = [tensors(30 * MIB, 40 * MIB), tensors(300 * MIB, 400 * MIB, other)]
    path = tmp_path / "two.pickle"
    path.write_bytes(pickle.dumps(snapshot(traces, segments)))
    assert report(path)["recording"]["device"] == 1
    assert report(path)["results"][0]["peak_reserved_bytes"] == 700 * MIB
    assert report(path, "--device", "0")["results"][0]["peak_reserved_bytes"] == 70 * MIB
    assert "device 1, the fullest of 2" in dryfit("replay", path).stdout
    assert "device 1 of 2" in dryfit("replay", path, "--device", "1").stdout
    assert "Give a recorded device: --device 0 or 1." in dryfit("replay", path, "--device", "2").stderr


def test_a_recording_that_begins_in_the_middle_says_so_under_other_conditions(tmp_path: Path) -> None:
    path = tmp_path / "midway.pickle"
    trace = tensors(30 * MIB, 40 * MIB)[2:]
    segments = [segment(BASE, 30 * MIB, False), segment(BASE + (1 << 40), 40 * MIB, True)]
    path.write_bytes(pickle.dumps(snapshot([trace], segments)))
    answer = report(path)
    assert answer["recording"]["from_beginning"] is False
    assert answer["results"][0]["caveats"] == []
    changed = report(path, "--alloc-conf", "expandable_segments:True")["results"][0]
    assert [caveat["name"] for caveat in changed["caveats"]] == ["starts_midway"]


def test_a_written_snapshot_is_one_of_PyTorchs(recording: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.pickle"
    (result,) = report(recording, "--alloc-conf", "expandable_segments:True", "--write-snapshot", out)["results"]
    written = pickle.loads(out.read_bytes())
    assert list(written) == ["segments", "device_traces", "allocator_settings", "external_annotations"]
    assert [each["is_expandable"] for each in written["segments"]] == [True]
    actions = [each["action"] for each in written["device_traces"][0]]
    assert actions == ["segment_map", "alloc", "free_requested", "free_completed", "segment_map", "alloc"]
    assert report(out)["results"][0]["peak_reserved_bytes"] == result["peak_reserved_bytes"]


def test_the_same_question_twice_gives_the_same_bytes(recording: Path) -> None:
    assert dryfit("replay", recording, "--sweep").stdout == dryfit("replay", recording, "--sweep").stdout


def test_a_name_in_a_recording_prints_no_line_and_no_order_of_its_own(tmp_path: Path) -> None:
    path = tmp_path / "evil.pickle"
    events = tensors(6 * GIB, 8 * GIB)
    for event in events:
        event["frames"] = [{"name": "step\n✔ fits", "filename": "/me/a\x1b[2J\n✔ fits.py", "line": 7}]
    segments = [segment(BASE, 6 * GIB, False), segment(BASE + (1 << 40), 8 * GIB, True)]
    path.write_bytes(pickle.dumps(snapshot([events], segments)))
    replayed = dryfit("replay", path, "--gpu", "rtx-4060-8gb").stdout
    assert r"a\x1b[2J\n✔ fits.py:7 in step\n✔ fits" in " ".join(replayed.split())
    for text in (replayed, dryfit("top", path).stdout, dryfit("replay", tmp_path / "no\x1b[2J\n✔ fits").stderr):
        assert "\x1b" not in text
        assert not any(line.lstrip().startswith("✔ fits") for line in text.splitlines())
