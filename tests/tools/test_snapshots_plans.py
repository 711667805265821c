# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""What ran in a recorded process before the recorded step, as the index tells it."""
from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))

from accuracy_lib.sources import snapshots  # noqa: E402

ROW = {
    "model": "2.7b d2560 ff10240 L32 H32",
    "source_path": "memory_ctx256_forward.pickle",
    "vocab": "10000",
    "batch": "4",
    "ctx": "256",
    "mode": "forward_grad",
    "precision": "fp32",
    "warmup_steps": "0..5 + 9 earlier steps",
    "compiled": "no",
    "segment_frees": "0",
    "expandable": "False",
    "note": "",
}


@pytest.mark.parametrize(
    "note, before",
    [
        ("first model in the process", []),
        ("2nd model in the same process", ["forward_grad:128"]),
        ("4th model in the same process", ["forward_grad:128", "forward_grad:256", "forward_grad:512"]),
    ],
)
def test_the_note_says_which_models_came_before(note: str, before: list[str]) -> None:
    job = list(snapshots.PLANS["kkaitlyn11"]({**ROW, "note": note}).job)
    assert [argument for argument in job if ":" in argument] == before
    assert ("--empty-cache" in job) == bool(before)


def test_the_script_that_did_not_empty_its_cache_is_run_without_it() -> None:
    job = snapshots.PLANS["kkaitlyn11"]({**ROW, "note": "after a forward-only run in the same process"}).job
    assert job[-2:] == ("--before", "forward_grad:256")


def test_a_recording_without_a_length_in_its_name_has_the_length_of_its_ids() -> None:
    job = snapshots.PLANS["kkaitlyn11"]({**ROW, "source_path": "memory_small_forward.pickle"}).job
    assert job[job.index("--ctx") + 1] == "128"


def test_a_compiled_model_after_unknown_ones_is_listed_with_that_reason() -> None:
    compiled = {**ROW, "compiled": "yes"}
    assert snapshots.PLANS["kkaitlyn11"](compiled).cannot is None
    assert "compiled" in (snapshots.PLANS["kkaitlyn11"]({**compiled, "segment_frees": "884"}).cannot or "")


def test_warm_up_steps_in_words_count_as_the_known_ones() -> None:
    job = snapshots.PLANS["nothanmin"](ROW).job
    assert job[-2:] == ("--warmup", "9")


def test_expandable_segments_are_switched_on_by_their_column() -> None:
    row = {**ROW, "warmup_steps": "5"}
    assert "--expandable-segments" not in snapshots.PLANS["bolongchen"](row).job
    assert "--expandable-segments" in snapshots.PLANS["bolongchen"]({**row, "expandable": "True"}).job
