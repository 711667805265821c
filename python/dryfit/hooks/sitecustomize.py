# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""The entry into a Python process that Dryfit watches: its folder comes first in PYTHONPATH, so Python imports this
file at start-up. It starts the hooks of a dry run, of `dryfit observe` or of `dryfit profile`, removes its own folder
from sys.path, and then imports the sitecustomize that Python would have imported without it. PYTHONPATH in the
environment stays unchanged, for child processes.
"""

import os
import sys


def _enter():
    folder = os.path.dirname(__file__)
    try:
        if os.environ.get("DRYFIT_MACHINE"):
            import _dryfit_hooks

            _dryfit_hooks.start()
        if os.environ.get("DRYFIT_OBSERVE"):
            import _dryfit_observe

            _dryfit_observe.start()
        if os.environ.get("DRYFIT_PROFILE"):
            import _dryfit_profile

            _dryfit_profile.start()
    except Exception:
        pass
    sys.path[:] = [entry for entry in sys.path if entry != folder]
    sys.path_importer_cache.pop(folder, None)
    sys.modules.pop("sitecustomize", None)


_enter()

# If there is no other one, this raises the ImportError that Python's site module expects for a missing sitecustomize.
import sitecustomize  # noqa: E402, F401
