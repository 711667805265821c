#!/usr/bin/env bash
# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
#
# Puts the vendor's public headers (cuda.h, cudaTypedefs.h, nvml.h) into build/headers, out of the packages that
# tools/setup/requirements-headers.txt names. Their libraries are not needed and are not kept.
#
#   headers.sh <python with pip>
set -euo pipefail

python=$1
requirements=tools/setup/requirements-headers.txt
folder=build/headers
stamp=$folder/.ready
hash=$(sha256sum <"$requirements" | cut -d' ' -f1)

if [ "$(cat "$stamp" 2>/dev/null)" = "$hash" ]; then
  exit 0
fi
mkdir -p build
fresh=$(mktemp -d build/headers.XXXXXX)
trap 'rm -rf "$fresh"' EXIT
chmod 755 "$fresh"
PIP_DISABLE_PIP_VERSION_CHECK=1 "$python" -m pip install --no-cache-dir --no-deps --target "$fresh" -r "$requirements"
rm -rf "$fresh"/nvidia/cu13/lib
echo "$hash" >"$fresh/.ready"
rm -rf "$folder"
mv "$fresh" "$folder"
