# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""The eager operations of the published Liger-Kernel benchmarks, written anew from their description."""
