# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Makes the inside of PyTorch's functions in Python visible to a mode.

Such a function (F.dropout, Tensor.backward, autograd.grad) first passes itself to a mode, and then no mode sees what it
calls. With this change it does so only for tensor subclasses, and a mode sees the built-in functions that it calls.
"""

from __future__ import annotations

import sys
from typing import Any

QUESTIONS = ("has_torch_function", "has_torch_function_unary", "has_torch_function_variadic")


def see_inside(torch: Any) -> None:
    plain = (torch.Tensor, torch.nn.Parameter)
    disabled = torch._C._disabled_torch_function_impl
    originals = {name: getattr(torch.overrides, name) for name in QUESTIONS}

    def is_special(value: Any) -> bool:
        kind = type(value)
        if kind in plain or not hasattr(kind, "__torch_function__"):
            return False
        return kind.__torch_function__ is not disabled

    def has_torch_function(values: Any) -> bool:
        return any(map(is_special, values))

    def has_torch_function_variadic(*values: Any) -> bool:
        return any(map(is_special, values))

    replacements = {
        "has_torch_function": has_torch_function,
        "has_torch_function_unary": is_special,
        "has_torch_function_variadic": has_torch_function_variadic,
    }
    for name, module in list(sys.modules.items()):
        if name.split(".")[0] != "torch" or name == "torch.overrides":
            continue
        for question, original in originals.items():
            if vars(module).get(question) is original:
                setattr(module, question, replacements[question])
