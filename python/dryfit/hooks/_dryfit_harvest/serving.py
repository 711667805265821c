# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Jobs that are forked from a process which has imported what they need, and has not touched the device.

Most of a small job's time is imports. What a job does and meets is the same as in a process of its own: the hooks were
installed when torch was imported, before any other library; the driver reads the machine file at its first use, which
is in the child, and begins a capture of its own there; and the server imports nothing that a job of this source would
not.

Requests and replies are lines of JSON on stdin, which is a socket:

    {"description": {…}, "layers": FILE, "machine": FILE, "output": FILE}
    {"status": as of waitpid(2), "peak_rss_bytes": N}
"""

from __future__ import annotations

import json
import os
import socket
import sys
from typing import Any, Dict, Optional

from . import catalogue
from .beginning import Told

Request = Dict[str, Any]


def wait_for_job(source: str, told: Told) -> Optional[Request]:
    """Returns in a child for each request, with it; in the server at the end of the requests, with None."""
    channel = socket.socket(fileno=os.dup(0))
    catalogue.prepare(source)
    for line in channel.makefile("r", encoding="utf-8"):
        request = json.loads(line)
        sys.stdout.flush()
        sys.stderr.flush()
        child = os.fork()
        if child == 0:
            channel.close()
            _enter(request)
            told.again()
            return request
        _, status, usage = os.wait4(child, 0)
        reply = {"status": status, "peak_rss_bytes": usage.ru_maxrss * 1024}
        channel.sendall((json.dumps(reply) + "\n").encode())
    return None


def _enter(request: Request) -> None:
    nothing = os.open(os.devnull, os.O_RDONLY)
    output = os.open(request["output"], os.O_WRONLY | os.O_APPEND)
    for given, place in ((nothing, 0), (output, 1), (output, 2)):
        os.dup2(given, place)
    os.close(nothing)
    os.close(output)
    os.environ["DRYFIT_MACHINE"] = request["machine"]
