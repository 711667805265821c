# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""The hooks' log for the launcher while the program runs: lines of JSON, appended to a file of this process.

It replaces the stand-in driver, to which the hooks report in a dry run (`_dryfit_hooks.guest`).
"""

from __future__ import annotations

import json
import os
import time
from typing import Any, Dict, List


class HookLog:
    def __init__(self, folder: str) -> None:
        self._path = os.path.join(folder, f"hooks-{os.getpid()}.jsonl")
        self._process = os.getpid()
        self._begun = time.monotonic()
        self.errors: List[str] = []
        self.notes: Dict[str, str] = {}

    def write(self, what: str, **facts: Any) -> None:
        """Writes nothing in a forked child, such as a DataLoader's worker."""
        if os.getpid() != self._process:
            return
        line = json.dumps({"what": what, "seconds": round(time.monotonic() - self._begun, 3), **facts})
        try:
            with open(self._path, "a", encoding="utf-8") as file:
                file.write(line + "\n")
        except OSError:
            pass

    def dryfit_phase(self, name: bytes) -> None:
        self.write("phase", name=name.decode())

    def dryfit_step(self, completed: int) -> None:
        self.write("step", completed=completed)

    def dryfit_note(self, key: bytes, text: bytes) -> None:
        name, value = key.decode(), text.decode("utf-8", "replace")
        if name == "hooks.error":
            self.errors.append(value)
        self.notes[name] = value
        self.write("note", key=name, text=value)

    def dryfit_value(self, key: bytes, device: int, number: int) -> None:
        pass

    def dryfit_out_of_memory(self, device: int, requested: int, free: int) -> None:
        pass

    def dryfit_assumed(self, what: bytes, where: bytes, elements: int, of: int) -> None:
        pass

    def dryfit_answer(self, count: int) -> None:
        pass

    def dryfit_finish(self) -> None:
        pass
