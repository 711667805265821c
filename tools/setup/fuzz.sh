#!/usr/bin/env bash
# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
#
# Runs every fuzzer of a build for some seconds, beginning with its corpus in tests/fuzz. The corpus is not changed: what
# a fuzzer finds interesting goes into a scratch folder of the build, and an input that makes it fail too.
#
#   fuzz.sh <build folder> <seconds> <fuzzers at once>
set -euo pipefail

build=$1 seconds=$2 jobs=$3

# name of the executable, folder of its corpus
fuzzers=(
  "trace_reader_fuzz trace"
  "snapshot_reader_fuzz snapshot"
  "simulator_differential_fuzz simulator_differential"
  "simulator_alloc_config_fuzz alloc_config"
  "whatif_play_fuzz snapshot"
  "estimate_reader_fuzz profile"
)

one() {
  local build=$1 seconds=$2 name=$3 corpus=$4 executable
  executable=$(find "$build/src" -name "$name" -type f)
  mkdir -p "$build/fuzz/$name"
  "$executable" -max_total_time="$seconds" -timeout=300 -rss_limit_mb=4096 -print_final_stats=1 \
      -artifact_prefix="$build/fuzz/$name-" "$build/fuzz/$name" "tests/fuzz/$corpus" >"$build/fuzz/$name.log" 2>&1 || {
    echo "$name failed:"
    tail -n 40 "$build/fuzz/$name.log"
    return 1
  }
  echo "$name: $(sed -n 's/^stat::number_of_executed_units: *//p' "$build/fuzz/$name.log") runs"
}
export -f one

mkdir -p "$build/fuzz"
printf '%s\n' "${fuzzers[@]}" | xargs -P "$jobs" -L 1 bash -c 'one "$@"' one "$build" "$seconds"
echo "fuzzers: ${#fuzzers[@]} passed, 0 failed"
