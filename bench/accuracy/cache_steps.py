#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Where a program's data leave a cache. Each program is compiled with parcast cc and recorded once at a small
size on one process; from that one recording `parcast explain` gives the size at which its data no longer fit,
for three sizes of the last cache. Compared with the size at which the misses per point that cachegrind
counts, in a cache of that size, have gone half of the way from those of data that fit to those of data that
do not. What the program and its MPI library miss by themselves, as much as 100,000 times, is counted at a
size of 4 with as many steps and taken off; runs of few points are made longer or three times, of which the
median counts.

    bench/accuracy/cache_steps.py [--build build/release] [--machine FILE] [--only gauss]

Files under --work: cache_steps.csv, misses.csv."""
import functools
import re
import statistics
import subprocess

from common import Bench, summary, table
from costs import write_table
from one_run import compiled

CAPACITIES = [64 << 10, 256 << 10, 1 << 20]
FEW = 1_000_000  # points
# Recorded size, other parameters, steps of a run at a size, command-line words for a size and number of
# steps, points processed in a step (misses are counted per point).
PROGRAMS = {
    "shallow_water": (
        24, {"steps": 6}, lambda n: max(6, FEW // (4 * n * n)), lambda n, steps: [n, steps], lambda n: n * n,
    ),
    "gauss": (48, {}, lambda n: 1, lambda n, steps: [n], lambda n: n**3 / 3),
}
AROUND = [0.35, 0.5, 0.65, 0.75, 0.85, 0.95, 1.05, 1.15, 1.3, 1.5, 1.8, 2.2]  # relative to the predicted size


def misses(bench, binary, words, capacity):
    """Returns the data misses in a cache with 8 ways. The rank runs without a launcher."""
    log = bench.work / "cachegrind.log"
    subprocess.run(
        [
            "valgrind", "--tool=cachegrind", "--cache-sim=yes", f"--D1={min(capacity, 32768)},8,64",
            f"--LL={capacity},8,64", "--cachegrind-out-file=/dev/null", f"--log-file={log}", binary,
            *map(str, words),
        ],
        check=True, capture_output=True,
    )
    return int(re.search(r"LLd misses:\s*([\d,]+)", log.read_text()).group(1).replace(",", ""))


def typical(bench, binary, words, capacity, repeats):
    return statistics.median(misses(bench, binary, words, capacity) for _ in range(repeats))


def crossing(points):
    """Returns the size at which the misses per point are half-way, interpolated between the two neighbouring
    sizes."""
    low, high = min(value for _, value in points), max(value for _, value in points)
    half = (low + high) / 2
    for (a, before), (b, after) in zip(points, points[1:]):
        if before <= half < after:
            return a + (b - a) * (half - before) / (after - before)
    return None


def main():
    bench = Bench(__doc__, [(["--machine"], {"default": None}), (["--only"], {"default": ""})])
    machine = bench.options.machine
    if machine is None:
        machine = bench.work / "here.machine.toml"
        bench.calibrate(machine, "--budget", "20s")
    rows, raw, errors = [], [], []
    for name, (small, more, steps, words, points) in PROGRAMS.items():
        if bench.options.only not in name:
            continue
        binary = compiled(bench, name)
        recording = bench.record(
            bench.work / f"{name}.recording", {"N": small, **more},
            [*bench.launch(1), binary, *words(small, more.get("steps", 1))],
        )
        model = bench.work / f"{name}.model.json"
        bench.parcast("model", "--no-store", "-o", model, recording)
        for capacity in CAPACITIES:
            base = functools.cache(
                lambda made, binary=binary, words=words, capacity=capacity: typical(
                    bench, binary, words(4, made), capacity, 3
                )
            )
            target = bench.work / f"cache-{capacity}.machine.toml"
            levels = [
                f"memory.{level}.capacity={capacity >> shift}B"
                for level, shift in (("L1", 6), ("L2", 3), ("L3", 0))
            ]
            bench.parcast("machine", "set", machine, *levels, "-o", target)
            flags = [word for key, value in {"N": small, **more}.items() for word in ("-s", f"{key}={value}")]
            explained = bench.answer("explain", model, "-m", target, "-p", 1, *flags)
            predicted = next(
                (
                    step["last"]
                    for step in explained["cache_steps"]
                    if step["level"] == "L3" and step["parameter"] == "N"
                ),
                None,
            )
            if predicted is None:
                raise SystemExit(f"{name}: no size was found for {capacity} bytes")
            sizes = sorted({max(8, round(predicted * factor)) for factor in AROUND})
            counted = []
            for n in sizes:
                all_points = steps(n) * points(n)
                own = typical(
                    bench, binary, words(n, steps(n)), capacity, 3 if all_points < FEW else 1
                ) - base(steps(n))
                counted.append((n, max(0, own) / all_points))
                raw.append([name, capacity, n, counted[-1][1]])
            measured = crossing(counted)
            if measured is None:
                rows.append([name, f"{capacity >> 10} KiB", f"{predicted:.0f}", "none", "no step seen"])
                continue
            errors.append(predicted / measured - 1)
            rows.append(
                [
                    name, f"{capacity >> 10} KiB", f"{predicted:.0f}", f"{measured:.0f}",
                    f"{100 * errors[-1]:+.0f} %",
                ]
            )
    print()
    table(["program", "cache", "fits up to N", "misses half-way at", "error"], rows)
    write_table(bench.work / "cache_steps.csv", ["program", "cache", "predicted", "measured", "error"], rows)
    write_table(bench.work / "misses.csv", ["program", "cache", "N", "misses per point"], raw)
    print(
        f"sizes at which caches are left: {summary(errors)}; no step seen in {len(rows) - len(errors)} of"
        f" {len(rows)}"
    )


if __name__ == "__main__":
    main()
