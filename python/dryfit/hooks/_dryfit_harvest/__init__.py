# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""The training job that `dryfit harvest` runs repeatedly, and the list of models that it can train."""
