# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""The parts of tools/comparators: tables of features in, tables of out-of-fold predictions of other learners out."""
