# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Floating-point operations, counted from the shapes of operators' arguments, by operator and by module.

The formulas are those of the program's own PyTorch (torch.utils.flop_counter). We do not use its FlopCounterMode: a
dispatch mode intercepts every operator, and programs, torch.compile above all, behave differently under one. We
intercept only operators with a formula, in the same way as for values (values.interception).

The autograd engine's own calls are intercepted too, and from PyTorch 2.10 on that changes what the engine frees (Note
[The engine's own calls] in values/switching.py). So a run that counts operations does not measure memory.
"""

from .flops import Flops

__all__ = ["Flops"]
