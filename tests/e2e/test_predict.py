# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""`dryfit predict --python`: a model of the user's own is described by a short dry run."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
DRYFIT = REPOSITORY / "bin" / "dryfit"
PYTHON = REPOSITORY / ".venv" / "torch-2.6.0" / "bin" / "python"
LEARNED = sorted((REPOSITORY / "models").glob("surrogate*.dryfit-model"))

pytestmark = [
    pytest.mark.torch,
    pytest.mark.slow,
    pytest.mark.skipif(not DRYFIT.exists(), reason="bin/dryfit is not built; run make build"),
    pytest.mark.skipif(not PYTHON.exists(), reason="no environment .venv/torch-2.6.0"),
    pytest.mark.skipif(not LEARNED, reason="no learned model in models/"),
]

MODEL = """
import torch

def image_model():
    return torch.nn.Sequential(torch.nn.Conv2d(3, 8, 3), torch.nn.ReLU(), torch.nn.Flatten(), torch.nn.Linear(8 * 30 * 30, 1000))

def with_loss():
    model = torch.nn.Sequential(torch.nn.Embedding(100, 64), torch.nn.Linear(64, 64))
    return model, lambda model, batch: model(torch.zeros(batch, 32, dtype=torch.long, device="cuda")).sum()

def broken():
    raise RuntimeError("no weights here")
"""


def predict(tmp_path: Path, factory: str, *arguments: str) -> "subprocess.CompletedProcess[str]":
    file = tmp_path / "model.py"
    file.write_text(MODEL)
    command = [str(DRYFIT), "predict", "--python", f"{file}:{factory}", "--interpreter", str(PYTHON)]
    command += ["--batch", "16", "--gpu", "rtx-4090", "--json", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=600)


def test_a_model_of_images_is_described_at_its_size(tmp_path: Path) -> None:
    answered = predict(tmp_path, "image_model", "--size", "32")
    assert answered.returncode == 0, answered.stderr
    answer = json.loads(answered.stdout)
    assert answer["job"]["size"] == 32
    assert answer["job"]["parameters"] == 8 * 27 + 8 + 7200 * 1000 + 1000
    assert answer["flops"] > 0
    assert "the model was described by a few dry-run steps" in answer["notes"]
    assert answer["cards"][0]["known_by"] == "probes"


def test_a_model_may_bring_its_own_loss(tmp_path: Path) -> None:
    answered = predict(tmp_path, "with_loss")
    assert answered.returncode == 0, answered.stderr
    assert json.loads(answered.stdout)["job"]["size"] == 32


def test_code_that_fails_is_reported_with_its_last_line(tmp_path: Path) -> None:
    for factory, words in (("broken", "no weights here"), ("missing", "model.py has no function missing")):
        failed = predict(tmp_path, factory)
        assert failed.returncode == 1
        assert words in failed.stderr
        assert failed.stdout == ""
