# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""From a real dry run of GPT-2, on a card where it fits and on one where it does not, to the page in a browser."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, Callable, Dict

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(Path(__file__).resolve().parent))

from payload import Payload, payloads  # noqa: E402

DRYFIT = REPOSITORY / "bin/dryfit"
PYTHON = REPOSITORY / ".venv/torch-2.6.0/bin/python"
FITS, FAILS = "a100-40gb", "rtx-4060-8gb"
LARGEST_FILE = 3_000_000
HANGING_SECONDS = 600  # no machine is that slow: what takes longer hangs

pytestmark = [
    pytest.mark.slow,
    pytest.mark.torch,
    pytest.mark.skipif(not DRYFIT.exists(), reason="bin/dryfit is not built; run make build"),
    pytest.mark.skipif(not PYTHON.exists(), reason=".venv/torch-2.6.0 is not there; run make setup"),
]

Open = Callable[..., Any]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("real") / "run"
    command = [str(DRYFIT), "run", "--gpu", f"{FITS},{FAILS}", "--flops", "--save", str(folder), "--", str(PYTHON)]
    environment = {**os.environ, "XDG_CACHE_HOME": str(folder.parent / "cache")}
    done = subprocess.run(
        [*command, str(REPOSITORY / "examples/gpt2.py"), "--batch-size", "8"],
        capture_output=True, text=True, timeout=HANGING_SECONDS, env=environment,
    )  # fmt: skip
    assert done.returncode == 3, done.stderr  # it does not fit on one of them
    return folder


@pytest.fixture(scope="module")
def page_file(run: Path) -> Path:
    file = run.parent / "page.html"
    done = subprocess.run([str(DRYFIT), "report", str(run), "-o", str(file)], capture_output=True, text=True, timeout=HANGING_SECONDS)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(f"wrote {file}")
    return file


@pytest.fixture(scope="module")
def results(run: Path) -> Dict[str, Dict[str, Any]]:
    verdict = json.loads((run / "verdict.json").read_text())
    return {result["card"]: result for result in verdict["results"]}


@pytest.fixture(scope="module")
def data(page_file: Path) -> Dict[str, Payload]:
    return payloads(page_file)


def test_the_file_is_small_and_the_same_every_time(run: Path, page_file: Path) -> None:
    assert page_file.stat().st_size < LARGEST_FILE
    again = subprocess.run([str(DRYFIT), "report", str(run), "-o", "-"], capture_output=True, timeout=HANGING_SECONDS)
    assert again.stdout == page_file.read_bytes()


def test_the_page_carries_what_pytorch_counted(data: Dict[str, Payload], results: Dict[str, Dict[str, Any]]) -> None:
    payload = data[FITS]
    assert payload.allocated(payload.fullest()) == results[FITS]["torch"]["peak_allocated_bytes"]
    assert payload.head["peak"] == payload.fullest()


def test_the_peak_is_shown_in_its_step(opened: Open, page_file: Path, data: Dict[str, Payload], results: Dict[str, Any]) -> None:
    page = opened(page_file, gpu=FITS)
    peak = page.tab.locator("#peak")
    assert int(peak.get_attribute("data-event")) == data[FITS].fullest()
    assert int(peak.get_attribute("data-step")) == results[FITS]["peak_at"]["step"]
    step = page.box(f'#ribbon .step[data-step="{results[FITS]["peak_at"]["step"]}"]')
    assert step["x"] - 1 <= page.box("#peak")["x"] <= step["x"] + step["width"] + 1


def test_the_bar_adds_up_to_the_card(opened: Open, page_file: Path, results: Dict[str, Any]) -> None:
    page = opened(page_file, gpu=FITS)
    widths = page.tab.evaluate("() => [...document.querySelectorAll('#device-bar span')].map((e) => parseFloat(e.style.width))")
    left = 100 * results[FITS]["headroom_bytes"] / results[FITS]["capacity_bytes"]
    assert abs(sum(widths) - 100) < 0.01
    assert abs(widths[-1] - left) < 0.01


def test_the_page_knows_the_model_and_the_lines(opened: Open, page_file: Path) -> None:
    page = opened(page_file, gpu=FITS)
    page.tab.locator('#flame .frame[aria-label^="mlp,"]').first.click()
    page.settle()
    modules = page.rows("Module")
    assert modules and all(".mlp." in module for module in modules)
    page.tab.click('[data-view="line"]')
    page.settle()
    page.tab.locator('#flame .frame[aria-label*="gpt2.py"]').first.click()
    page.settle()
    assert any("examples/gpt2.py" in line for line in page.rows("Line"))


def test_the_failure_is_shown_where_it_happened(opened: Open, page_file: Path, results: Dict[str, Dict[str, Any]]) -> None:
    page = opened(page_file)
    page.choose_gpu(FAILS, "4060")
    oom = results[FAILS]["oom"]
    assert int(page.tab.locator("#peak").get_attribute("data-step")) == oom["step"]
    assert page.text("#moment") == f"Failure, step {oom['step']}, {oom['phase']}"
    assert "examples/gpt2.py" in page.text("#verdict-lead")


def test_a_single_card_or_history_will_do(opened: Open, run: Path, tmp_path: Path) -> None:
    (history,) = (run / FITS).glob("history-*.pickle")
    for source in (run / FITS, history):
        file = tmp_path / f"{source.name}.html"
        subprocess.run([str(DRYFIT), "report", str(source), "-o", str(file)], check=True, timeout=HANGING_SECONDS)
        page = opened(file)
        assert page.tab.locator("#canvas").is_visible()
        assert page.text("#peak").startswith("Peak")


def test_a_page_of_one_gpu_opens_with_that_gpu(opened: Open, run: Path, tmp_path: Path) -> None:
    """A failure comes first only where the page is about all GPUs."""
    for gpu in (FITS, FAILS):
        file = tmp_path / f"{gpu}.html"
        subprocess.run([str(DRYFIT), "report", str(run / gpu), "-o", str(file)], check=True, timeout=HANGING_SECONDS)
        page = opened(file)
        assert page.tab.locator(f'#strip [data-gpu="{gpu}"]').get_attribute("aria-pressed") == "true"
        assert page.tab.locator("#canvas").is_visible()


def test_a_run_that_is_not_there_is_wrong_usage(tmp_path: Path) -> None:
    missing = subprocess.run([str(DRYFIT), "report", str(tmp_path / "nothing")], capture_output=True, text=True, timeout=HANGING_SECONDS)
    assert missing.returncode == 2
    assert "there is no run" in missing.stderr
    empty = subprocess.run([str(DRYFIT), "report", str(tmp_path)], capture_output=True, text=True, timeout=HANGING_SECONDS)
    assert empty.returncode == 2
    assert "no memory history" in empty.stderr
