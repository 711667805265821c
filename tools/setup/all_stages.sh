#!/usr/bin/env bash
# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
#
# Makes each target in turn, whatever became of the ones before, and lists the failures at the end.
#
#   all_stages.sh <target>...
#
# The exit code is 0 when all passed, else 1.
set -uo pipefail

failed=()
begin=$SECONDS
for target in "$@"; do
  "${MAKE:-make}" --no-print-directory "$target" || failed+=("$target")
done
echo
for target in ${failed[@]+"${failed[@]}"}; do
  echo "failed: make $target"
done
echo "all stages took $((SECONDS - begin)) s"
echo "stages: $(($# - ${#failed[@]})) passed, ${#failed[@]} failed"
test ${#failed[@]} -eq 0
