# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Where the memory of real training scripts went: held against what PyTorch and the model say in that run."""

from __future__ import annotations

import csv
import io
import json
import os
import pickle
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Callable

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(REPOSITORY / "tools"))

from dryfit_command import DRYFIT  # noqa: E402

EXAMPLES = {
    "resnet50": ("--batch-size", "16"),
    "gpt2": ("--batch-size", "2", "--sequence-length", "256"),
    "vit_amp": ("--batch-size", "16"),
    "lora": ("--batch-size", "2"),
}
ENVIRONMENTS = ("torch-2.6.0", "torch-latest")

pytestmark = pytest.mark.skipif(not DRYFIT.exists(), reason="bin/dryfit is not built; run make build")

# Runs a script as it is, and writes down what its model and its optimizer hold: the gradients before each step, the
# rest after it.
ASKING = """
import json, runpy, sys
import torch

report, script, *arguments = sys.argv[1:]
models, reported = [], []


def size(tensors):
    return sum(each.numel() * each.element_size() for each in tensors if each is not None and each.is_cuda)


def remember(module, args):
    if not models and any(each.is_cuda for each in module.parameters()):
        models.append(module)


def before(optimizer, args, kwargs):
    reported.append({"gradients": size(each.grad for each in models[0].parameters())})


def after(optimizer, args, kwargs):
    state = [each for values in optimizer.state.values() for each in values.values() if torch.is_tensor(each)]
    reported[-1].update(
        parameters=size(models[0].parameters()), buffers=size(models[0].buffers()), optimizer_state=size(state)
    )
    with open(report, "w") as file:
        json.dump(reported, file)


torch.nn.modules.module.register_module_forward_pre_hook(remember)
from torch.optim import optimizer as optimizers
optimizers.register_optimizer_step_pre_hook(before)
optimizers.register_optimizer_step_post_hook(after)
sys.argv = [script, *arguments]
runpy.run_path(script, run_name="__main__")
"""


@dataclass(frozen=True)
class Explained:
    folder: Path
    text: str
    explanation: "dict[str, Any]"
    peak_allocated: int
    reported: "list[dict[str, int]]"  # by the model itself, for each step

    def rows(self) -> "list[dict[str, str]]":
        return list(csv.DictReader(io.StringIO(dryfit("export", str(self.folder), "--format", "csv"))))


def environment_variables() -> "dict[str, str]":
    """Nothing is kept beside what these tests ask to keep."""
    return {**os.environ, "XDG_CACHE_HOME": "/nonexistent"}


def dryfit(*arguments: str, code: int = 0) -> str:
    done = subprocess.run([DRYFIT, *arguments], capture_output=True, text=True, timeout=600, env=environment_variables())
    assert done.returncode == code, done.stderr
    return done.stdout if code == 0 else done.stderr


def interpreter(environment: str) -> Path:
    python = REPOSITORY / ".venv" / environment / "bin" / "python"
    if not python.exists():
        pytest.skip(f"no environment .venv/{environment}")
    return python


@lru_cache(maxsize=None)
def explained_run(environment: str, example: str, place: Path) -> Explained:
    folder, report = place / f"{environment}-{example}", place / f"{environment}-{example}.json"
    asking = place / "ask.py"
    asking.write_text(ASKING)
    script = REPOSITORY / "examples" / f"{example}.py"
    command = [interpreter(environment), asking, report, script, *EXAMPLES[example]]
    done = subprocess.run(
        [DRYFIT, "run", "--gpu", "a100-40gb", "--keep-writes", "--save", folder, "--", *command],
        capture_output=True,
        text=True,
        timeout=600,
        cwd=place,
        env=environment_variables(),
    )
    assert done.returncode == 0, done.stdout + done.stderr
    (result,) = json.loads((folder / "verdict.json").read_text())["results"]
    return Explained(
        folder=folder,
        text=done.stdout,
        explanation=result["explanation"],
        peak_allocated=result["torch"]["peak_allocated_bytes"],
        reported=json.loads(report.read_text()),
    )


@pytest.fixture(scope="session")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("explained")


