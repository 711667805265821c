# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""From rows of the index of recorded traces to jobs."""
from __future__ import annotations

import csv
import lzma
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))

from accuracy_lib.case import Case  # noqa: E402
from accuracy_lib.sources import snapshots  # noqa: E402

ROW = {
    "file": "linyunliny_xl_ctx256_train_fp32_0123abcd.txt.xz",
    "model": "xl d2560 ff10240 L32 H32",
    "vocab": "10000",
    "batch": "4",
    "ctx": "256",
    "mode": "train",
    "precision": "bf16-autocast",
    "warmup_steps": "5",
    "torch": "2.11.0+cu130",
    "gpu": "RTX PRO 6000 96GB",
    "recording_starts": "after warm-up",
    "compiled": "no",
    "optimizer": "own",
    "note": "",
    "replay_addr_mismatch": "0",
    **{field: "2097152" for field in snapshots.FIELDS},
}


NIU = "niuhuangxi_own_ctx100_forward_grad_fp32_0123abcd.txt.xz"


@pytest.fixture
def traces(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(snapshots, "REPOSITORY", tmp_path)
    (tmp_path / "traces").mkdir()
    for file in (ROW["file"], NIU):
        with lzma.open(tmp_path / "traces" / file, "wt") as trace:
            trace.write("+\t502000000\t2097152\t0\t0\n")


def cases(folder: Path, **changes: str) -> list[Case]:
    row = {**ROW, **changes}
    with open(folder / "index.csv", "w", newline="") as file:
        writer = csv.DictWriter(file, row)
        writer.writeheader()
        writer.writerow(row)
    return snapshots.cases(folder / "index.csv")


def test_a_row_becomes_a_job_with_the_recorded_version_and_card(tmp_path: Path, traces: None) -> None:
    case = cases(tmp_path)[0]
    assert (case.card, case.venv, case.cannot) == ("rtx-pro-6000-96gb", "torch-2.11.0", None)
    assert case.job[0] == "linyun_trace.py"
    arguments = dict(zip(case.job[1::2], case.job[2::2]))
    assert arguments["--ctx"] == "256" and arguments["--precision"] == "bf16" and arguments["--warmup"] == "5"
    assert case.truth["peak_reserved"] == 2097152


@pytest.mark.parametrize(
    "changes, reason",
    [({"file": "somebody_small.txt.xz"}, "not implemented"), ({"torch": "1.13.1"}, "no environment")],
)
def test_a_row_that_cannot_be_run_is_kept_with_its_reason(tmp_path: Path, changes: dict[str, str], reason: str) -> None:
    (case,) = cases(tmp_path, **changes)
    assert reason in (case.cannot or "")


def test_a_trace_is_also_run_at_its_recorded_addresses(tmp_path: Path, traces: None) -> None:
    plain, recorded = cases(tmp_path, file=NIU, start_reserved="0", torch="2.6.0+cu124")
    assert plain.options == ("--address-order", "ascending")
    assert recorded.id == plain.id + "@recorded" and recorded.job == plain.job
    order = recorded.options[1].removeprefix("recorded:")
    assert (tmp_path / order).read_text() == "2097152 0x502000000\n"


def test_only_what_undoing_events_can_lose_is_explained_by_it(tmp_path: Path, traces: None) -> None:
    case = cases(tmp_path, replay_addr_mismatch="10")[0]
    larger = {**case.truth, "start_allocated": 2097152 + 983040, "peak_allocated": 2097152 + 983040}
    assert "unsplit" in (snapshots.explain(case, larger) or "")
    assert snapshots.explain(case, case.truth) is None
    assert snapshots.explain(case, {**larger, "peak_reserved": 0}) is None
    assert snapshots.explain(case, {**case.truth, "peak_allocated": 0}) is None
    assert snapshots.explain(cases(tmp_path)[0], larger) is None
