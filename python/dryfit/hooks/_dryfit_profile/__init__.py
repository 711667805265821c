# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""What `dryfit profile` does inside the user's Python process: the CPU runs the program's CUDA calls, and PyTorch's
profiler records what happens. As in a dry run, nothing is printed, and the program sees no change except that its GPU
is slow.

Only this file and `_dryfit_hooks.imports` are loaded until the program has imported torch.
"""

import os
import sys

from _dryfit_hooks import imports


def start():
    """Starts as soon as the program has imported torch. Never imports torch itself."""
    if "torch" in sys.modules:
        _install(sys.modules["torch"])
    else:
        imports.after_import("torch", _install)


def _install(torch):
    from . import install

    install.install(torch, os.environ)
