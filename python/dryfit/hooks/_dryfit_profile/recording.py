# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""PyTorch's own profiler, from `import torch` to the end of the run; the trace goes to a file of this process."""

from __future__ import annotations

import json
import os
from typing import Any, Callable, Dict

from _dryfit_hooks import guest

from .annotations import Annotations


class Recording:
    def __init__(self, torch: Any, folder: str, annotations: Annotations) -> None:
        self._torch = torch
        self._path = os.path.join(folder, f"trace-{os.getpid()}.json")
        self._process = os.getpid()
        self._annotations = annotations
        self._running = False

    def begin(self) -> None:
        from torch.autograd import profiler

        watch = profiler.profile(use_kineto=True, record_shapes=True, profile_memory=True)
        watch._prepare_trace()
        watch._start_trace()
        self._running = True
        self._annotations.active = True

    def save(self, facts: Callable[[], Dict[str, Any]]) -> None:
        """Saves once, and only in the process that began. PyTorch writes the file completely or not at all."""
        if not self._running or os.getpid() != self._process:
            return
        self._running = False
        self._annotations.active = False
        guest.note("profile.saving", "1")
        autograd = self._torch._C._autograd
        autograd._add_metadata_json("dryfit", json.dumps(_plain(facts()), ensure_ascii=False))
        autograd._disable_profiler().save(self._path)


def _plain(value: Any) -> Any:
    """PyTorch turns every backslash in metadata into a slash, so no text may need one."""
    if isinstance(value, str):
        return "".join(_PLAIN.get(letter, letter if letter.isprintable() else " ") for letter in value)
    if isinstance(value, dict):
        return {key: _plain(each) for key, each in value.items()}
    return [_plain(each) for each in value] if isinstance(value, list) else value


_PLAIN = {'"': "'", "\\": "/"}
