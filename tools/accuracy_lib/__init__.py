# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""The parts of tools/accuracy: read published rows, dry-run the same jobs, show the errors side by side."""
