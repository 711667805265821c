# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""`tools/compat`: public programs, dry-run under several versions of PyTorch."""
