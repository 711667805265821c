# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""tools/accuracy_profile: which rows share profiles, what is compared, what is kept, and the table."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any, Optional

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))

from accuracy_lib.case import Case, Estimate  # noqa: E402
from accuracy_lib.outcome import Outcome  # noqa: E402
from accuracy_profile_lib import table  # noqa: E402
from accuracy_profile_lib.groups import group  # noqa: E402
from accuracy_profile_lib.kept import Kept  # noqa: E402
from accuracy_profile_lib.profiler import above_first_sample, idle_context  # noqa: E402


def case(model: str = "VGG16", optimizer: str = "SGD", batch: int = 64, **more: Any) -> Case:
    facts = {"model": model, "optimizer": optimizer, "batch_size": batch}
    job = ("xmem_job.py", "--model", model, "--optimizer", optimizer, "--batch", str(batch), "--zero-grad-mode", "0")
    name = f"{model} {optimizer} {batch}"
    values: dict[str, Any] = {"truth": {"device_growth": 1000}, "truth_oom": False, **more}
    return Case("xmem-cnn", name, "", "rtx-3060-12gb", "torch-2.6.0", job, facts=facts, **values)


def fitting(growth: Optional[int], verdict: str = "fits") -> Outcome:
    return Outcome(measured={} if growth is None else {"device_growth": growth}, verdict=verdict)


def test_rows_that_differ_in_their_batch_share_profiles():
    rows = [case(batch=64), case(optimizer="Adam"), case(batch=700), case("Qwen/Qwen3-4B")]
    first, second = group(rows)
    assert [each.facts["batch_size"] for each in first.cases] == [64, 700]
    assert first.name == "VGG16-SGD-0"
    assert "{batch}" in first.job and "64" not in first.job
    assert [trace.name for trace in second.traces(Path())] == ["VGG16-Adam-0.batch-2.json.gz", "VGG16-Adam-0.batch-4.json.gz"]


def test_a_model_the_host_can_hardly_train_is_profiled_at_the_rows_own_batch():
    large = "deepseek-ai/DeepSeek-R1-Distill-Qwen-1.5B"
    (found,) = group([case(large, batch=1), case(large, batch=1)])
    assert len(found.cases) == 2
    assert found.job[found.job.index("--batch") + 1] == "1"
    assert found.traces(Path()) == [found.output(Path())]


def test_a_cnn_is_on_the_card_when_the_measurement_begins():
    outcome = Outcome(measured={"device_peak": 10**9, "reserved_after_load": 10**8}, context=idle_context("rtx-3060-12gb") + 5)
    above = lambda row: above_first_sample(row, outcome).measured["device_growth"] + idle_context("rtx-3060-12gb")  # noqa: E731
    assert above(case("T5-small")) == 10**9
    assert above(case("T5-small", "Adagrad")) == 10**9
    assert above(case("VGG16")) == 10**9 - 10**8
    assert above(case("VGG16", "Adagrad")) == 10**9 - 10**8 - 5


def test_what_is_kept_is_found_again_in_the_order_of_the_rows(tmp_path: Path):
    rows = [case(batch=1), case(batch=2), case(batch=3)]
    kept = Kept(tmp_path / "kept.jsonl")
    kept.keep_estimate(rows[2], fitting(5))
    kept.keep_estimate(rows[0], fitting(7))
    kept.keep_run(rows[0], fitting(8))
    kept.write(rows)
    again = Kept(tmp_path / "kept.jsonl")
    assert [again.estimate(row) for row in rows] == [fitting(7), None, fitting(5)]
    assert again.run(rows[0]) == fitting(8)
    assert [line.split('"id": ')[1][:15] for line in (tmp_path / "kept.jsonl").read_text().splitlines()] == [
        '"VGG16 SGD 1", ',
        '"VGG16 SGD 3", ',
    ]


def test_the_table_holds_tools_against_each_other_on_the_same_rows():
    peers = {"xmem": Estimate(1100, False), "llmem": Estimate(None, None)}
    ran_out = case("T5-small", truth={}, truth_oom=True, peers={"xmem": Estimate(500, False)})
    rows = [
        table.Row(case(peers=peers), fitting(1020), fitting(1001)),
        table.Row(ran_out, fitting(900, "does-not-fit"), None),
    ]
    lines = table.markdown(rows).splitlines()
    assert "| CNNs, 1 | dryfit run | 1 | 0.10% | 0.10% | 0.10% | 0 | 0 |" in lines
    assert "| CNNs, 1 | dryfit estimate | 1 | 2.00% | 2.00% | 2.00% | 0 | 0 |" in lines
    assert "| CNNs, 1 | xMem | 1 | 10.00% | 10.00% | 10.00% | 0 | 0 |" in lines
    assert "| all, 2 | xMem | 1 | 10.00% | 10.00% | 10.00% | 1 | 0 |" in lines
    assert not any("LLMem" in line for line in lines)


def test_rows_far_off_are_named_with_their_sign():
    rows = [table.Row(case(), fitting(950), None), table.Row(case(batch=2), fitting(1010), None)]
    assert table.far_off(rows) == "VGG16 SGD 64: -5.00% (-0 MiB)\n"
