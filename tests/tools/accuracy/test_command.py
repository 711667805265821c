# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""tools/accuracy as a command, with a stand-in for `dryfit` that answers at once."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[3]
COMMAND = REPOSITORY / "tools" / "accuracy"
GPU = "NVIDIA GeForce RTX 3060"
MIB = 1 << 20

# Reserves 100 MiB per sample of the batch, runs in 90, counts its calls, and leaves what a job would leave. Predicts 95 and
# at most 130 MiB per sample.
STAND_IN = """#!{python}
import json, pathlib, sys
arguments = sys.argv[1:]
if arguments[0] == "predict":
    for job in map(json.loads, sys.stdin):
        card = {{"verdict": "fits", "median_bytes": job["batch"] * 95 * 2**20, "upper_bytes": job["batch"] * 130 * 2**20}}
        print(json.dumps({{"id": job["id"], "cards": [card]}}))
    sys.exit()
with open({log!r}, "a") as log:
    log.write("run\\n")
batch = int(arguments[arguments.index("--batch") + 1])
reserved = batch * 100 * 2**20
allowed = float(dict(zip(arguments, arguments[1:])).get("--memory-fraction", 1)) * 12000 * 2**20
verdict = "fits" if allowed >= reserved else "tight" if allowed >= batch * 90 * 2**20 else "does-not-fit"
limits = {{"comfortable_cap_fraction": batch * 100 / 12000 + 5e-5, "least_cap_fraction": batch * 90 / 12000 + 5e-5}}
out = pathlib.Path(arguments[arguments.index("--out") + 1])
(out / "measured.json").write_text(json.dumps({{"peak_allocated": reserved // 2, "alloc_retries": 0}}))
print("a line of the program")
print(json.dumps({{"dryfit": "0", "results": [{{
    "verdict": verdict, "limits": limits, "capacity_bytes": 12000 * 2**20, "device_peak_bytes": reserved + 130 * 2**20,
    "torch": {{"peak_reserved_bytes": reserved, "peak_allocated_bytes": 1, "reserved_after_load_bytes": 2}},
    "outside_torch": {{"context_bytes": 100 * 2**20, "libraries_bytes": 20 * 2**20, "code_bytes": 10 * 2**20}},
    "oom": None, "reason": None}}]}}))
"""


class Tool:
    def __init__(self, folder: Path):
        self.folder = folder
        self.log = folder / "log"
        self.dryfit = folder / "bin" / "dryfit"
        self.dryfit.parent.mkdir()
        self.dryfit.write_text(STAND_IN.format(python=sys.executable, log=str(self.log)))
        self.dryfit.chmod(0o755)

    def run(self, *arguments: object) -> subprocess.CompletedProcess[str]:
        common = ("--dryfit", self.dryfit, "--python", sys.executable, "--answers", self.folder / "answers.jsonl")
        command = [str(part) for part in (sys.executable, COMMAND, *common, *arguments)]
        return subprocess.run(command, capture_output=True, text=True)

    def rows(self) -> Path:
        """Sixteen samples and eighteen, each 30 MiB above what PyTorch reserves, and a model nobody knows."""
        path = self.folder / "rows.csv"
        lines = ["model,optimizer,batch_size,gpu_name,zero_grad_mode,ground,real_oom,xmem_memory,xmem_oom"]
        lines += [f"T5-small,SGD,{n},{GPU},0,{(n * 100 + 30) * MIB},false,{n * 110 * MIB},false" for n in (16, 18)]
        lines += [f"Gremlin-9B,SGD,16,{GPU},,{MIB},false,,"]
        path.write_text("\n".join(lines) + "\n")
        return path

    def runs(self) -> int:
        return len(self.log.read_text().splitlines())


@pytest.fixture
def tool(tmp_path: Path) -> Tool:
    return Tool(tmp_path)


def test_published_rows_give_a_line_each_and_the_check_passes(tool: Tool) -> None:
    output = tool.folder / "new" / "out.json"
    done = tool.run("--xmem-rows", tool.rows(), "--json", output, "--check")
    assert done.returncode == 0, done.stderr
    lines = [json.loads(line) for line in output.read_text().splitlines()]
    assert [line["ours_bytes"] for line in lines] == [1600 * MIB, 1800 * MIB, None]
    assert lines[2]["error"] == "unknown model Gremlin-9B"
    assert "2 of 2 transformer rows" in done.stdout
    assert "unknown model Gremlin-9B" in done.stdout


def test_a_source_takes_other_rows_goes_on_from_its_answers_and_prints_the_same_twice(tool: Tool) -> None:
    arguments = ("--source", "xmem-transformer", "--rows", tool.rows(), "--html", tool.folder / "page.html")
    first = tool.run(*arguments)
    runs, page = tool.runs(), (tool.folder / "page.html").read_text()
    second = tool.run(*arguments, "--json", tool.folder / "out.json")
    assert (first.returncode, second.returncode) == (0, 0), first.stderr
    assert tool.runs() == runs
    assert first.stdout == second.stdout
    assert (tool.folder / "page.html").read_text() == page
    record = json.loads((tool.folder / "out.json").read_text().splitlines()[0])
    assert record["measured"]["device_growth"] == record["truth"]["device_growth"] == 1630 * MIB
    assert record["measured"]["peak_allocated"] == 800 * MIB


def test_limits_are_judged_by_dry_runs_with_their_caps_each_made_once(tool: Tool) -> None:
    arguments = ("--source", "xmem-transformer", "--rows", tool.rows(), "--limits", "--limit", 2)
    done = tool.run(*arguments)
    assert done.returncode == 0, done.stderr
    table = done.stdout.split("xMem's own measures")[1].split("limit: what")[0]
    ways = {" ".join(line.split()[1:-4]): line.split()[-4:] for line in table.splitlines() if "xmem-" in line}
    ends = {name.split(" 2 ")[0]: counts for name, counts in ways.items()}
    assert ends["dryfit comfortable cap"] == ["0", "2", "0", "0"]
    assert ends["dryfit least cap + 1 %"] == ["0", "0", "2", "0"]
    assert ends["dryfit predict estimate"] == ["0", "0", "2", "0"]
    assert ends["xmem estimate"] == ends["dryfit predict upper bound"] == ["0", "2", "0", "0"]
    assert tool.runs() == 2 + 3  # two of the four caps are equal
    assert tool.run(*arguments).stdout == done.stdout
    assert tool.runs() == 2 + 3


def test_explicit_mode_batch_and_limit_narrow_the_rows(tool: Tool) -> None:
    rows = tool.rows()
    for narrowing, left in ((("--explicit-mode",), 2), (("--min-batch", 17), 1), (("--limit", 1), 1)):
        output = tool.folder / "out.json"
        tool.run("--xmem-rows", rows, "--json", output, *narrowing)
        assert len(output.read_text().splitlines()) == left


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("--source", "nonsense"), "unknown source nonsense; known sources: "),
        (("--rows", "rows.csv"), "--rows needs exactly one --source"),
        (("--data", "/nowhere"), "give the folder with the measurements as --data"),
        (("--xmem-rows", "nowhere.csv"), "cannot read nowhere.csv: No such file or directory"),
    ],
)
def test_wrong_usage_is_one_sentence_and_exit_code_2(tool: Tool, arguments: tuple[str, ...], complaint: str) -> None:
    done = tool.run(*arguments)
    assert done.returncode == 2
    assert complaint in done.stderr
    assert "Traceback" not in done.stderr
