#!/usr/bin/env bash
# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
#
# The demo: a dry run of a real training script on two GPUs, the page about it, and what to try next.
#
#   demo.sh <python with PyTorch>
set -euo pipefail

python=$1
page=build/demo.html
command=(bin/dryfit run --gpu rtx-3060-12gb,rtx-4060-8gb -- "$python" examples/resnet50.py --batch-size 64)

echo
echo "\$ ${command[*]}"
SECONDS=0
code=0
"${command[@]}" || code=$?
# "Does not fit" (3) is a good answer of the demo too.
if [ "$code" -ne 0 ] && [ "$code" -ne 3 ]; then exit "$code"; fi
bin/dryfit report --output "$page" >/dev/null
cat <<END

The dry run and its page took $SECONDS s. The page shows where the memory goes: $PWD/$page
Try next:
  bin/dryfit run --gpu rtx-4090 -- python train.py --batch-size 64   # your own script and your own PyTorch
  bin/dryfit replay last/rtx-3060-12gb --gpu rtx-4060-8gb --sweep    # which allocator settings need less memory
  bin/dryfit gpus                                                    # the supported GPUs
END
