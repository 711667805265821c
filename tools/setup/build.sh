#!/usr/bin/env bash
# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
#
# Builds a target of the release preset, installs a component of it into build/release/stage, and links what is there into
# bin/.
#
#   build.sh <target> <component>
set -euo pipefail

target=$1 component=$2

[ -f build/release/build.ninja ] || cmake --preset release
cmake --build --preset release --target "$target"
cmake --install build/release --component "$component"
tools/setup/link_executables.sh build/release/stage
