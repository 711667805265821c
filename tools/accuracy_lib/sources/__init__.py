# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""One module per source of measured truth; the contract is in accuracy_lib.case."""
