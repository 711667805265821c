#!/usr/bin/env bash
# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
#
# Runs one stage of a make target: a line that says what is done, the command's output in build/log/<name>.log, and
# how it went. A failing stage shows the end of its log.
#
#   stage.sh <name> <title> [--show <pattern>] -- <command> [argument...]
#
# --show prints, after success, the lines of the log that match (the summary of a test run, say).
# With DRYFIT_SIDE_BY_SIDE set, stages run beside each other, so each line is printed whole.
set -euo pipefail

name=$1 title=$2
shift 2
show=
if [ "$1" = --show ]; then
  show=$2
  shift 2
fi
[ "$1" = -- ] && shift

log=build/log/$name.log
mkdir -p build/log
outcome=
if [ -n "${DRYFIT_SIDE_BY_SIDE:-}" ]; then
  echo "$title ..."
  outcome="$title ... "
else
  printf '%s ... ' "$title"
fi
SECONDS=0
code=0
"$@" >"$log" 2>&1 </dev/null || code=$?
if [ "$code" -ne 0 ]; then
  echo "${outcome}failed (exit code $code, $SECONDS s)"
  tail -n 60 "$log"
  printf '\nThe whole log: %s\n' "$log"
  exit "$code"
fi
echo "${outcome}done ($SECONDS s)"
if [ -n "$show" ]; then
  { grep -E "$show" "$log" || true; } | sed 's/^/    /'
fi
