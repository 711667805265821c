# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Marks that tell what PyTorch's memory history cannot: which module was at work, which tensor lies where, which phase
and step it is. `dryfit` puts both together (src/explain).

Nothing is kept of the program but names, sizes and addresses, and nothing is put in the way of an operator: modules
are met where Python calls them, tensors are looked up where they are known to be (a module's parameters, an optimizer's
state) at the ends of passes and steps.
"""

from .explaining import Explaining

__all__ = ["Explaining"]
