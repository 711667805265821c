# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""`dryfit profile` and `dryfit estimate` say of a program without convolutions what `dryfit run` counts, under the oldest and
the newest habits of PyTorch: workspaces of matrix products, sums and norms, attention, dropout, autocast, optimizers."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
DRYFIT = REPOSITORY / "bin" / "dryfit"
CARD = "rtx-3060-12gb"

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not DRYFIT.exists(), reason="bin/dryfit is not built; run make build"),
]

JOB = """
import sys
import torch
from torch import nn

class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.first, self.second = nn.LayerNorm(width), nn.LayerNorm(width)
        self.query_key_value, self.output, self.heads = nn.Linear(width, 3 * width), nn.Linear(width, width), heads
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width), nn.Dropout(0.1))

    def forward(self, x):
        batch, length, width = x.shape
        parts = self.query_key_value(self.first(x)).split(width, 2)
        query, key, value = (part.view(batch, length, self.heads, -1).transpose(1, 2) for part in parts)
        attended = nn.functional.scaled_dot_product_attention(query, key, value, is_causal=True)
        x = x + self.output(attended.transpose(1, 2).reshape(batch, length, width))
        return x + self.mlp(self.second(x))

class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.tokens, self.blocks = nn.Embedding(5000, 256), nn.Sequential(*[Block(256, 8) for _ in range(3)])
        self.encoder = nn.TransformerEncoderLayer(256, 8, 512, 0.1, batch_first=True)
        self.head = nn.Linear(256, 5000, bias=False)

    def forward(self, x):
        return self.head(self.encoder(self.blocks(self.tokens(x))))

optimizer_name, autocast = sys.argv[1], sys.argv[2] == "autocast"
model = Model().cuda()
optimizer = getattr(torch.optim, optimizer_name)(model.parameters(), lr=1e-3)
for _ in range(3):
    tokens = torch.randint(0, 5000, (4, 251)).cuda()
    optimizer.zero_grad()
    with torch.autocast("cuda", torch.bfloat16, enabled=autocast):
        logits = model(tokens[:, :-1])
        loss = nn.functional.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten())
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
"""


@pytest.fixture(params=("torch-2.6.0", "torch-latest"))
def environment(request: pytest.FixtureRequest) -> Path:
    python = REPOSITORY / ".venv" / request.param / "bin" / "python"
    if not python.exists():
        pytest.skip(f"no .venv/{request.param}")
    return python


def torch_of(*words: object) -> dict[str, Any]:
    finished = subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=600)
    assert finished.returncode == 0, finished.stderr
    return json.loads(finished.stdout)["results"][0]["torch"]


@pytest.mark.parametrize("options", (("AdamW", "plain"), ("SGD", "autocast"), ("Adafactor", "plain")), ids="-".join)
def test_an_estimate_is_what_a_dry_run_counts(environment: Path, options: tuple[str, str], tmp_path: Path) -> None:
    job, trace = tmp_path / "job.py", tmp_path / "trace.json.gz"
    job.write_text(JOB, encoding="utf-8")
    command = (environment, job, *options)
    profiled = subprocess.run(
        [str(word) for word in (DRYFIT, "profile", "-o", trace, "--", *command)],
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert profiled.returncode == 0, profiled.stderr
    estimated = torch_of(DRYFIT, "estimate", "--json", "--gpu", CARD, trace)
    counted = torch_of(DRYFIT, "run", "--json", "--steps", "3", "--gpu", CARD, "--", *command)
    assert estimated["peak_reserved_bytes"] == counted["peak_reserved_bytes"]
    assert estimated["reserved_after_load_bytes"] == counted["reserved_after_load_bytes"]
    # Single numbers of 512 bytes are not followed.
    assert abs(estimated["peak_allocated_bytes"] - counted["peak_allocated_bytes"]) <= 64 * 1024
