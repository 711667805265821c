#!/usr/bin/env bash
# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
#
# Links every executable of an installed tree into bin/, relative, so that the checkout can be moved.
#
#   link_executables.sh <stage folder, relative to the repository>
set -euo pipefail

stage=$1
mkdir -p bin
for link in bin/*; do
  if [ -L "$link" ] && [ ! -e "$link" ]; then rm "$link"; fi
done
for executable in "$stage"/bin/*; do
  ln -sfn "../$executable" "bin/$(basename "$executable")"
done
