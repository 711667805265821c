# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Forks jobs from a process that has imported what they need but has not touched the device.

A small job spends most of its time on imports. A forked job does and sees the same as one in a process of its own: the
hooks were installed when torch was imported, before any other library; the driver reads the machine file at its first
use, which is in the child, and begins a new capture there; and the server imports nothing that a job of this source
would not.

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
from .beginning import HookCalls

Request = Dict[str, Any]


def wait_for_job(source: str, hook_calls: HookCalls) -> Optional[Request]:
    """Returns the request in a child for each request, and None in the server after the last one."""
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
            hook_calls.replay()
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
