# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""`python -m dryfit` and the console script: the native executable takes this process over."""

import os
import sys

from dryfit import DryfitError, executable


def main() -> int:
    try:
        path = executable()
        os.execv(path, [path, *sys.argv[1:]])
    except (DryfitError, OSError) as error:
        print(f"dryfit: {error}", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
