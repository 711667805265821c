# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""The sources of measured truth: every module of accuracy_lib.sources that has a NAME."""

from __future__ import annotations

import importlib
import pkgutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Callable, Optional

from . import sources
from .case import Case


Compare = Callable[[Case, Path], dict[str, Any]]
Explain = Callable[[Case, dict[str, int]], Optional[str]]


@dataclass(frozen=True)
class Source:
    name: str
    file: str
    module: Path
    cases: Callable[[Path], list[Case]]
    compare: Optional[Compare] = None
    explain: Optional[Explain] = None


def discover() -> list[Source]:
    """Sorted by name."""
    names = [found.name for found in pkgutil.iter_modules(sources.__path__)]
    modules = [importlib.import_module(f"{sources.__name__}.{name}") for name in names]
    return sorted((_source(module) for module in modules if hasattr(module, "NAME")), key=lambda source: source.name)


def _source(module: Any) -> Source:
    compare, explain = getattr(module, "compare", None), getattr(module, "explain", None)
    return Source(module.NAME, module.FILE, Path(module.__file__), module.cases, compare, explain)
