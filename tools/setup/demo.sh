#!/usr/bin/env bash
# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
#
# The demo: a dry run of a real training script on two GPUs, the page about it, and what to try next.
#
#   demo.sh <folder with a python that has PyTorch>
set -euo pipefail

export PATH=$PWD/bin:$PWD/$1:$PATH
page=build/demo.html
command=(dryfit run --gpu rtx-3060-12gb,rtx-4060-8gb -- python examples/resnet50.py)

echo "\$ ${command[*]}"
SECONDS=0
code=0
"${command[@]}" || code=$?
# "Does not fit" (3) is a good answer of the demo too.
if [ "$code" -ne 0 ] && [ "$code" -ne 3 ]; then exit "$code"; fi
dryfit report --output "$page" >/dev/null
cat <<END

The page about it: $PWD/$page (both took $SECONDS s). Try next:
  bin/dryfit run --gpu rtx-4090 -- python train.py   # your own script
  bin/dryfit replay last/rtx-3060-12gb --sweep       # other allocator settings
  bin/dryfit gpus                                    # the supported GPUs
END
