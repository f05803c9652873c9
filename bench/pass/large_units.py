#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures the cost of the compiler pass in very large translation units: user time and largest resident
memory of compiling generated C, without and with the pass. The C code is many functions in a file, or one
function of many blocks. Both costs should grow linearly with the size.
bench/pass/large_units.py --plugin build/release/lib/parcast-pass.so --work FOLDER [--functions 500,1000,...]
[--blocks 500,1000,...] [--repeats 3]"""
import argparse
import os
import pathlib
import statistics
import subprocess

# A triangular nest, a search with an early exit, a branch, a call and a store to a global.
FUNCTION = """
static double table_{k}[4096];
int limit_{k} = {limit};
__attribute__((noinline)) double work_{k}(double *a, const int *index, int n, int m) {{
  double sum = 0;
  for (int i = 0; i < n; ++i) {{
    for (int j = i; j < m; j += {step}) sum += a[i * {stride} + j] * table_{k}[(i + j) & 4095];
    if (index[i] > limit_{k}) sum -= a[index[i]];
  }}
  for (int i = 0; i < m; ++i) {{
    if (index[i] == {limit}) break;
    switch (index[i] & 3) {{
      case 0: sum += a[i]; break;
      case 1: table_{k}[i & 4095] = sum; break;
      case 2: sum *= 1.5; break;
      default: limit_{k} += i;
    }}
  }}
  if (n > {limit}) sum += work_{callee}(a, index, n / 2, m);
  return sum;
}}
"""


def many_functions(size):
    declared = "".join(f"double work_{k}(double *a, const int *index, int n, int m);\n" for k in range(size))
    return declared + "".join(
        FUNCTION.format(k=k, limit=7 + k % 91, step=1 + k % 3, stride=64 + k % 17, callee=k // 2)
        for k in range(size)
    )


def many_blocks(size):
    """Writes four blocks per piece."""
    pieces = "".join(
        f"  if (index[{k}] > n) {{ for (int i = 0; i < index[{k + 1}]; ++i) sum += a[i] * {k}; }} else a[{k}]"
        " = sum;\n"
        for k in range(size // 4)
    )
    return (
        f"double work(double *a, const int *index, int n) {{\n  double sum = 0;\n{pieces}  return sum;\n}}\n"
    )


def compiled(command):
    """Returns user seconds, and MB."""
    process = subprocess.Popen(command)
    _, status, used = os.wait4(process.pid, 0)
    if status:
        raise SystemExit(f"{' '.join(command)} failed with {os.waitstatus_to_exitcode(status)}")
    return used.ru_utime, used.ru_maxrss / 1024


def measure(options, source):
    path, result = options.work / "unit.c", options.work / "unit.o"
    path.write_text(source)
    ways = {
        "plain": [], "lines": ["-gline-tables-only"],
        "counted": ["-gline-tables-only", f"-fpass-plugin={options.plugin}"],
    }
    runs = {way: [] for way in ways}
    for _ in range(options.repeats):
        for way, flags in ways.items():
            runs[way].append(compiled(["clang-19", "-O2", "-c", *flags, str(path), "-o", str(result)]))
    seconds = {way: statistics.median(time for time, _ in of) for way, of in runs.items()}
    memory = {way: statistics.median(mb for _, mb in of) for way, of in runs.items()}
    return seconds, memory, result.stat().st_size / 2**20


def table(options, title, sizes, program):
    print(
        (
            f"{title:>12}  seconds: plain   lines counted   ratio  per {title[:-1]}   MB: plain  lines"
            " counted   ratio   object MB"
        ),
        flush=True,
    )
    for size in sizes:
        seconds, memory, object_mb = measure(options, program(size))
        print(
            (
                f"{size:12} "
                f" {seconds['plain']:14.2f} {seconds['lines']:7.2f} "
                f"{seconds['counted']:7.2f} {seconds['counted'] / seconds['plain']:7.2f} "
                f" {1000 * (seconds['counted'] - seconds['plain']) / size:8.3f} ms  "
                f" {memory['plain']:9.0f} {memory['lines']:6.0f} "
                f"{memory['counted']:7.0f} {memory['counted'] / memory['plain']:7.2f} "
                f"  {object_mb:9.1f}"
            ),
            flush=True,
        )


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--plugin", required=True)
    parser.add_argument("--work", required=True, type=pathlib.Path)
    parser.add_argument("--functions", default="500,1000,2000,4000,8000")
    parser.add_argument("--blocks", default="500,1000,2000,4000,8000")
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    options.work = options.work.resolve()
    options.work.mkdir(parents=True, exist_ok=True)
    for title, program in (("functions", many_functions), ("blocks", many_blocks)):
        sizes = [int(size) for size in getattr(options, title).split(",") if size]
        if sizes:
            table(options, title, sizes, program)


if __name__ == "__main__":
    main()
