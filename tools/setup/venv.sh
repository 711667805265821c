#!/usr/bin/env bash
# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
#
# Makes the Python environment .venv/<name> hold what tools/setup/requirements-<name>.txt asks for.
#
#   venv.sh <name>
#
# .venv/<name>/.ready holds the hash of the requirements last installed: while it agrees there is nothing to do.
# PYTHON names the interpreter to start from. Downloads are kept only where PIP_CACHE_DIR says so.
set -euo pipefail

name=$1
requirements=tools/setup/requirements-$name.txt
environment=.venv/$name
stamp=$environment/.ready
hash=$(sha256sum <"$requirements" | cut -d' ' -f1)

if [ -x "$environment/bin/python" ] && [ "$(cat "$stamp" 2>/dev/null)" = "$hash" ]; then
  exit 0
fi
if ! "$environment/bin/python" -m pip --version >/dev/null 2>&1; then
  "${PYTHON:-python3}" -m venv --clear "$environment"
fi
[ -n "${PIP_CACHE_DIR:-}" ] || export PIP_NO_CACHE_DIR=1
export PIP_DISABLE_PIP_VERSION_CHECK=1
"$environment/bin/python" -m pip install -r "$requirements"
echo "$hash" >"$stamp"
