#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs the build tree $1 into a fresh folder, builds and runs a project that uses the package, and runs
# the installed tool.
set -euo pipefail
build=$1; here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
cmake --install "$build" --prefix "$work/prefix" > "$work/install.log" 2>&1 || { cat "$work/install.log"; exit 1; }
cmake -S "$here" -B "$work/build" -G Ninja -DCMAKE_PREFIX_PATH="$work/prefix" > "$work/configure.log" 2>&1 || { cat "$work/configure.log"; exit 1; }
cmake --build "$work/build" > "$work/build.log" 2>&1 || { cat "$work/build.log"; exit 1; }
[ "$("$work/build/consumer_c")" = 6 ]
[ "$("$work/build/consumer_cpp")" = 4 ]
[ "$("$work/build/consumer_collections" --collections cooperative:3)" = 45 ]
"$work/prefix/bin/parcast" --version | grep -q '^parcast [0-9]'
grep -q 'parcast\\-predict' "$work/prefix/share/man/man1/parcast-predict.1"
# The installed tool finds the installed recorder, and needs nothing of the build tree.
"$work/prefix/bin/parcast" doctor --json > "$work/doctor.json" || true
grep -q "$work/prefix/lib" "$work/doctor.json"

# It also finds the installed module for PostgreSQL, if that was built. No server listens there; only the
# module can report that.
if [ -e "$build/lib/libparcast-postgresql.so" ]; then
  if "$work/prefix/bin/parcast" store list --store "host=$work dbname=runs" 2> "$work/store.err"; then exit 1; fi
  grep -q "the database cannot be reached" "$work/store.err" || { cat "$work/store.err"; exit 1; }
  mv "$work/prefix/lib/libparcast-postgresql.so" "$work/module"
  if "$work/prefix/bin/parcast" store list --store "host=$work dbname=runs" 2> "$work/store.err"; then exit 1; fi
  grep -q "this build of Parcast cannot speak to PostgreSQL" "$work/store.err" || { cat "$work/store.err"; exit 1; }
  echo "not a library" > "$work/prefix/lib/libparcast-postgresql.so"
  if "$work/prefix/bin/parcast" store list --store "host=$work dbname=runs" 2> "$work/store.err"; then exit 1; fi
  grep -q "cannot be loaded" "$work/store.err" || { cat "$work/store.err"; exit 1; }
fi

# The compiler under its one-word names finds the installed compiler pass.
if [ -e "$build/lib/parcast-pass.so" ] && command -v clang-19 > /dev/null; then
  [ "$("$work/prefix/bin/parcast-cc" --show x.c)" = "$("$work/prefix/bin/parcast" cc --show x.c)" ]
  "$work/prefix/bin/parcast-cc" --show x.c | grep -qF -- "-fpass-plugin=$work/prefix/lib/parcast-pass.so "
  "$work/prefix/bin/parcast-cc" -O1 "$here/consumer.c" -I"$work/prefix/include" -L"$work/prefix/lib" -lparcast -Wl,-rpath,"$work/prefix/lib" -o "$work/counted"
  [ "$("$work/counted")" = 6 ]
  readelf -S "$work/counted" > "$work/sections"  # not piped into grep -q, which ends before readelf does
  grep -q parcast_facts "$work/sections"
fi
