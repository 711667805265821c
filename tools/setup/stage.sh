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
# With DRYFIT_SIDE_BY_SIDE set, stages run beside each other: each prints its line when it ends, and on a terminal the last
# line names those that are still running.
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
running=build/log/running
mkdir -p "$running"

# Replaces the terminal's last line.
show_running() {
  local titles
  [ -t 1 ] || return 0
  # A stage may end while its title is read, and after the last one there is none.
  titles=$({ cat "$running"/* 2>/dev/null || true; } | paste -s -d '|' | sed 's/|/; /g')
  printf '\r\033[K%.*s' "$(($(tput cols 2>/dev/null || echo 80) - 1))" "${titles:+$titles ...}"
}

begin_stage() {
  if [ -z "${DRYFIT_SIDE_BY_SIDE:-}" ]; then
    printf '%s ... ' "$title"
    return
  fi
  echo "$title" >"$running/$name"
  trap 'rm -f "$running/$name"' EXIT
  show_running
}

# How it ended; the other stages' titles follow.
end_stage() {
  if [ -z "${DRYFIT_SIDE_BY_SIDE:-}" ]; then
    echo "$1"
    return
  fi
  rm -f "$running/$name"
  if [ -t 1 ]; then printf '\r\033[K'; fi
  echo "$title ... $1"
}

begin_stage
SECONDS=0
code=0
"$@" >"$log" 2>&1 </dev/null || code=$?
if [ "$code" -ne 0 ]; then
  end_stage "failed (exit code $code, $SECONDS s)"
  tail -n 60 "$log"
  printf '\nThe whole log: %s\n' "$log"
  exit "$code"
fi
end_stage "done ($SECONDS s)"
if [ -n "$show" ]; then
  { grep -E "$show" "$log" || true; } | sed 's/^/    /'
fi
if [ -n "${DRYFIT_SIDE_BY_SIDE:-}" ]; then show_running; fi
