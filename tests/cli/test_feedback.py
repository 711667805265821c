# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""The loop from outside: `dryfit predict`, what the jobs really used, `dryfit learn --from-history`, and `dryfit
predict` again, with the model that comes with Dryfit."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
DRYFIT = Path(os.environ.get("DRYFIT_UNDER_TEST", ROOT / "bin" / "dryfit"))
JOB = ["--model", "torchvision/resnet50", "--batch", "64", "--gpu", "rtx-4090"]
CARD = "rtx-4090-24gb"

WRONG_USAGE = 2

pytestmark = pytest.mark.skipif(not list((ROOT / "models").glob("*.dryfit-model")), reason="no learned model in models/")


class Site:
    """Its history and calibration lie in a folder of the test's own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.calibration = folder / "data" / "dryfit" / "history.calibration.json"

    def run(self, *arguments: object, **options: Any) -> "subprocess.CompletedProcess[str]":
        environment = {k: v for k, v in os.environ.items() if not k.startswith(("SLURM_", "LC_"))}
        environment.update(LANG="C.UTF-8", XDG_DATA_HOME=str(self.folder / "data"))
        command = [str(DRYFIT), *map(str, arguments)]
        return subprocess.run(command, capture_output=True, text=True, timeout=300, env=environment, **options)

    def json(self, *arguments: object) -> dict[str, Any]:
        result = self.run(*arguments, "--json")
        assert result.returncode == 0, result.stderr
        return json.loads(result.stdout)

    def observe(self, answer: dict[str, Any], used: list[float], begin: int = 0) -> None:
        """Jobs that used these bytes beside their context, where this had been predicted."""
        predicted = self.folder / "predicted.json"
        predicted.write_text(json.dumps(answer))
        for i, peak in enumerate(used, begin):
            words = ["--peak", round(peak), "--kind", "beside-context", "--job-id", i, "--when", 1793612100 + i]
            result = self.run("observe", *words, "--predicted", predicted)
            assert result.returncode == 0, result.stderr

    def calibrate(self) -> dict[str, Any]:
        (group,) = self.json("learn", "--from-history")["groups"]
        return group


@pytest.fixture
def site(tmp_path: Path) -> Site:
    return Site(tmp_path)


def only_card(answer: dict[str, Any]) -> dict[str, Any]:
    (card,) = answer["cards"]
    return card


def test_jobs_above_their_bound_raise_the_next_one_by_what_learn_says(site: Site) -> None:
    first = site.json("predict", *JOB)
    card = only_card(first)
    assert first["calibration"] is None
    assert card["bound_factor"] == 1 and card["model_upper_bytes"] == card["upper_bytes"]

    site.observe(first, [1.1 * card["upper_bytes"]] * 12)
    group = site.calibrate()
    assert (group["card"], group["family"]) == (CARD, "resnet")
    assert 1 < group["bound_factor"] <= 1.1 + 1e-9

    second = site.json("predict", *JOB)
    again = only_card(second)
    assert again["median_bytes"] == card["median_bytes"]
    assert again["model_upper_bytes"] == card["upper_bytes"]
    assert again["bound_factor"] == pytest.approx(group["bound_factor"])
    assert again["upper_bytes"] == pytest.approx(card["upper_bytes"] * group["bound_factor"], abs=2)
    assert second["calibration"] == {"file": str(site.calibration), "records": 12, "last": "2026-11-02"}
    (note,) = [note for note in second["notes"] if "12 records from this site, the last on 2026-11-02" in note]
    assert note.startswith(f"{CARD}: the model's bound")
    assert f"note: {note}" in " ".join(site.run("predict", *JOB).stdout.split())


def test_many_jobs_far_below_their_bound_lower_it_and_never_below_the_median(site: Site) -> None:
    first = site.json("predict", *JOB)
    median = only_card(first)["median_bytes"]
    site.observe(first, [0.5 * median] * 40)
    assert site.calibrate()["bound_factor"] < 1
    card = only_card(site.json("predict", *JOB))
    assert median <= card["upper_bytes"] < card["model_upper_bytes"]


def test_a_correction_is_not_learned_from_corrections(site: Site) -> None:
    first = site.json("predict", *JOB)
    used = 1.2 * only_card(first)["upper_bytes"]
    site.observe(first, [used] * 8)
    factor = site.calibrate()["bound_factor"]
    second = site.json("predict", *JOB)
    site.observe(second, [used] * 8, begin=8)
    assert site.calibrate()["bound_factor"] > factor, "more of the same records weigh more, they do not cancel"
    records = site.json("history", "list")["records"]
    assert {record["predicted"]["upper_bytes"] for record in records} == {only_card(first)["upper_bytes"]}


def test_an_answer_brings_its_job_its_card_and_its_model_with_it(site: Site) -> None:
    answer = site.json("predict", *JOB, "--coverage", "0.9")
    site.observe(answer, [1 << 30])
    (record,) = site.json("history", "list")["records"]
    assert record["card"] == CARD
    assert record["job"] == answer["job"]
    assert record["predicted"]["coverage"] == 0.9
    assert record["predicted"]["model"] == answer["model_file"]["file"]


def test_of_an_answer_for_several_cards_the_right_one_is_taken(site: Site) -> None:
    answer = site.json("predict", *JOB[:-1], "rtx-4090,a100-40gb")
    predicted = site.folder / "predicted.json"
    predicted.write_text(json.dumps(answer))
    words = ["observe", "--peak", "5GiB", "--kind", "reserved", "--predicted", predicted]
    unsaid = site.run(*words)
    assert unsaid.returncode == WRONG_USAGE
    assert "rtx-4090-24gb, a100-40gb" in unsaid.stderr and "--gpu" in unsaid.stderr
    assert site.run(*words, "--gpu", "a100-40gb").returncode == 0
    (record,) = site.json("history", "list")["records"]
    assert record["predicted"]["upper_bytes"] == answer["cards"][1]["model_upper_bytes"]


def test_a_stream_is_corrected_line_by_line(site: Site) -> None:
    first = site.json("predict", *JOB)
    site.observe(first, [1.1 * only_card(first)["upper_bytes"]] * 10)
    factor = site.calibrate()["bound_factor"]
    lines = [{"model": "torchvision/resnet50", "batch": batch, "gpu": gpu} for batch in (8, 16) for gpu in (CARD, "t4")]
    streamed = site.run("predict", "-", input="\n".join(map(json.dumps, lines)))
    factors = [only_card(json.loads(line))["bound_factor"] for line in streamed.stdout.splitlines()]
    assert factors[0::2] == [pytest.approx(factor)] * 2
    assert 1 < factors[1] < factor, "what another card saw raises a bound by less"


def test_a_calibration_is_chosen_or_left_out(site: Site) -> None:
    first = site.json("predict", *JOB)
    site.observe(first, [1.1 * only_card(first)["upper_bytes"]] * 10)
    site.calibrate()
    assert only_card(site.json("predict", *JOB, "--no-calibration")) == only_card(first)
    elsewhere = site.calibration.rename(site.folder / "mine.json")
    assert only_card(site.json("predict", *JOB)) == only_card(first)
    assert only_card(site.json("predict", *JOB, "--calibration", elsewhere))["bound_factor"] > 1
    both = site.run("predict", *JOB, "--calibration", elsewhere, "--no-calibration")
    assert both.returncode == WRONG_USAGE and "Give only one of them" in both.stderr


@pytest.mark.parametrize(
    "content, problem",
    [
        ('{"format": "dryfit-site-calibration", "version": 2, "groups": []}', "version 2, but this Dryfit reads"),
        ('{"format": "dryfit-site-calibration", "version": 1, "groups": [{}]}', "the calibration is damaged"),
        ("", "not a site calibration"),
    ],
)
def test_a_damaged_or_newer_calibration_is_an_error_when_named_and_a_note_when_found(
    site: Site, content: str, problem: str
) -> None:
    first = site.json("predict", *JOB)
    site.calibration.parent.mkdir(parents=True)
    site.calibration.write_text(content)
    named = site.run("predict", *JOB, "--calibration", site.calibration)
    assert named.returncode == WRONG_USAGE
    assert problem in named.stderr and "dryfit learn --from-history" in named.stderr and named.stdout == ""
    found = site.json("predict", *JOB)
    assert found["cards"] == first["cards"] and found["calibration"] is None
    (note,) = [note for note in found["notes"] if "not corrected" in note]
    assert problem in note and str(site.calibration) in note


def test_a_calibration_that_is_named_and_not_there_is_an_error(site: Site) -> None:
    named = site.run("predict", *JOB, "--calibration", "/nonexistent/x.json")
    assert named.returncode == WRONG_USAGE
    assert "/nonexistent/x.json: cannot be opened" in named.stderr
