# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Marks every test that asks for a Python with PyTorch as `torch`, so that `make test-fast` leaves it out."""

from __future__ import annotations

import pytest

TORCH_FIXTURES = {"torch_python", "environment"}


def pytest_collection_modifyitems(items: "list[pytest.Item]") -> None:
    for item in items:
        if TORCH_FIXTURES & set(getattr(item, "fixturenames", ())):
            item.add_marker(pytest.mark.torch)
