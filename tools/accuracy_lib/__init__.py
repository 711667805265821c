# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""The parts of tools/accuracy: published rows in, dry runs of the same jobs, errors side by side."""
