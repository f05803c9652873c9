#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The layer check must fail on a forbidden include, on a third-party header in the wrong place, and on an
# unknown folder.
set -euo pipefail
check=$1
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
mkdir -p "$work/tools" "$work/src/base" "$work/src/store"
printf 'base:\nstore: base\n' > "$work/tools/layers.txt"
echo '#include "base/text.h"' > "$work/src/store/ok.cpp"
"$check" "$work"
refused() { # FILE TEXT EXPECTED
  echo "$2" > "$work/src/$1"
  if message=$("$check" "$work" 2>&1); then echo "not refused: $2"; exit 1; fi
  grep -q "$3" <<< "$message" || { echo "wrong message: $message"; exit 1; }
  rm "$work/src/$1"
}
refused base/bad.cpp '#include "store/store.h"' 'src/base/bad.cpp:1: error: base may not include store'
refused base/bad.cpp '#include <soci/soci.h>' 'may only be seen by store'
refused store/bad.cpp '#include <nlohmann/json.hpp>' 'belongs in a file named'
mkdir "$work/src/odd"
refused odd/x.cpp 'int x;' 'has no row'
