#!/usr/bin/env bash
# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
#
# Installs the Debian packages a task needs, if any is missing. Needs no network and no rights when all are there.
#
#   packages.sh build|bench|format|clang|slurm|page
#
# Under root it calls apt-get itself, else through sudo. The commands and what they print go to
# build/log/packages-<task>.log. Without either it names the packages and fails. On a system without dpkg it only says
# what is needed.
set -euo pipefail

build=(python3 python3-venv python3-pip g++ ccache cmake ninja-build make git ca-certificates libfmt-dev libcli11-dev
       libtomlplusplus-dev nlohmann-json3-dev libzstd-dev liblz4-dev liblzma-dev zlib1g-dev libsimdjson-dev libsqlite3-dev
       libgtest-dev)
bench=("${build[@]}" libbenchmark-dev)
format=(git clang-format-19)
clang=("${build[@]}" clang-19 clang-tidy-19 libclang-rt-19-dev llvm-19)
page=(chromium)
slurm=(slurmctld slurmd slurm-client slurm-wlm-basic-plugins munge)

case "${1:-}" in
  build) wanted=("${build[@]}") ;;
  bench) wanted=("${bench[@]}") ;;
  format) wanted=("${format[@]}") ;;
  clang) wanted=("${clang[@]}") ;;
  page) wanted=("${page[@]}") ;;
  slurm) wanted=("${slurm[@]}") ;;
  *) echo "usage: packages.sh build|bench|format|clang|slurm|page" >&2; exit 2 ;;
esac

if ! command -v dpkg-query >/dev/null; then
  echo "This is not a Debian system; the equivalents of these packages are needed: ${wanted[*]}"
  exit 0
fi

missing=()
for package in "${wanted[@]}"; do
  status=$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null || true)
  [ "$status" = installed ] || missing+=("$package")
done
if [ "${#missing[@]}" -eq 0 ]; then
  exit 0
fi

as_root=()
if [ "$(id -u)" -ne 0 ]; then
  if ! command -v sudo >/dev/null; then
    echo "These packages are missing; please install them as root and try again:" >&2
    echo "  apt-get install --no-install-recommends ${missing[*]}" >&2
    exit 1
  fi
  as_root=(sudo)
fi

export DEBIAN_FRONTEND=noninteractive
install='set -x; "$@" apt-get update -qq; "$@" apt-get install -y -qq --no-install-recommends $MISSING'
MISSING="${missing[*]}" exec tools/setup/stage.sh "packages-$1" \
    "Debian packages, with ${as_root[*]:+${as_root[*]} }apt-get (${#missing[@]} missing)" -- \
    bash -ec "$install" install "${as_root[@]+"${as_root[@]}"}"
