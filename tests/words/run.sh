#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The word check must find idioms in comments, messages, docstrings and pages, leave out code and quotations, keep a
# budget for each file, and refuse a higher one.
set -euo pipefail
check=$1
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
mkdir -p "$work/tools" "$work/src/base" "$work/docs" "$work/bench"
cd "$work"

counts() { # COUNT FILE TEXT
  printf '%s\n' "$3" > "$2"
  found=$("$check" --root "$work" list "$2" | wc -l)
  [ "$found" = "$1" ] || { echo "$found idioms instead of $1 in $2: $3"; exit 1; }
  rm "$2"
}
counts 1 src/base/a.cpp '// The file says where.'
counts 1 src/base/a.cpp '/* What a link
 * stands for. */'
counts 1 src/base/a.cpp 'auto text = "the runs do not tell it";'
counts 1 src/base/a.cpp 'auto text = R"(the runs do not tell it)";'
counts 0 src/base/a.cpp 'auto key = json["said"]; says(told); stream.tell();'
counts 0 src/base/a.cpp '// The position is stream.tell(). A stand-alone program, with standard settings, in `told`.'
counts 0 src/base/a.cpp '// model/resolved.h has whole numbers; times are whole nanoseconds'
counts 1 src/base/a.cpp '// copied as a whole'
counts 0 src/base/a_test.cpp 'EXPECT_EQ(error, "the file says otherwise");'
counts 1 src/base/a_test.cpp '// The model knows nothing.'
counts 2 bench/a.py '"""What it says."""
x = "what it says"  # and knows'
counts 2 docs/a.md 'The file says that it knows.'
counts 0 docs/a.md 'Output such as `the run says` and
```text
it says
```
and "the paper says so", [a page](what_it_says.md).

    indented: it says'

echo '// The file says where.' > src/base/a.cpp
refused() { # EXPECTED WORDS...
  if message=$("$check" --root "$work" "${@:2}" 2>&1); then echo "not refused: $1"; exit 1; fi
  grep -q "$1" <<< "$message" || { echo "wrong message: $message"; exit 1; }
}
refused 'src/base/a.cpp:1: `says`' check
"$check" --root "$work" lower > /dev/null
"$check" --root "$work" check
echo '// It knows.' >> src/base/a.cpp
refused '2 idioms, 1 allowed' check
refused 'the budget is 1' lower
rm src/base/a.cpp
"$check" --root "$work" check | grep -q 'run `tools/words lower`'
"$check" --root "$work" lower > /dev/null
[ "$(grep -vc '^#' tools/words.txt)" = 0 ]