@pytest.fixture(params=ENVIRONMENTS)
def environment(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture(params=EXAMPLES)
def run(request: pytest.FixtureRequest, environment: str, place: Path) -> Explained:
    return explained_run(environment, request.param, place)


@pytest.fixture
def gpt2(environment: str, place: Path) -> Explained:
    return explained_run(environment, "gpt2", place)


def test_categories_sum_to_what_pytorch_had_allocated_at_its_peak(run: Explained) -> None:
    categories = run.explanation["categories"]
    assert run.explanation["allocated_bytes"] == run.peak_allocated
    assert sum(each["bytes"] for each in categories.values()) == run.peak_allocated
    assert categories["unknown"]["bytes"] <= 0.01 * run.peak_allocated
    for kind in ("module", "line", "operator"):
        rows = json.loads(dryfit("top", str(run.folder), "--json", "--limit", "0"))[f"by_{kind}"]
        assert sum(each["bytes"] for each in rows) == run.peak_allocated


def test_parameters_and_state_are_what_the_model_and_its_optimizer_hold(run: Explained) -> None:
    """At the peak, which comes after the first step."""
    categories = run.explanation["categories"]
    assert run.explanation["at"]["step"] > 1
    for category in ("parameters", "optimizer_state"):
        assert categories[category]["requested_bytes"] == run.reported[-1][category], category


def test_gradients_are_what_the_model_holds_after_its_backward_pass(run: Explained) -> None:
    for step, reported in enumerate(run.reported, start=1):
        gradients = [row for row in run.rows() if row["category"] == "gradients"]
        last = max(int(row["born_event"]) for row in gradients if row["step"] == str(step))
        living = [row for row in gradients if lives_at(row, last)]
        assert sum(int(row["requested_bytes"]) for row in living) == reported["gradients"]


def lives_at(row: "dict[str, str]", event: int) -> bool:
    return int(row["born_event"]) <= event and (row["died_event"] == "" or event < int(row["died_event"]))


def test_most_of_what_has_a_category_has_an_owner(run: Explained) -> None:
    rows = [row for row in run.rows() if row["at_peak"] == "1"]
    owned = sum(int(row["bytes"]) for row in rows if row["module"])
    assert owned >= 0.9 * run.peak_allocated
    gradients = [row for row in run.rows() if row["category"] == "gradients"]
    assert all(row["module"] and row["tensor"].endswith(".grad") and row["type"] for row in gradients)


def test_adamw_holds_twice_its_parameters(gpt2: Explained) -> None:
    categories = gpt2.explanation["categories"]
    assert categories["optimizer_state"]["requested_bytes"] == 2 * categories["parameters"]["requested_bytes"]


def test_of_a_lora_only_the_thin_matrices_have_gradients(environment: str, place: Path) -> None:
    run = explained_run(environment, "lora", place)
    gradients = [row for row in run.rows() if row["category"] == "gradients"]
    assert {row["module"].rpartition(".")[2] for row in gradients} == {"down", "up"}


def test_autocast_copies_every_matrix_of_a_vit_once_a_step(environment: str, place: Path) -> None:
    run = explained_run(environment, "vit_amp", place)
    rows = [row for row in run.rows() if row["category"] == "autocast" and row["step"] == "2"]
    assert rows and all(row["phase"] == "forward" for row in rows)
    blocks = [row for row in rows if re.search(r"encoder_layer_\d+\.mlp\.0$", row["module"])]
    weights = [row for row in blocks if int(row["requested_bytes"]) == 768 * 3072 * 2]
    assert len(weights) == 12


def test_the_run_ends_with_categories_owners_and_the_next_command(gpt2: Explained) -> None:
    lines = gpt2.text.splitlines()
    begin = next(i for i, line in enumerate(lines) if line.startswith("  where the memory goes:"))
    reported = "\n".join(lines[begin:])
    for word in ("parameters", "optimizer state", "temporaries", "cached by PyTorch, free", "outside PyTorch"):
        assert word in reported
    owners = lines.index("  largest owners of allocated memory") + 1
    following = next(i for i, line in enumerate(lines) if line.startswith("  next: "))
    assert following - owners == 3
    command = re.search(r"dryfit top \S+", reported)
    assert command
    assert "by module" in dryfit(*command.group().split()[1:])


def test_a_snapshot_opens_in_pytorchs_memory_viz(gpt2: Explained, environment: str, tmp_path: Path) -> None:
    file = tmp_path / "snapshot.pickle"
    dryfit("export", str(gpt2.folder), "--format", "snapshot", "--output", str(file))
    program = """
import pickle, sys
from torch.cuda import _memory_viz as viz
data = pickle.load(open(sys.argv[1], "rb"))
assert "<html" in viz.trace_plot(data).lower()
assert "<html" in viz.segment_plot(data).lower()
print(viz.segsum(data).count("\\n"))
"""
    done = subprocess.run([interpreter(environment), "-c", program, file], capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > 10
    (entries, *_) = pickle.loads(file.read_bytes())["device_traces"]
    tops = [entry["frames"][0] for entry in entries if entry["action"] == "alloc"]
    reported = {(frame["name"], frame["filename"]) for frame in tops}
    assert ("parameters", "GPT2LMHeadModel.transformer.wte") in reported


def find_node() -> str:
    found = shutil.which("node")
    drivers = list((REPOSITORY / ".venv" / "tools").glob("lib/python3*/site-packages/playwright/driver/node"))
    if not found and not drivers:
        pytest.skip("neither node nor playwright's is there")
    return found or str(drivers[0])


def test_a_perfetto_trace_is_understood_by_perfettos_trace_processor(gpt2: Explained, tmp_path: Path) -> None:
    python = REPOSITORY / ".venv" / "exports" / "bin" / "python"
    if not python.exists():
        pytest.skip("no environment .venv/exports; run make venv-exports")
    node = find_node()
    file = tmp_path / "trace.json"
    dryfit("export", str(gpt2.folder), "--format", "perfetto", "--output", str(file))
    queries = [
        "select name from slice where dur > 0 order by ts, name",
        "select t.name, max(c.value) from counter c join counter_track t on c.track_id = t.id group by t.name",
        "select count(*) from stats where severity = 'error' and value > 0",
        "select name from slice where dur = 0 and name = 'peak'",
    ]
    script = REPOSITORY / "tests" / "e2e" / "perfetto" / "query.py"
    done = subprocess.run([python, script, node, file, *queries], capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    slices, counters, errors, peaks = json.loads(done.stdout)
    names = {name for (name,) in slices}
    assert {"loading", "step 1", "step 2", "step 3", "forward", "backward", "optimizer"} <= names
    assert errors == [[0]]
    assert peaks == [["peak"]]
    largest = {name.removesuffix(" bytes"): value for name, value in counters}
    assert largest["parameters"] == gpt2.explanation["categories"]["parameters"]["bytes"]
    assert largest["reserved by PyTorch"] >= gpt2.explanation["reserved_bytes"]


@pytest.mark.parametrize("by", ("module", "line"))
def test_folded_stacks_sum_to_the_peak(gpt2: Explained, by: str) -> None:
    lines = dryfit("export", str(gpt2.folder), "--format", "folded", "--by", by).splitlines()
    assert all(re.fullmatch(r"[^;].*;[^;]+ \d+", line) for line in lines)
    assert sum(int(line.rpartition(" ")[2]) for line in lines) == gpt2.peak_allocated


def test_a_run_compared_with_itself_has_not_changed(gpt2: Explained) -> None:
    reported = json.loads(dryfit("diff", str(gpt2.folder), str(gpt2.folder), "--json"))
    assert reported["allocated"]["change_bytes"] == 0
    assert reported["by_module"] == reported["by_line"] == reported["by_operator"] == []
    assert all(each["change_bytes"] == 0 for each in reported["by_category"])


def test_a_difference_is_shown_by_category_and_owner(gpt2: Explained, environment: str, place: Path) -> None:
    lora = explained_run(environment, "lora", place)
    reported = json.loads(dryfit("diff", str(gpt2.folder), str(lora.folder), "--json"))
    assert reported["allocated"]["change_bytes"] == lora.peak_allocated - gpt2.peak_allocated
    for kind in ("category", "module", "line", "operator"):
        assert sum(each["change_bytes"] for each in reported[f"by_{kind}"]) == reported["allocated"]["change_bytes"], kind
    markdown = dryfit("diff", str(gpt2.folder), str(lora.folder), "--markdown")
    assert markdown.startswith("**GPU memory at the peak: ")
    assert "| optimizer state |" in markdown


Program = Callable[..., "dict[str, Any]"]


@pytest.fixture
def program(environment: str, tmp_path: Path) -> Program:
    """Runs a short program and gives back what became of it, with its explanation."""

    def run(text: str, *options: str, gpu: str = "rtx-4060-8gb") -> "dict[str, Any]":
        script = tmp_path / "program.py"
        script.write_text("import torch\nfrom torch import nn\n" + text)
        done = subprocess.run(
            [DRYFIT, "run", "--json", "--gpu", gpu, *options, "--", interpreter(environment), script],
            capture_output=True,
            text=True,
            timeout=300,
            cwd=tmp_path,
        )
        assert done.stdout, done.stderr
        (result,) = json.loads(done.stdout)["results"]
        return result

    return run


LAYERS = """
model = nn.Sequential(*[nn.Linear(4096, 4096) for _ in range({layers})]).cuda()
optimizer = torch.optim.AdamW(model.parameters())
for _ in range(3):
    model(torch.randn({batch}, 4096, device="cuda")).sum().backward()
    optimizer.step()
    optimizer.zero_grad()
"""


def test_a_first_forward_pass_that_fails_says_where_its_memory_went(program: Program) -> None:
    result = program(LAYERS.format(layers=8, batch=65536))
    assert result["verdict"] == "does-not-fit"
    reported = result["explanation"]
    assert reported["failure"]["requested_bytes"] == 65536 * 4096 * 4
    assert reported["failure"]["module"].startswith("Sequential.")
    assert reported["at"]["phase"] == "forward"
    categories = reported["categories"]
    assert categories["parameters"]["requested_bytes"] == 8 * (4096 * 4096 + 4096) * 4
    assert categories["activations"]["requested_bytes"] >= 4 * 65536 * 4096 * 4
    assert categories["inputs"]["requested_bytes"] == 65536 * 4096 * 4
    assert categories["unknown"]["bytes"] == 0


def test_a_first_optimizer_step_that_fails_shows_gradients_and_state(program: Program) -> None:
    result = program(LAYERS.format(layers=40, batch=16))
    assert result["verdict"] == "does-not-fit"
    reported = result["explanation"]
    parameters = 40 * (4096 * 4096 + 4096) * 4
    assert reported["at"]["phase"] == "optimizer"
    assert reported["categories"]["parameters"]["requested_bytes"] == parameters
    assert reported["categories"]["gradients"]["requested_bytes"] == parameters
    assert reported["categories"]["optimizer_state"]["requested_bytes"] > parameters / 2
    assert reported["categories"]["unknown"]["bytes"] <= 0.01 * reported["allocated_bytes"]


def test_activations_that_checkpointing_makes_again_are_told(program: Program) -> None:
    result = program("""
from torch.utils.checkpoint import checkpoint
block = lambda: nn.Sequential(nn.Linear(1024, 4096), nn.GELU(), nn.Linear(4096, 1024))
blocks = nn.ModuleList([block() for _ in range(4)]).cuda()
optimizer = torch.optim.SGD(blocks.parameters(), momentum=0.9)
for _ in range(3):
    hidden = torch.randn(4096, 1024, device="cuda")
    for block in blocks:
        hidden = checkpoint(block, hidden, use_reentrant=False)
    hidden.sum().backward()
    optimizer.step()
    optimizer.zero_grad()
""")
    reported = result["explanation"]
    assert reported["allocated_bytes"] == result["torch"]["peak_allocated_bytes"]
    assert reported["at"]["phase"] == "backward"
    recomputed = 2 * 4096 * 4096 * 4  # before and after the activation function, of one block
    assert reported["categories"]["activations"]["requested_bytes"] >= recomputed
    assert reported["categories"]["unknown"]["bytes"] <= 0.01 * reported["allocated_bytes"]


def test_explaining_changes_no_request(environment: str, tmp_path: Path) -> None:
    """The same allocations and frees in the same order, with the hooks' marks and without. (Under autocast PyTorch
    frees its copies in the order of host addresses, which is another in every process that does anything else.)"""
    script = REPOSITORY / "examples" / "gpt2.py"
    histories = []
    for name, options in (("with", ()), ("without", ("--no-explain",))):
        command = [interpreter(environment), script, "--batch-size", "1", "--sequence-length", "64"]
        subprocess.run(
            [DRYFIT, "run", "--json", "--gpu", "rtx-4060-8gb", "--save", tmp_path / name, *options, "--", *command],
            capture_output=True,
            check=True,
            timeout=300,
        )
        (history,) = (tmp_path / name).glob("*/history-*.pickle")
        entries = pickle.loads(history.read_bytes())["device_traces"][0]
        histories.append([(entry["action"], entry["addr"], entry["size"]) for entry in entries])
    assert histories[0] == histories[1]
    assert list((tmp_path / "with").glob("*/marks-*.json"))
    assert not list((tmp_path / "without").glob("*/marks-*.json"))


def test_what_was_not_explained_is_said_clearly(tmp_path: Path) -> None:
    assert "there is no run" in dryfit("top", str(tmp_path / "nothing"), code=2)
    assert "there is no last run yet" in dryfit("top", code=2)
    assert "there is no memory history" in dryfit("top", str(tmp_path), code=2)
