# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Follows values, so that sizes that depend on data are right.

The simulated GPU computes nothing. Most of what a training program computes never decides a size; what does (masks,
token ids, positions, lengths, routing tables) is small, integer, and comes from the host. We keep a second copy on the
host: `mirrors` holds the values, `interception` intercepts a list of operators between PyTorch and its CUDA kernels,
`following` carries values through them, `sizes` handles operators with a data-dependent number of results, `reading`
handles reads by the program, and `assumptions` decides and reports what to assume for unknown values.
"""

from .install import Values
from .waiting import Waiting

__all__ = ["Values", "Waiting"]
