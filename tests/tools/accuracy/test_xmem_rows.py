# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""xMem's published rows: how they are read, and the lines that --xmem-rows writes about them."""

from __future__ import annotations

from pathlib import Path

import pytest
from accuracy_lib import metrics, predictions, xmem
from accuracy_lib.case import Estimate, RowsError
from accuracy_lib.check import check
from accuracy_lib.outcome import Outcome, Result

HEADER = "model,optimizer,batch_size,gpu_name,zero_grad_mode,ground,real_oom," + (
    "xmem_memory,xmem_oom,llmem_memory,llmem_oom"
)
GPU = "NVIDIA GeForce RTX 3060"
SECOND_HEADER = HEADER + ",total_gpu_memory,xmem_2nd_oom,xmem_2nd_error"
SECOND = f"T5-small,AdamW,22,{GPU},1,5234491392,false,5.0e9,false,-1,true,12622168064,"


def rows(tmp_path: Path, *lines: str, header: str = HEADER) -> Path:
    path = tmp_path / "rows.csv"
    path.write_text("\n".join((header, *lines)) + "\n")
    return path


def test_a_row_becomes_a_job_with_its_truth_and_its_peers(tmp_path: Path) -> None:
    (case,) = xmem.read_cases(rows(tmp_path, f"T5-small,AdamW,22,{GPU},1,5234491392,false,5.1e9,false,-1,true"), "s")
    assert case.job == ("xmem_job.py", *"--model T5-small --optimizer AdamW --batch 22 --zero-grad-mode 1".split())
    assert (case.card, case.truth, case.truth_oom) == ("rtx-3060-12gb", {"device_growth": 5234491392}, False)
    assert case.peers["xmem"] == Estimate(5_100_000_000, False)
    assert case.peers["llmem"] == Estimate(None, None)
    assert case.peers["dnnmem"] is None
    assert case.cannot is None


def test_a_run_out_of_memory_has_no_truth_but_its_verdict(tmp_path: Path) -> None:
    (case,) = xmem.read_cases(rows(tmp_path, f"T5-small,AdamW,99,{GPU},,12000000000,true,,,,"), "s")
    assert (case.truth, case.truth_oom, case.facts["ground"]) == ({}, True, 12000000000)
    assert case.facts["zero_grad_mode"] is None


@pytest.mark.parametrize(("model", "position"), [("T5-small", 2), ("VGG16", 1)])
def test_an_older_row_runs_with_the_settings_of_its_time(tmp_path: Path, model: str, position: int) -> None:
    (case,) = xmem.read_cases(rows(tmp_path, f"{model},SGD,30,{GPU},,6000000000,false,,,,"), "s")
    settings = f"--model {model} --optimizer SGD --batch 30 --zero-grad-mode {position} --cublas-workspace :0:0"
    assert case.job == ("xmem_job.py", *settings.split())
    assert case.group == xmem.UNPUBLISHED_POSITION


def test_a_published_second_run_is_the_same_job_with_its_cap(tmp_path: Path) -> None:
    (case,) = xmem.read_second_runs(rows(tmp_path, f"{SECOND}true,", SECOND + ",", header=SECOND_HEADER), "s")
    settings = "--model T5-small --optimizer AdamW --batch 22 --zero-grad-mode 1 --memory-fraction 0.40"
    assert case.job == ("xmem_second_run_job.py", *settings.split())
    assert case.id.endswith(", capped at 0.40")
    assert (case.truth, case.truth_oom, case.peers) == ({}, True, {})


def test_an_older_second_run_starts_afresh(tmp_path: Path) -> None:
    line = SECOND.replace(f"{GPU},1,", f"{GPU},,")
    (case,) = xmem.read_second_runs(rows(tmp_path, f"{line}false,0.0", header=SECOND_HEADER), "s")
    assert case.job[0] == "xmem_job.py" and "--memory-fraction" in case.job
    assert case.truth == {}


def test_a_second_runs_peak_is_known_where_only_one_side_of_the_estimate_is_below_the_cap(tmp_path: Path) -> None:
    distances = (0, 100_000_000, 10_000_000, "")  # the estimate is 51 MB below the cap
    lines = [f"{SECOND}false,{part and part / 5234491392}" for part in distances]
    cases = xmem.read_second_runs(rows(tmp_path, *lines, header=SECOND_HEADER), "s")
    known = [case.truth.get("device_growth") for case in cases]
    assert known == [5_000_000_000, 4_900_000_000, None, None]


def test_a_second_run_without_its_cap_is_kept_and_said(tmp_path: Path) -> None:
    line = f"T5-small,AdamW,22,{GPU},1,5234491392,false,5.1e9,false,-1,true,true"
    (case,) = xmem.read_second_runs(rows(tmp_path, line, header=HEADER + ",xmem_2nd_oom"), "s")
    assert case.cannot == "the row doesn't give the cap: xmem_memory, total_gpu_memory"


def test_a_capped_run_with_retries_counts_as_one_that_ran(tmp_path: Path) -> None:
    path = rows(tmp_path, f"{SECOND}false,", f"{SECOND}true,", header=SECOND_HEADER)
    ran, failed = xmem.read_second_runs(path, "s")
    tight = Outcome(verdict="tight")
    tally = metrics.verdicts([Result(ran, tight), Result(failed, tight)], metrics.OURS)
    assert (tally.fits_right, tally.false_fits, tally.rows) == (1, 1, 2)


