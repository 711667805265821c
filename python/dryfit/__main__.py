# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""`python -m dryfit` and the console script: replaces this process with the native executable."""

import os
import sys

from dryfit import OWN_EXECUTABLE


def main() -> int:
    """Never searches PATH, where it might find this very script."""
    try:
        os.execv(OWN_EXECUTABLE, [OWN_EXECUTABLE, *sys.argv[1:]])
    except OSError as error:
        print(f"dryfit: cannot start {OWN_EXECUTABLE}: {error.strerror}\n  Reinstall Dryfit.", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
