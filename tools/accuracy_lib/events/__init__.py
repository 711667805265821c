# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Two recordings of PyTorch's CUDA allocator, event by event: a real GPU's and a dry run's.

    truth = read_trace(path)                      # *.txt.xz of the snapshots data
    ours = read_snapshot(folder)                  # what bench/truth/recording.py left there
    comparison = compare(truth, ours)             # levels of equality, first difference with both Python lines
"""

from .compare import Comparison, Difference, compare
from .recording import Block, Event, Recording, Segment
from .segment_order import segment_order, write_segments
from .text_trace import read_header, read_trace
from .torch_snapshot import read_snapshot

__all__ = [
    "Block",
    "Comparison",
    "Difference",
    "Event",
    "Recording",
    "Segment",
    "compare",
    "read_header",
    "read_snapshot",
    "read_trace",
    "segment_order",
    "write_segments",
]