def test_a_row_is_described_by_the_catalogues_names(tmp_path: Path) -> None:
    lines = (f"MobeNetV3Large,RMSprop,30,{GPU},0,1,false,,,,", f"EleutherAI/gpt-neo-125M,AdamW,8,{GPU},0,1,false,,,,")
    cnn, transformer = xmem.read_cases(rows(tmp_path, *lines), "s")
    assert predictions.description(cnn, 7) == {
        "id": 7,
        "model": "torchvision/mobilenet_v3_large",
        "size": 86,
        "batch": 30,
        "optimizer": "rmsprop",
        "precision": "fp32",
        "gpu": ["rtx-3060-12gb"],
    }
    described = predictions.description(transformer, 8)
    assert (described["model"], described["size"]) == ("transformers/gpt-neo-125m", 128)


def test_a_first_sample_in_the_middle_of_loading_explains_what_lies_between(tmp_path: Path) -> None:
    line = f"ConvNeXtBase,SGD,200,{GPU},0,{6500 << 20},false,,,,"
    (case,) = xmem.read_cases(rows(tmp_path, line), "s")
    assert "about 60% of it" in xmem.explain_cnn(case, {"device_growth": 6360 << 20, "reserved_after_load": 350 << 20})
    for growth in (6100, 6501):
        assert xmem.explain_cnn(case, {"device_growth": growth << 20, "reserved_after_load": 350 << 20}) is None


def test_only_a_small_batch_of_text_may_have_been_short(tmp_path: Path) -> None:
    line = f"T5-small,SGD,{{}},{GPU},0,2000000000,false,,,,"
    small, large = xmem.read_cases(rows(tmp_path, line.format(5), line.format(40)), "s")
    assert "longest of its 5 random lines" in xmem.explain_transformer(small, {})
    assert xmem.explain_transformer(large, {}) is None


def test_equal_settings_are_numbered(tmp_path: Path) -> None:
    line = f"T5-small,SGD,5,{GPU},0,2000000000,false,,,,"
    names = [case.id for case in xmem.read_cases(rows(tmp_path, line, line), "s")]
    assert names == ["T5-small SGD batch 5 mode 0 RTX 3060", "T5-small SGD batch 5 mode 0 RTX 3060 #2"]


def test_an_unknown_model_is_kept_and_said(tmp_path: Path) -> None:
    (case,) = xmem.read_cases(rows(tmp_path, f"Gremlin-9B,SGD,5,{GPU},0,2000000000,false,,,,"), "s")
    assert case.cannot == "unknown model Gremlin-9B"
    line = xmem.line_of(Result(case, Outcome()))
    assert (line["error"], line["ours_bytes"], line["truth_bytes"]) == ("unknown model Gremlin-9B", None, 2000000000)


def test_a_line_has_the_fields_it_always_had(tmp_path: Path) -> None:
    (case,) = xmem.read_cases(rows(tmp_path, f"T5-small,AdamW,22,{GPU},1,5234491392,false,5.1e9,false,-1,true"), "s")
    measured = {"peak_reserved": 5, "device_peak": 9, "reserved_after_load": 1}
    line = xmem.line_of(Result(case, Outcome(measured=measured, verdict="fits", context=3, seconds=4.2)))
    assert line == {
        "source": "s",
        "model": "T5-small",
        "optimizer": "AdamW",
        "batch_size": 22,
        "gpu_name": GPU,
        "zero_grad_mode": 1,
        "truth_bytes": 5234491392,
        "truth_oom": False,
        "ours_bytes": 5,
        "ours_device_bytes": 9,
        "ours_context_bytes": 3,
        "ours_reserved_after_load_bytes": 1,
        "ours_verdict": "fits",
        "seconds": 4.2,
        "peers": {
            "xmem": {"bytes": 5100000000, "oom": False},
            "dnnmem": None,
            "schedtune": None,
            "llmem": {"bytes": None, "oom": None},
        },
    }


def test_a_file_without_a_column_or_with_a_bad_number_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(RowsError, match="has no column ground"):
        xmem.read_cases(rows(tmp_path, header=HEADER.replace(",ground", "")), "s")
    with pytest.raises(RowsError, match="line 2.*many"):
        xmem.read_cases(rows(tmp_path, f"T5-small,SGD,many,{GPU},0,2000000000,false,,,,"), "s")


def test_the_check_wants_nine_of_ten_rows_at_one_distance(tmp_path: Path) -> None:
    line = f"T5-small,SGD,{{}},{GPU},0,5000000000,false,,,,"
    cases = xmem.read_cases(rows(tmp_path, *(line.format(batch) for batch in range(10, 26))), "s")
    off = [34 << 20] * len(cases)
    results = [Result(case, Outcome(measured={"peak_reserved": 5000000000 - gap})) for case, gap in zip(cases, off)]
    assert check(results) == (10, 10)
    results[-1] = Result(cases[-1], Outcome(measured={"peak_reserved": 1}))
    assert check(results) == (10, 9) and check(results).passed
    results[-2] = Result(cases[-2], Outcome(error="it failed"))
    assert check(results) == (10, 8) and not check(results).passed
