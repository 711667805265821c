# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Floating-point operations, counted from the shapes that operators meet, by operator and by module.

The formulas are those of the program's own PyTorch (torch.utils.flop_counter). Its FlopCounterMode is not used: a
dispatch mode stands in the way of every operator, and programs, torch.compile first of all, behave differently under
one. The operators that have a formula are met where values are met (values.interception), and nothing else is touched.

The autograd engine's own calls are met too, and from PyTorch 2.10 on that changes what the engine frees (Note [The
engine's own calls] in values/switching.py). So a run that counts is not one whose memory is looked at.
"""

from .flops import Flops

__all__ = ["Flops"]
