# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Finds the card of Dryfit's catalogue for the name that a GPU reports."""

from __future__ import annotations

import json
import subprocess
from collections import Counter
from pathlib import Path
from typing import Optional

from dryfit_command import DRYFIT

# The names of the published rows; the RTX 3060 and 4060 each exist in more than one size.
_PUBLISHED = {
    "NVIDIA GeForce RTX 3060": "rtx-3060-12gb",
    "NVIDIA GeForce RTX 4060": "rtx-4060-8gb",
    "NVIDIA A100-SXM4-40GB": "a100-40gb",
}


class Cards:
    """Looks in the published names first, then in `dryfit gpus`, which is run when needed. A name that several cards
    share finds none."""

    def __init__(self, dryfit: Path = DRYFIT):
        self._dryfit = dryfit
        self._catalogue: Optional[dict[str, str]] = None

    def find(self, gpu_name: str) -> Optional[str]:
        if gpu_name in _PUBLISHED:
            return _PUBLISHED[gpu_name]
        if self._catalogue is None:
            self._catalogue = self._ask()
        return self._catalogue.get(gpu_name)

    def _ask(self) -> dict[str, str]:
        answer = subprocess.run([self._dryfit, "gpus", "--json"], capture_output=True, text=True, check=False)
        if answer.returncode != 0:
            return {}
        cards = json.loads(answer.stdout)["cards"]
        names = Counter(card["name"] for card in cards)
        return {card["name"]: card["id"] for card in cards if names[card["name"]] == 1}
