# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import inspect
from typing import Any

from .. import guest
from ..parameter_writes import ParameterWrites
from .assumptions import Assumptions, UnknownSizes
from .detection import Detection
from .following import Following
from .interception import Interception
from .inventing import Inventing
from .mirrors import Mirrors
from .reading import Reading
from .rules import Rules
from .sizes import Sizes
from .switching import Switch
from .waiting import Waiting
from .writing import Writing


class Values:
    def __init__(self, torch: Any, unknown_sizes: str, writes: ParameterWrites, waiting: Waiting) -> None:
        self._torch = torch
        self._writes = writes
        self._waiting = waiting
        self._unknown_sizes = unknown_sizes

    def install(self) -> None:
        """If this fails, sizes that depend on data come out empty, so the run must know."""
        if "with_keyset" not in inspect.signature(self._torch.library.Library.impl).parameters:
            guest.note("values.not_followed", "it needs PyTorch 2.5 or later")
            return
        try:
            self._install()
        except Exception:
            guest.note("values.not_followed", "the hooks failed")
            raise

    def _install(self) -> None:
        torch = self._torch
        mirrors = Mirrors(torch)
        interception = Interception(torch)
        assumptions = Assumptions(torch, UnknownSizes.parse(self._unknown_sizes))
        assumptions.on_condition = self._waiting.read
        assumptions.on_number = self._waiting.read_number
        inventing = Inventing(torch, mirrors, assumptions)
        following = Following(torch, mirrors, inventing, assumptions)
        sizes = Sizes(torch, following, assumptions)
        rules = Rules(torch, mirrors, assumptions)
        following.install(interception, rules.by_operator())
        detection = Detection(torch, mirrors, assumptions)
        reading = Reading(torch, mirrors, sizes, inventing, assumptions)
        writing = Writing(torch, mirrors, following, self._writes)
        for part in (sizes, reading, rules, detection, writing):
            part.install(interception)
        Switch(torch).install()
