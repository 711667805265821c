# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""All rows that one process of the published Liger-Kernel benchmarks measured for an operation, one after another."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from liger.measure import measure_process
from liger.ops import OPS
from liger.row import Row


def parse(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--op", required=True, choices=sorted(OPS))
    parser.add_argument("--provider", required=True)
    parser.add_argument("--compiled", default="gone", choices=("gone", "timed", "recent"), help="modules that live on")
    parser.add_argument(
        "--sweep",
        required=True,
        action="append",
        nargs="+",
        metavar="COLUMN",
        help="mode, x_name, time stamp and config of some rows, then the values of x",
    )
    parser.add_argument("--out", required=True, type=Path, help="folder for measured.json")
    return parser.parse_args(arguments)


def rows_of(options: argparse.Namespace, sweep: list[str]) -> list[Row]:
    mode, x_name, measured, config, *values = sweep
    return [Row(options.op, options.provider, mode, x_name, x, json.loads(config), measured) for x in values]


def main() -> int:
    options = parse(sys.argv[1:])
    sweeps = [rows_of(options, sweep) for sweep in options.sweep]
    peaks = measure_process(OPS[options.op], sweeps, options.compiled)
    measured = {
        f"sweep {number}, {row.x_name}={row.x}": peak
        for number, (rows, sweep_peaks) in enumerate(zip(sweeps, peaks), start=1)
        for row, peak in zip(rows, sweep_peaks)
    }
    options.out.mkdir(parents=True, exist_ok=True)
    (options.out / "measured.json").write_text(json.dumps(measured, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
