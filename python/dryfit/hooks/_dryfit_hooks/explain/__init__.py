# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Marks with what PyTorch's memory history does not contain: the running module, the addresses of tensors, the phase
and the step. `dryfit` combines both (src/explain).

Only names, sizes and addresses of the program are kept, and no operator is intercepted: modules are noticed when Python
calls them, and tensors are looked up where they are known to be (a module's parameters, an optimizer's state) at the
ends of passes and steps.
"""

from .explaining import Explaining

__all__ = ["Explaining"]
