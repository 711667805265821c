# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Reads what authors published as text: GPU names, and sizes rounded to a few decimals of a unit."""

from __future__ import annotations

import csv
from decimal import Decimal
from pathlib import Path
from typing import NamedTuple, Optional

_UNITS = {"bytes": 1, "MiB": 1 << 20, "GiB": 1 << 30}
_CARDS = {"B200": "b200-180gb", "RTX PRO 6000": "rtx-pro-6000-96gb", "RTX 4090": "rtx-4090-24gb"}
_GVISOR = ("--address-order", "ascending")


class Size(NamedTuple):
    bytes: int
    tolerance: int  # half of the last published digit; 0 for whole bytes


def read_size(text: str, unit: str) -> Size:
    """The digits after the point give the precision of the size: "1.50", "GiB" is exact to 0.005 GiB."""
    value = Decimal(text)
    scale = _UNITS[unit]
    exponent = value.as_tuple().exponent
    digit = Decimal(1).scaleb(int(exponent)) if isinstance(exponent, int) and exponent < 0 else Decimal(1)
    tolerance = 0 if unit == "bytes" else int(digit * scale / 2)
    return Size(int((value * scale).to_integral_value()), tolerance)


def find_card(gpu: str) -> Optional[str]:
    """Finds a GPU by the part of its name that authors agree on."""
    return next((card for name, card in _CARDS.items() if name in gpu), None)


def course_machine(gpu: str) -> tuple[str, ...]:
    """Options for the machines of the course runs: the memory and the context their out-of-memory messages show.

    The B200s ran below gVisor, which hands out rising addresses.
    """
    card = find_card(gpu)
    options = ("--cards", f"bench/truth/cards/{card}.toml") if card else ()
    return options + (_GVISOR if card == _CARDS["B200"] else ())


def read_csv(path: Path) -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))
