# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""What Dryfit does inside the user's Python process: count, mark, report; never print, raise or change a result.

Only this file, `imports` and `renaming` are loaded until the program has imported torch.
"""

import sys

from . import imports, renaming


def start():
    """Installs the torch hooks as soon as the program has imported torch. Never imports torch itself."""
    renaming.start()
    if "torch" in sys.modules:
        _install(sys.modules["torch"])
    else:
        imports.after_import("torch", _install)


def _install(torch):
    from . import install

    install.install(torch)
