# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""`dryfit predict` and `dryfit models` from outside. tests/data/harvest-reference.jsonl are two rows of a real harvest:
resnet18 at 224 and bert-small at 128, each with a batch of 2."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
DRYFIT = Path(os.environ.get("DRYFIT_UNDER_TEST", ROOT / "bin" / "dryfit"))
REFERENCE = ROOT / "tests" / "data" / "harvest-reference.jsonl"
COMPUTE = ROOT / "models" / "compute.dryfit-model"
LEARNED = sorted(set((ROOT / "models").glob("*.dryfit-model")) - {COMPUTE})

COULD_NOT_TELL, WRONG_USAGE, DOES_NOT_FIT = 1, 2, 3

needs_learned_model = pytest.mark.skipif(not LEARNED, reason="no learned model in models/")
needs_compute_model = pytest.mark.skipif(not COMPUTE.exists() or not LEARNED, reason="no model of step times")


def dryfit(*arguments: object, **options: Any) -> "subprocess.CompletedProcess[str]":
    environment = {**os.environ, "LANG": "C.UTF-8", "XDG_DATA_HOME": "/nonexistent"}
    environment.pop("LC_ALL", None)
    command = [str(DRYFIT), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=300, env=environment, **options)


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("predict") / "models.jsonl"
    made = dryfit("models", "--from", REFERENCE, "--out", out)
    assert made.returncode == 0, made.stderr
    assert made.stdout == f"models written to {out}: 2\n"
    return out


def predict(models: Path, *arguments: object, **options: Any) -> "subprocess.CompletedProcess[str]":
    return dryfit("predict", "--models", models, "--model-file", LEARNED[0], *arguments, **options)


def test_a_catalogue_is_made_from_a_harvest_and_listed(models: Path) -> None:
    listed = dryfit("models", "--models", models)
    assert listed.returncode == 0, listed.stderr
    rows = [line.split() for line in listed.stdout.splitlines()]
    assert rows[1][:4] == ["torchvision/resnet18", "224", "image", "11.7"]
    assert rows[2][:4] == ["transformers/bert-small", "128", "sequence", "28.8"]


def test_a_catalogue_can_be_made_again_byte_for_byte(models: Path, tmp_path: Path) -> None:
    again = tmp_path / "again.jsonl"
    assert dryfit("models", "--from", REFERENCE, "--out", again).returncode == 0
    assert again.read_bytes() == models.read_bytes()


@pytest.mark.parametrize(
    "content, problem",
    [
        ('{"key": "x"}\n', ":1: the row: 'verdict' is not a string"),
        ("model,batch\n", ":1: not a row written by dryfit harvest"),
        ("", "has no complete job in fp32 and without checkpointing"),
    ],
)
def test_a_file_that_is_not_a_harvest_makes_no_catalogue(tmp_path: Path, content: str, problem: str) -> None:
    harvest = tmp_path / "jobs.jsonl"
    harvest.write_text(content)
    made = dryfit("models", "--from", harvest, "--out", tmp_path / "models.jsonl")
    assert made.returncode == WRONG_USAGE
    assert problem in made.stderr
    assert not (tmp_path / "models.jsonl").exists()


@pytest.mark.parametrize(
    "arguments, problem",
    [
        ([], "no job given"),
        (["--model", "resnet18", "jobs.jsonl"], "more than one job description given"),
        (["--model", "resnet18", "--batch", "0"], "--batch"),
        (["--model", "resnet18", "--batch", "many"], "--batch"),
        (["--colour"], "--colour"),
    ],
)
def test_wrong_usage_says_what_is_wrong(arguments: "list[str]", problem: str) -> None:
    wrong = dryfit("predict", *arguments)
    assert wrong.returncode == WRONG_USAGE
    assert problem in wrong.stderr
    assert wrong.stdout == ""


def test_a_model_file_that_is_missing_or_damaged_gives_no_number(models: Path, tmp_path: Path) -> None:
    damaged = tmp_path / "damaged.dryfit-model"
    damaged.write_bytes(b"not a model")
    for file in (tmp_path / "nowhere.dryfit-model", damaged):
        job = ("--models", models, "--model", "resnet18", "--batch", 8, "--gpu", "rtx-4090")
        refused = dryfit("predict", "--model-file", file, *job)
        assert refused.returncode == COULD_NOT_TELL
        assert file.name in refused.stderr
        assert refused.stdout == ""


