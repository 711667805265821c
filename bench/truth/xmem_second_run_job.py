# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""A published second run of xMem (arXiv 2510.21048): the job of xmem_job.py with PyTorch's allocator capped, in the process
in which it ran without a cap before.

Note [The process of the first run]: the published second runs were made in it. Where the cap was never met, 30 of 32
older transformer rows grew by exactly what PyTorch reserves, without the 14 to 18 MiB of code and libraries that a
first run takes on top: those were loaded. And cuBLAS's two workspaces survive the first run. They hold a segment each
when the cache is emptied, so the same requests are placed differently, and that can decide: gpt-neo-125M with SGD at
batch 24 runs in 88 % of an RTX 4060 this way, and grows by the published 6,834 MiB; started afresh it runs out of
memory.
"""

from __future__ import annotations

import argparse
import gc
import json
import sys

import torch

import xmem_job


def run(options: argparse.Namespace) -> dict[str, int]:
    """The measurements of the second run."""
    xmem_job.run(argparse.Namespace(**{**vars(options), "memory_fraction": None}))
    gc.collect()
    torch.cuda.empty_cache()
    torch.cuda.reset_peak_memory_stats()
    return xmem_job.run(options)


def main() -> int:
    options = xmem_job.parse(sys.argv[1:])
    measured = run(options)
    if options.out:
        (options.out / "measured.json").write_text(json.dumps(measured), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
