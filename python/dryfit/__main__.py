# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""`python -m dryfit` and the console script: the native executable takes this process over."""

import os
import sys

from dryfit import OWN_EXECUTABLE


def main() -> int:
    """Never looks in PATH: what it would find there may be this very script."""
    try:
        os.execv(OWN_EXECUTABLE, [OWN_EXECUTABLE, *sys.argv[1:]])
    except OSError as error:
        print(f"dryfit: cannot start {OWN_EXECUTABLE}: {error.strerror}. Install Dryfit again.", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
