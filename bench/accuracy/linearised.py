#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests the benefit of a cache model: runs sweeps.c on one core of this machine, over arrays from the first
cache's size to far beyond the last. Costs are fitted to every other size, for each kernel alone and for all
together. The sizes in between are predicted three ways: by misses of each cache, where either the complete
array misses or none of it (--linearise); by the machine's measured curve (--linearise-by curve); and without
either, by the number of elements alone.

    bench/accuracy/linearised.py [--build build/release] [--machine FILE] [--budget 30s] [--sizes 40] [--most
    256] [--repeats 5]

--most is the largest array in MiB. Each run is the median of --repeats, taken in rounds through all sizes.
Files under --work: runs.csv, errors.csv."""
import csv
import pathlib
import random
import statistics
import subprocess

from common import Bench, table

HERE, CALLED = pathlib.Path(__file__).resolve().parent, pathlib.Path.cwd()
KERNELS = {"sum": 8, "update": 8, "add": 16}  # bytes per element, summed over all swept arrays
LEAST = 8 << 10  # bytes of the smallest array
WAYS = {"misses": ["--linearise-by", "misses"], "curve": ["--linearise-by", "curve"], "elements alone": None}


def questions(options):
    """(kernel, elements, rounds): the same sizes for all, work between 20 and 80 million elements, drawn at
    random."""
    draw, out = random.Random(1), []
    for i in range(options.sizes):
        bytes_held = LEAST * (options.most * 2**20 / LEAST) ** (i / (options.sizes - 1))
        for kernel, width in KERNELS.items():
            elements = round(bytes_held / width / 8) * 8
            out.append((kernel, max(elements, 1024), max(1, round(draw.uniform(2e7, 8e7) / elements))))
    return out


def write_runs(path, rows):
    with open(path, "w", newline="") as out:
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(
            ["program", "elements", "rounds", "seconds", "operations", "footprint_swept", "traffic_swept"]
        )
        for (kernel, elements, rounds), seconds in rows:
            width = KERNELS[kernel]
            writer.writerow(
                [
                    kernel, elements, rounds, f"{seconds:.9f}", elements * rounds, width * elements,
                    width * elements * rounds,
                ]
            )


def predicted(bench, machine, way, fitted, asked):
    """Returns the predicted seconds of each run of `asked`, by costs fitted to `fitted`."""
    write_runs(bench.work / "fitted.csv", fitted)
    write_runs(bench.work / "asked.csv", asked)
    more = ["--linearise", machine, *WAYS[way]] if WAYS[way] else []
    answer = bench.answer(
        "regress", "fitted.csv", "--counts", "operations", "--nonnegative", "--quick", "--predict",
        "asked.csv", *more
    )
    return [(each.get("known_program") or each["mean"])["value"] for each in answer["predictions"]], answer


def main():
    bench = Bench(
        __doc__,
        [
            (["--machine"], {"default": None}), (["--budget"], {"default": "30s"}),
            (["--sizes"], {"type": int, "default": 40}), (["--most"], {"type": int, "default": 256}),
            (["--repeats"], {"type": int, "default": 5}),
        ],
    )
    options = bench.options
    machine = CALLED / options.machine if options.machine else bench.work / "here.machine.toml"
    if not options.machine:
        bench.calibrate(machine, "--budget", options.budget)
    subprocess.run(["cc", "-O2", "-o", bench.work / "sweeps", HERE / "sweeps.c"], check=True)
    asked = questions(options)
    seconds = [[] for _ in asked]
    for _ in range(options.repeats):
        for i, line in enumerate(asked):
            seconds[i].append(bench.measure([bench.work / "sweeps", *line], printed=True))
    runs = [(line, statistics.median(each)) for line, each in zip(asked, seconds)]
    write_runs(bench.work / "runs.csv", runs)
    rows, raw = [], []
    for which in [*KERNELS, "all together"]:
        own = [run for i, run in enumerate(runs) if which in (run[0][0], "all together")]
        fitted, kept = (
            [run for run in own if (runs.index(run) // len(KERNELS)) % 2 == part] for part in (0, 1)
        )
        cells = [which, len(fitted), len(kept)]
        for way in WAYS:
            values, answer = predicted(bench, machine, way, fitted, kept)
            off = [abs(value / measured - 1) for value, (_, measured) in zip(values, kept)]
            cells += [f"{100 * statistics.fmean(off):.1f} %", f"{100 * max(off):.0f} %"]
            raw += [
                [which, way, *line, repr(measured), repr(value)]
                for value, (line, measured) in zip(values, kept)
            ]
            print(
                f"{which}, {way}: "
                + ", ".join(f"{cost['name']} {cost['value']:.3g} s" for cost in answer["costs"]), flush=True,
            )
        rows.append(cells)
    with open(bench.work / "errors.csv", "w", newline="") as out:
        csv.writer(out, lineterminator="\n").writerows(
            [["fit", "way", "program", "elements", "rounds", "seconds", "predicted"], *raw]
        )
    print()
    table(
        [
            "costs of", "fitted", "predicted",
            *(word for way in WAYS for word in (f"{way}: mean error", "worst")),
        ],
        rows,
    )


if __name__ == "__main__":
    main()
