# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Following values, so that sizes which depend on data are true.

The modelled card computes nothing. Most of what a training program computes never decides a size; what does decide one
(masks, token ids, positions, lengths, routing tables) is small, integer, and comes from the host. It is kept here a
second time, on the host: `mirrors` holds the values, `interception` stands between PyTorch and its CUDA kernels for a
list of operators, `following` carries values through them, `sizes` answers the operators whose result has as many
elements as the data say, `reading` answers the program's questions, and `assumptions` decides and reports where nothing
is known.
"""

from .install import Values

__all__ = ["Values"]
