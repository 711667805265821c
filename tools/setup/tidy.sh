#!/usr/bin/env bash
# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
#
# clang-tidy over what the product is compiled from, with the checks of .clang-tidy.
#
#   tidy.sh <build folder> <processes at once>
set -euo pipefail

build=$1 jobs=$2

# The unity files of the product: each holds a dozen of ours. What is made when building is not there yet and not ours.
python3 - "$build" <<'PYTHON' | xargs -P "$jobs" -n 1 clang-tidy-19 -p "$build" --quiet --warnings-as-errors='*'
import json, os, re, sys
for entry in json.load(open(os.path.join(sys.argv[1], "compile_commands.json"))):
    path = os.path.join(entry["directory"], entry["file"])
    target = re.search(r"CMakeFiles/([^/ ]+)\.dir/\S+ -c ", entry["command"]).group(1)
    if os.path.exists(path) and "_test" not in target and not path.endswith("pch.cxx"):
        print(path)
PYTHON