@needs_learned_model
def test_an_answer_has_everything_that_is_known(models: Path) -> None:
    answered = predict(models, "--model", "resnet18", "--batch", 8, "--gpu", "rtx-4090,a100-40gb", "--json")
    assert answered.returncode == 0, answered.stderr
    answer = json.loads(answered.stdout)
    assert answer["job"]["model"] == "resnet18"
    assert [card["card"] for card in answer["cards"]] == ["rtx-4090-24gb", "a100-40gb"]
    for card in answer["cards"]:
        assert card["verdict"] == "fits"
        assert 0 < card["median_bytes"] <= card["upper_bytes"]
        assert card["device_upper_bytes"] == card["upper_bytes"] + card["context_bytes"]
    assert answer["flops"] > 0
    assert answer["model_file"]["file"] == LEARNED[0].name
    assert all(answer["model_file"][key] for key in ("data", "date", "errors"))


@needs_learned_model
def test_the_text_is_for_people(models: Path) -> None:
    answered = predict(models, "--model", "bert-small", "--size", 512, "--batch", 8, "--gpu", "rtx-4090")
    assert answered.returncode == 0, answered.stderr
    assert "transformers/bert-small at size 512, batch 8, adamw, fp32" in answered.stdout
    assert "scaled from there by length, so the prediction is less certain" in " ".join(answered.stdout.split())
    assert "step time" in answered.stdout
    assert LEARNED[0].name in answered.stdout


@needs_learned_model
def test_a_job_that_is_far_too_large_does_not_fit(models: Path) -> None:
    large = predict(models, "--model", "resnet18", "--batch", 100000, "--gpu", "rtx-4090", "--json")
    assert large.returncode == DOES_NOT_FIT
    assert json.loads(large.stdout)["cards"][0]["verdict"] == "does-not-fit"


@needs_learned_model
@pytest.mark.parametrize(
    "arguments, problem",
    [
        (["--model", "resnet81", "--batch", "8", "--gpu", "rtx-4090"], "--model resnet18 --batch 8 --gpu rtx-4090`?"),
        (["--model", "resnet18", "--batch", "8", "--gpu", "rtx-4O90"], "unknown GPU 'rtx-4O90'"),
        (["--model", "resnet18", "--gpu", "rtx-4090"], "the job has no 'batch'"),
        (["--model", "resnet18", "--batch", "8", "--gpu", "rtx-4090", "--optimizer", "adanw"], "--optimizer adamw`"),
        (["--model", "resnet18", "--batch", "8", "--gpu", "rtx-4090", "--coverage", "1.5"], "coverage"),
        (["nowhere.json"], "cannot read 'nowhere.json'"),
        (["--model", "ResNet-18", "--batch", "8", "--gpu", "rtx-4090"], "--model resnet18 --batch 8 --gpu rtx-4090`"),
    ],
)
def test_a_nonsensical_job_gives_an_error_and_no_number(
    models: Path, arguments: "list[str]", problem: str
) -> None:
    wrong = predict(models, *arguments)
    assert wrong.returncode == WRONG_USAGE
    assert problem in wrong.stderr
    assert wrong.stdout == ""


@needs_learned_model
def test_a_stream_is_answered_line_by_line_and_goes_on_after_an_error(models: Path) -> None:
    lines = [
        '{"id": "a", "model": "resnet18", "batch": 8, "gpu": "rtx-4090"}',
        '{"id": "b", "model": "resnet18", "batch": 0}',
        "",
        "no JSON",
        '{"id": "c", "model": "bert-small", "batch": 4, "gpu": ["rtx-4090", "a100-40gb"]}',
    ]
    answered = predict(models, "-", input="\n".join(lines))
    assert answered.returncode == COULD_NOT_TELL
    answers = [json.loads(line) for line in answered.stdout.splitlines()]
    assert [answer.get("id") for answer in answers] == ["a", "b", None, "c"]
    assert [answer.get("line") for answer in answers] == [None, 2, 4, None]
    assert answers[1]["error"] == "the job's 'batch' is 0"
    assert len(answers[3]["cards"]) == 2


@needs_learned_model
@pytest.mark.parametrize("content", ["", "\n \n\t\r\n"])
def test_an_input_without_a_job_is_not_an_answer(models: Path, tmp_path: Path, content: str) -> None:
    path = tmp_path / "jobs.jsonl"
    path.write_text(content)
    for answered in (predict(models, path, "--gpu", "3060"), predict(models, "-", "--gpu", "3060", input=content)):
        assert answered.returncode == WRONG_USAGE
        assert "there is no job in the input" in answered.stderr
        assert answered.stdout == ""


