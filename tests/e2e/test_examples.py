# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Every example, on three cards, under every PyTorch there is: an answer, sane numbers, the same bytes twice."""

from __future__ import annotations

import sys
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(REPOSITORY / "tools"))

from dryfit_command import DRYFIT, Answer, dryfit_run  # noqa: E402

CARDS = ("rtx-3060-12gb", "rtx-4060-8gb", "a100-40gb")
EXAMPLES = ("resnet50", "gpt2", "vit_amp", "lstm")
ENVIRONMENTS = ("torch-2.6.0", "torch-latest")
MEBIBYTE = 1 << 20
FITTED = ("fits", "tight")

pytestmark = pytest.mark.skipif(not DRYFIT.exists(), reason="bin/dryfit is not built; run make build")


def interpreter(environment: str) -> Path:
    python = REPOSITORY / ".venv" / environment / "bin" / "python"
    if not python.exists():
        pytest.skip(f"no environment .venv/{environment}")
    return python


def dry_run(environment: str, example: str, directory: Path) -> Answer:
    script = REPOSITORY / "examples" / f"{example}.py"
    return dryfit_run([interpreter(environment), script], ",".join(CARDS), cwd=directory, timeout=600)


@lru_cache(maxsize=None)
def first_run(environment: str, example: str, directory: Path) -> Answer:
    return dry_run(environment, example, directory)


@pytest.fixture(scope="session")
def workplace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("examples")


@pytest.fixture(params=ENVIRONMENTS)
def environment(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture(params=EXAMPLES)
def answer(request: pytest.FixtureRequest, environment: str, workplace: Path) -> Answer:
    return first_run(environment, request.param, workplace)


def memory_numbers(result: dict[str, Any]) -> dict[str, Any]:
    timeless = {name: value for name, value in result.items() if name not in ("seconds", "host_peak_rss_bytes")}
    assert len(timeless) < len(result)
    return timeless


def test_Every_card_gets_an_answer(answer: Answer) -> None:
    assert answer.returncode in (0, 3), answer.stderr
    assert [result["card"] for result in answer.results] == list(CARDS)
    assert all(result["torch"]["ooms"] == 0 for result in answer.results if result["verdict"] == "fits")


def test_The_exit_code_says_whether_it_fits_everywhere(answer: Answer) -> None:
    everywhere = all(result["verdict"] in FITTED for result in answer.results)
    assert answer.returncode == (0 if everywhere else 3)


def test_The_device_peak_is_the_sum_of_its_parts(answer: Answer) -> None:
    for result in answer.results:
        outside = result["outside_torch"]
        parts = outside["context_bytes"] + outside["libraries_bytes"] + outside["code_bytes"]
        reserved = result["peak_breakdown"]["torch_reserved_bytes"]
        assert result["device_peak_bytes"] == reserved + parts
        assert 0 < reserved <= result["torch"]["peak_reserved_bytes"]
        assert result["headroom_bytes"] == result["capacity_bytes"] - result["device_peak_bytes"]
        assert outside["low_bytes"] < parts < outside["high_bytes"]
        assert result["device_peak_high_bytes"] == reserved + outside["high_bytes"]


def test_Reserved_memory_holds_allocated_memory_and_fits_the_card(answer: Answer) -> None:
    for result in answer.results:
        torch = result["torch"]
        assert 100 * MEBIBYTE < torch["peak_allocated_bytes"] <= torch["peak_reserved_bytes"]
        assert 0 < torch["reserved_after_load_bytes"] <= torch["peak_reserved_bytes"] < result["capacity_bytes"]


def test_A_job_that_fits_ran_its_three_steps(answer: Answer) -> None:
    for result in answer.results:
        if result["verdict"] in FITTED:
            assert result["steps"] == 3
            assert result["oom"] is None
            assert 0 <= result["headroom_bytes"] < result["capacity_bytes"]
            assert 1 <= result["peak_at"]["step"] <= 3
        else:
            assert result["oom"] is not None


def test_No_checkpoint_is_written(answer: Answer, workplace: Path) -> None:
    assert answer.results
    assert list(workplace.glob("*.pt")) == []


def test_GPT2_with_its_defaults_fits_12_GB_but_not_8_GB(environment: str, workplace: Path) -> None:
    answer = first_run(environment, "gpt2", workplace)
    verdicts = {result["card"]: result["verdict"] in FITTED for result in answer.results}
    assert verdicts == {"rtx-3060-12gb": True, "rtx-4060-8gb": False, "a100-40gb": True}


def test_The_same_command_twice_gives_the_same_bytes(environment: str, workplace: Path) -> None:
    first = first_run(environment, "resnet50", workplace)
    again = dry_run(environment, "resnet50", workplace)
    assert again.results
    assert list(map(memory_numbers, again.results)) == list(map(memory_numbers, first.results))
