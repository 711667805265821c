# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""`dryfit observe`, `dryfit history` and `dryfit learn --from-history` from outside. Runs <repo>/bin/dryfit (`make
build`), or the one that DRYFIT_UNDER_TEST names."""

from __future__ import annotations

import json
import os
import pickle
import sqlite3
import subprocess
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
DRYFIT = Path(os.environ.get("DRYFIT_UNDER_TEST", ROOT / "bin" / "dryfit"))
SAMPLES = ROOT / "tests" / "history" / "samples"

COULD_NOT_TELL, WRONG_USAGE = 1, 2
GIB = 1 << 30
MIB = 1 << 20


class Site:
    """A history of a test's own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.history = folder / "data" / "dryfit" / "history.db"

    def run(
        self, *arguments: object, stdin: str | None = None, **variables: str
    ) -> subprocess.CompletedProcess[str]:
        environment = {k: v for k, v in os.environ.items() if not k.startswith(("SLURM_", "LC_"))}
        environment.update(LANG="C.UTF-8", TZ="UTC", XDG_DATA_HOME=str(self.folder / "data"), **variables)
        return subprocess.run(
            [str(DRYFIT), *map(str, arguments)],
            input=stdin,
            capture_output=True,
            text=True,
            timeout=600,
            env=environment,
        )

    def json(self, *arguments: object, **options: Any) -> dict[str, Any]:
        result = self.run(*arguments, "--json", **options)
        assert result.returncode == 0, result.stderr
        return json.loads(result.stdout)

    def observe(self, *arguments: object, **options: Any) -> dict[str, Any]:
        return self.json("observe", *arguments, **options)

    def records(self) -> list[dict[str, Any]]:
        return self.json("history", "list")["records"]


@pytest.fixture
def site(tmp_path: Path) -> Site:
    return Site(tmp_path)


@pytest.fixture
def job(tmp_path: Path) -> Path:
    path = tmp_path / "job.json"
    path.write_text('{"model": "resnet50", "batch": 64, "optimizer": "adamw", "precision": "bf16-amp"}')
    return path


def assert_one_clear_sentence(result: subprocess.CompletedProcess[str], code: int, part: str) -> None:
    assert result.returncode == code, result.stderr
    assert len([line for line in result.stderr.splitlines() if line.startswith("dryfit: ")]) == 1, result.stderr
    assert part in result.stderr
    assert result.stdout == ""


# ---- observe


def test_a_typed_peak_is_found_in_the_list(site: Site, job: Path) -> None:
    words = ["--peak", "11.2GiB", "--kind", "reserved", "--job", job, "--gpu", "rtx-4090", "--job-id", "4711"]
    prediction = ["--median", "10GiB", "--upper", "12GiB", "--coverage", "0.9", "--model-file", "surrogate.model"]
    result = site.run("observe", *words, *prediction, "--step-time", "0.25", "--software", "torch=2.6.0")
    assert result.returncode == 0, result.stderr
    assert result.stdout == f"recorded 1 job in {site.history}\n"
    (record,) = site.records()
    assert record["job_id"] == "4711"
    assert record["card"] == "rtx-4090-24gb"
    assert record["peak_bytes"] == round(11.2 * GIB)
    assert record["job"]["model"] == "resnet50"
    assert record["predicted"] == {
        "median_bytes": 10 * GIB,
        "upper_bytes": 12 * GIB,
        "coverage": 0.9,
        "kind": "beside-context",
        "model": "surrogate.model",
    }
    assert record["software"] == {"torch": "2.6.0"}
    table = site.run("history", "list").stdout
    assert "rtx-4090-24gb" in table and "11.20 GiB" in table and "resnet50" in table


@pytest.mark.parametrize(
    "sample, count, left_out",
    [
        ("memory-stats.json", 1, 0),
        ("accounted-apps.csv", 2, 2),
        ("compute-apps.csv", 2, 1),
        ("sacct.txt", 2, 4),
        ("prometheus.json", 2, 1),
        ("harvest.jsonl", 2, 1),
    ],
)
def test_importing_a_file_twice_adds_nothing(site: Site, sample: str, count: int, left_out: int) -> None:
    first = site.observe(SAMPLES / sample)
    assert (first["new"], first["there_before"], sum(first["left_out"].values())) == (count, 0, left_out)
    again = site.observe(SAMPLES / sample)
    assert (again["new"], again["there_before"]) == (0, count)
    assert len(site.records()) == count


def test_the_output_of_a_command_can_be_piped(site: Site) -> None:
    tally = site.observe("-", stdin=(SAMPLES / "sacct.txt").read_text())
    assert [record["job_id"] for record in tally["records"]] == ["18194943", "18194960_3"]
    assert tally["records"][0]["when"] == 1793612100


def test_cards_are_named_as_in_the_catalogue_where_it_knows_them(site: Site) -> None:
    site.observe(SAMPLES / "accounted-apps.csv")
    site.observe(SAMPLES / "sacct.txt")
    cards = {record["source"]: record["card"] for record in site.records()}
    assert cards["nvidia-smi-accounting"] == "a100-40gb-pcie"
    assert cards["slurm"] in ("h100", "a100", "h100-80gb")


def test_a_memory_snapshot_has_the_reserved_peak(site: Site, tmp_path: Path) -> None:
    def entry(action: str, address: int, size: int) -> dict[str, Any]:
        return {"action": action, "addr": address, "size": size, "stream": 0, "time_us": 1, "frames": []}

    base = 0x7F0000000000
    trace = [entry("segment_alloc", base, 6 * GIB), entry("segment_free", base, 6 * GIB)]
    path = tmp_path / "snapshot.pickle"
    path.write_bytes(pickle.dumps({"segments": [], "device_traces": [trace], "allocator_settings": {}}))
    (record,) = site.observe(path)["records"]
    assert (record["source"], record["peak_bytes"], record["kind"]) == ("torch-snapshot", 6 * GIB, "reserved")


def test_a_report_of_a_dry_run_is_a_record_per_card(site: Site) -> None:
    tally = site.observe(ROOT / "tests" / "golden" / "report-json.txt")
    assert {record["card"] for record in tally["records"]} >= {"rtx-3060-12gb", "rtx-4060-8gb"}
    assert {record["host"] for record in tally["records"]} == {"dry-run"}


def test_inside_a_slurm_job_its_id_is_that_of_the_record(site: Site) -> None:
    variables = {"SLURM_JOB_ID": "99", "SLURM_JOB_NAME": "nightly"}
    (record,) = site.observe(SAMPLES / "memory-stats.json", **variables)["records"]
    assert (record["job_id"], record["name"]) == ("99", "nightly")


def test_a_prediction_may_come_from_a_file(site: Site, tmp_path: Path) -> None:
    prediction = tmp_path / "prediction.json"
    prediction.write_text(json.dumps({"results": [{"median_bytes": GIB, "upper_bytes": 2 * GIB, "coverage": 0.95}]}))
    (record,) = site.observe(SAMPLES / "memory-stats.json", "--predicted", prediction)["records"]
    assert record["predicted"]["upper_bytes"] == 2 * GIB


@pytest.mark.parametrize(
    "arguments, part",
    [
        ([], "nothing to record"),
        (["/nonexistent/x"], "/nonexistent/x"),
        (["--peak", "much", "--kind", "device"], "'much'"),
        (["--peak", "1GiB"], "--kind"),
        (["--peak", "1GiB", "--kind", "host"], "'host'"),
        (["--peak", "1GiB", "--kind", "device", "--gpu", "rtx-3061"], "3060"),
        (["--peak", "1GiB", "--kind", "device", "--median", "1GiB"], "--upper"),
        (["--no-such-option"], "dryfit observe --help"),
        (["--"], "no command"),
        (["--peak", "1GiB", "--", "true"], "cannot be combined"),
        (["--median", "1GiB", "--", "true"], "--upper"),
        ([SAMPLES / "sacct.txt", "--format", "xml"], "'xml'"),
        ([SAMPLES / "sacct.txt", "--format", "prometheus"], "sacct.txt"),
        ([SAMPLES / "sacct.txt", "--kind", "device"], "--kind"),
        ([SAMPLES / "sacct.txt", "--peak", "1GiB"], "--peak"),
        ([SAMPLES / "sacct.txt", "--job", ROOT / "pyproject.toml"], "--job-id"),
        ([ROOT / "pyproject.toml"], "--format"),
    ],
)
def test_wrong_input_gets_one_sentence_and_leaves_no_history(site: Site, arguments: list[object], part: str) -> None:
    assert_one_clear_sentence(site.run("observe", *arguments), WRONG_USAGE, part)
    assert not site.history.exists()


def test_a_file_with_one_wrong_line_records_nothing(site: Site, tmp_path: Path) -> None:
    site.observe(SAMPLES / "sacct.txt")
    lines = site.run("history", "export").stdout.splitlines()
    other = tmp_path / "other.jsonl"
    other.write_text("\n".join([lines[0].replace("18194943", "5"), "{}"]))
    assert_one_clear_sentence(site.run("observe", other, "--format", "history"), WRONG_USAGE, "line 2")
    assert len(site.records()) == 2


def test_many_jobs_record_at_once(site: Site) -> None:
    words = ["--peak", "1GiB", "--kind", "device", "--history", site.folder / "shared.db"]
    environment = {**os.environ, "LANG": "C.UTF-8"}
    jobs = [
        subprocess.Popen([str(DRYFIT), "observe", *map(str, words), "--job-id", str(i)], env=environment, stdout=-3)
        for i in range(12)
    ]
    assert [each.wait(timeout=600) for each in jobs] == [0] * len(jobs)
    listed = site.json("history", "list", "--history", site.folder / "shared.db")["records"]
    assert {record["job_id"] for record in listed} == {str(i) for i in range(12)}


# ---- history


def test_an_export_can_be_read_elsewhere_and_gives_the_same_bytes(site: Site, tmp_path: Path) -> None:
    site.observe(SAMPLES / "sacct.txt")
    site.observe(SAMPLES / "prometheus.json")
    out = tmp_path / "export.jsonl"
    assert site.run("history", "export", "--out", out).returncode == 0
    elsewhere = Site(tmp_path / "elsewhere")
    assert elsewhere.observe(out)["new"] == 4
    assert elsewhere.observe(out)["new"] == 0
    assert elsewhere.run("history", "export").stdout == out.read_text()


def test_records_are_chosen_and_removed(site: Site) -> None:
    site.observe(SAMPLES / "sacct.txt")
    site.observe(SAMPLES / "prometheus.json")
    assert len(site.json("history", "list", "--source", "slurm")["records"]) == 2
    assert len(site.json("history", "list", "--before", "2026-11-02T09:35:01")["records"]) == 2
    assert_one_clear_sentence(site.run("history", "remove"), WRONG_USAGE, "--all")
    assert_one_clear_sentence(site.run("history", "remove", "--all", "--source", "slurm"), WRONG_USAGE, "--all")
    assert site.json("history", "remove", "--source", "slurm")["removed"] == 2
    assert site.run("history", "remove", "--all").stdout == "removed 2 records\n"
    assert site.records() == []


def test_looking_does_not_create_a_history(site: Site) -> None:
    for words in (["history", "list"], ["history", "export"], ["history", "remove", "--all"], ["learn", "--from-history"]):
        assert_one_clear_sentence(site.run(*words), WRONG_USAGE, "history.db")
    assert not site.history.exists()


def test_a_newer_or_damaged_history_is_refused(site: Site, tmp_path: Path) -> None:
    site.observe(SAMPLES / "sacct.txt")
    with sqlite3.connect(site.history) as database:
        database.execute("PRAGMA user_version = 9")
    database.close()
    for words in (["history", "list"], ["observe", SAMPLES / "sacct.txt"]):
        result = site.run(*words)
        assert result.returncode != 0
        assert "version 9" in result.stderr and "up to 1" in result.stderr
    rubbish = tmp_path / "rubbish.db"
    rubbish.write_bytes(b"not a database at all" * 100)
    assert "not a database" in site.run("history", "list", "--history", rubbish).stderr


# ---- learn


def observe_many(site: Site, count: int, peak: float, upper: float, gpu: str = "rtx-4090-24gb") -> None:
    """Jobs that took `peak` GiB and a little more each time, of 10 GiB predicted."""
    lines = []
    for i in range(count):
        record = {
            "job_id": f"{gpu}-{peak}-{i}",
            "host": "g1",
            "source": "torch",
            "when": 1793612100 + i,
            "job": {"model": "resnet50"},
            "card": gpu,
            "kind": "reserved",
            "peak_bytes": int(peak * GIB) + i * MIB,
            "outcome": "ok",
            "predicted": {
                "median_bytes": 10 * GIB,
                "upper_bytes": int(upper * GIB),
                "coverage": 0.95,
                "kind": "reserved",
            },
        }
        lines.append(json.dumps(record))
    site.observe("-", stdin="\n".join(lines))


def test_bounds_that_were_too_low_are_raised(site: Site) -> None:
    observe_many(site, 100, peak=12, upper=11)
    site.observe(SAMPLES / "memory-stats.json")
    learned = site.json("learn", "--from-history")
    assert learned["records"] == 100
    assert learned["left_out"] == {"no prediction was recorded": 1}
    assert learned["all"]["before"]["coverage"] == 0
    assert learned["all"]["after"]["coverage"] > 0.85
    assert learned["all"]["recent"]["drift"] is True
    (group,) = learned["groups"]
    assert (group["card"], group["family"]) == ("rtx-4090-24gb", "resnet")
    assert 1.05 < group["bound_factor"] < 1.2
    written = json.loads(site.history.with_name("history.calibration.json").read_text())
    assert written["format"] == "dryfit-site-calibration"
    assert len(written["groups"][0]["records"]) == 100
    table = site.run("learn", "--from-history").stdout
    assert table.startswith("Corrected bounds cover ") and "drift in all jobs: 50 of the latest 50" in table


def test_bounds_that_were_too_high_are_lowered_where_there_are_many_records(site: Site) -> None:
    observe_many(site, 100, peak=10, upper=16)
    observe_many(site, 5, peak=10, upper=16, gpu="t4-16gb")
    learned = site.json("learn", "--from-history")
    many, few = learned["groups"]
    assert many["bound_factor"] < 0.8
    assert few["bound_factor"] == 1
    assert learned["all"]["after"]["over_allocation"] < 0.7 * learned["all"]["before"]["over_allocation"]
    assert learned["all"]["after"]["coverage"] >= 0.95


def test_peaks_of_another_kind_are_converted_by_the_card(site: Site, job: Path) -> None:
    words = ["--kind", "device", "--job", job, "--gpu", "rtx-4090", "--median", "10GiB", "--upper", "12GiB"]
    site.observe("--peak", "11GiB", *words, "--job-id", "1")
    assert site.json("learn", "--from-history")["records"] == 1
    triple = json.loads(site.history.with_name("history.calibration.json").read_text())["groups"][0]["records"][0]
    assert 0 < triple[0] < 0.0953, "ln(11 / 10) less the context"


def test_without_predictions_there_is_nothing_to_learn(site: Site) -> None:
    site.observe(SAMPLES / "sacct.txt")
    assert_one_clear_sentence(site.run("learn", "--from-history"), COULD_NOT_TELL, "no prediction was recorded: 2")
    assert_one_clear_sentence(site.run("learn"), WRONG_USAGE, "--from-history")
    assert_one_clear_sentence(site.run("learn", "--from-history", "--coverage", "95"), WRONG_USAGE, "0.95")
    assert not site.history.with_name("history.calibration.json").exists()


def test_the_same_history_gives_the_same_bytes(site: Site) -> None:
    observe_many(site, 30, peak=10, upper=11)
    outputs = set()
    for name in ("a.json", "b.json"):
        assert site.run("learn", "--from-history", "--out", site.folder / name).returncode == 0
        outputs.add((site.folder / name).read_bytes())
    assert len(outputs) == 1


@pytest.mark.parametrize("command", ["observe", "history", "learn"])
def test_help_shows_an_example(site: Site, command: str) -> None:
    text = site.run(command, "--help").stdout
    assert f"Examples:\n  dryfit {command}" in text