@needs_learned_model
def test_many_threads_give_the_answers_of_one(models: Path) -> None:
    lines = [json.dumps({"model": "resnet18", "batch": batch, "gpu": "rtx-4090"}) for batch in range(1, 2000)]
    text = "\n".join(lines) + "\n"
    several = predict(models, "-", "--threads", 4, input=text)
    alone = predict(models, "-", "--threads", 1, input=text)
    assert several.stdout == alone.stdout
    assert [json.loads(line)["job"]["batch"] for line in alone.stdout.splitlines()] == list(range(1, 2000))


@needs_learned_model
def test_a_file_holds_one_job_or_one_on_each_line(models: Path, tmp_path: Path) -> None:
    job = {"model": "resnet18", "batch": 8, "gpu": "rtx-4090"}
    one, many = tmp_path / "job.json", tmp_path / "jobs.jsonl"
    one.write_text(json.dumps(job, indent=2))
    many.write_text((json.dumps(job) + "\n") * 3)
    assert "torchvision/resnet18" in predict(models, one).stdout
    assert len(predict(models, many).stdout.splitlines()) == 3


def step_times(models: Path, *arguments: object, precision: str = "fp16-amp") -> "dict[str, Any]":
    answered = predict(models, "--compute-model", COMPUTE, "--precision", precision, "--json", *arguments)
    assert answered.returncode in (0, DOES_NOT_FIT), answered.stderr
    return json.loads(answered.stdout)


@needs_compute_model
def test_a_step_time_comes_with_an_interval_and_its_model(models: Path) -> None:
    answer = step_times(models, "--model", "resnet18", "--batch", 256, "--gpu", "rtx-3090")
    card = answer["cards"][0]
    assert 0 < card["step_seconds_lower"] < card["step_seconds"] < card["step_seconds_upper"] < 10
    assert card["achieved_tflops"] == pytest.approx(answer["flops"] / card["step_seconds"] / 1e12, rel=1e-6)
    assert 0.02 < card["utilisation"] < 1
    assert card["step_familiar"] is True
    assert answer["compute_model_file"]["file"] == COMPUTE.name
    assert all(answer["compute_model_file"][key] for key in ("data", "date", "folds", "errors", "licence"))


@needs_compute_model
def test_twice_the_batch_takes_about_twice_as_long_and_a_faster_card_less(models: Path) -> None:
    def seconds(batch: int, gpu: str) -> float:
        answer = step_times(models, "--model", "resnet18", "--batch", batch, "--gpu", gpu)
        return answer["cards"][0]["step_seconds"]

    assert 1.6 < seconds(256, "rtx-3090") / seconds(128, "rtx-3090") < 2.4
    assert seconds(256, "h100-80gb") < seconds(256, "a100-80gb") < seconds(256, "t4-16gb")


@needs_compute_model
def test_a_card_and_a_precision_that_were_not_measured_are_marked_and_the_interval_is_wider(models: Path) -> None:
    def card(gpu: str, precision: str) -> "dict[str, Any]":
        job = ("--model", "resnet18", "--batch", 256, "--gpu", gpu)
        return step_times(models, *job, precision=precision)["cards"][0]

    def width(of: "dict[str, Any]") -> float:
        return of["step_seconds_upper"] / of["step_seconds_lower"]

    known = card("rtx-3090", "fp16-amp")
    for other in (card("rtx-4090", "fp16-amp"), card("rtx-3090", "fp32")):
        assert other["step_familiar"] is False
        assert width(other) > width(known)


@needs_compute_model
def test_without_operations_the_step_time_is_null_and_a_note_says_why(models: Path) -> None:
    job = {"model": {"parameters": 1e7, "size": 224, "forward_bytes": 1e7}, "batch": 8, "gpu": "rtx-3090"}
    answered = predict(models, "--compute-model", COMPUTE, "-", input=json.dumps(job) + "\n")
    assert answered.returncode == 0, answered.stderr
    answer = json.loads(answered.stdout)
    assert answer["cards"][0]["step_seconds"] is None
    assert answer["cards"][0]["median_bytes"] > 0
    assert any("step time is unknown" in note for note in answer["notes"])


@needs_compute_model
def test_a_model_of_step_times_that_is_damaged_or_of_another_kind_gives_no_number(models: Path, tmp_path: Path) -> None:
    damaged = tmp_path / "damaged.dryfit-model"
    damaged.write_bytes(COMPUTE.read_bytes()[:-100])
    for file in (damaged, LEARNED[0], tmp_path / "nowhere.dryfit-model"):
        job = ("--model", "resnet18", "--batch", 8, "--gpu", "rtx-3090")
        refused = predict(models, "--compute-model", file, *job)
        assert refused.returncode == COULD_NOT_TELL
        assert file.name in refused.stderr
        assert refused.stdout == ""
