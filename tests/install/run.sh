#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs the build tree $1 into a fresh folder, builds a project that uses the package, runs it, and runs the installed tool.
set -euo pipefail
build=$1; here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
cmake --install "$build" --prefix "$work/prefix" > "$work/install.log" 2>&1 || { cat "$work/install.log"; exit 1; }
cmake -S "$here" -B "$work/build" -G Ninja -DCMAKE_PREFIX_PATH="$work/prefix" > "$work/configure.log" 2>&1 || { cat "$work/configure.log"; exit 1; }
cmake --build "$work/build" > "$work/build.log" 2>&1 || { cat "$work/build.log"; exit 1; }
[ "$("$work/build/consumer_c")" = 6 ]
[ "$("$work/build/consumer_cpp")" = 4 ]
"$work/prefix/bin/parcast" --version | grep -q '^parcast [0-9]'
# The installed tool finds the installed recorder, and nothing of the build tree is needed.
"$work/prefix/bin/parcast" doctor --json > "$work/doctor.json" || true
grep -q "$work/prefix/lib" "$work/doctor.json"
