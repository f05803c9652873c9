#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Predicts one program with costs from three sources (Clement and Quinn 1997: vendors' figures, benchmarks,
or regression). The prediction is Gaussian elimination's counts (operations.csv) times the cost of an
operation, a first touch of a page, a message and a byte. The costs come from

- by a sheet: clock and operations per cycle, latency and bandwidth as published, all of it assumed (SHEET
  below, or --sheet FILE); no sheet has the cost of a page;
- by microbenchmarks: core speed, first write to a page and link of `parcast calibrate`;
- by regression over measured small runs of the other four programs (`parcast regress`), which has intervals;

against runs of it at several sizes on 1 and 2 processes, made after all predictions are written.

    bench/accuracy/three_ways.py [--build build/release] [--machine FILE] [--sheet FILE] [--repeats 3]
    [--budget 30s] [--launcher 'srun -n {p}' --processes 1,2,4] [--quick]

Files under --work: sheet.machine.toml, predicted.csv (before the runs), three_ways.csv."""
import pathlib
import shlex
import statistics

from common import Bench, percent, table
from costs import ONE_CLASS, Regression, counts_of, write_table
from table1 import PROGRAMS

PROGRAM = "gauss"
SIZES = [200, 400, 700, 1000, 1500]
CALLED = pathlib.Path.cwd()
# A server of 2021: 3 GHz and one operation a cycle, as in code without vectors; MPI inside a node as
# published by its developers. One channel of DDR4-3200 has 25.6 GB/s, and a message is copied into shared
# memory and out of it again.
SHEET = """name = "sheet"
description = "published figures of a server's processor, memory and MPI: nothing is measured"
cores_per_node = 2
core_speed = 3e9

[links.core]
latency = "0.5us"
gap_per_byte = "0.078125ns/B"
"""


def costs_of(bench, machine):
    """Returns the costs of an operation, a page, a message from send to receipt, and a byte, by a machine's
    parameters. If it has several links, those within a node count."""
    shown = bench.answer("machine", "show", machine)
    link = next(
        shown["links"][name] for name in ("core", "socket", "node", "network") if name in shown["links"]
    )
    value = lambda place, name: place.get(name, {}).get("value", 0)
    message = sum(value(link, name) for name in ("latency", "send_overhead", "receive_overhead"))
    origins = sorted(
        {shown["core_speed"]["origin"], link["latency"]["origin"], link["gap_per_byte"]["origin"]}
    )
    return {
        "operations": 1 / value(shown, "core_speed"), "pages": value(shown, "first_touch"),
        "messages": message, "bytes": value(link, "gap_per_byte"),
    }, ", ".join(origins)


def main():
    bench = Bench(
        __doc__,
        [
            (["--machine"], {"default": None}), (["--sheet"], {"default": None}),
            (["--repeats"], {"type": int, "default": 3}), (["--budget"], {"default": "30s"}),
            (["--launcher"], {"default": None}), (["--processes"], {"default": "1,2"}),
            (["--quick"], {"action": "store_true"}),
        ],
    )
    options = bench.options
    processes = [int(word) for word in options.processes.split(",")]
    launch = lambda p: (
        shlex.split(options.launcher.replace("{p}", str(p))) if options.launcher else bench.launch(p)
    )
    line = lambda program, n, p: [*launch(p), bench.example(program), *PROGRAMS[program]["arguments"](n)]
    machine, sheet = (CALLED / name if name else None for name in (options.machine, options.sheet))
    if not machine:
        machine = bench.work / "here.machine.toml"
        more = ["--launcher", options.launcher, "--processes", options.processes] if options.launcher else []
        bench.calibrate(machine, "--budget", "10s" if options.quick else options.budget, *more)
    if not sheet:
        sheet = bench.work / "sheet.machine.toml"
        sheet.write_text(SHEET)
    small = [
        (program, {"N": n, **case["more"]}, p, bench.measure(line(program, n, p)))
        for _ in range(1 if options.quick else 3)
        for program, case in PROGRAMS.items()
        if program != PROGRAM
        for n in case["recorded"][: 2 if options.quick else 4]
        for p in processes
    ]
    asked = [(PROGRAM, {"N": n}, p) for n in (SIZES[:2] if options.quick else SIZES) for p in processes]
    counts = counts_of(bench, asked)
    ways, rows = {}, []
    for name, file in (("sheet", sheet), ("microbenchmarks", machine)):
        each, origins = costs_of(bench, file)
        ways[name] = [sum(each[kind] * often for kind, often in own.items()) for own in counts]
        rows.append([name, *(f"{each[kind]:.3g} s" for kind in each), origins])
    fitted = Regression(bench, small, ONE_CLASS).predicted(
        "others", [program for program in PROGRAMS if program != PROGRAM], asked
    )
    intervals = [each["new_program"] for each in fitted["predictions"]]
    ways["regression"] = [each["value"] for each in intervals]
    rows.append(
        [
            "regression",
            *(f"{cost['value']:.3g} s" + ("" if cost["identified"] else " *") for cost in fitted["costs"]),
            f"fitted to {fitted['runs']} runs of {len(fitted['programs'])} programs",
        ]
    )
    write_table(
        bench.work / "predicted.csv", ["program", "N", "p", *ways, "low", "high"],
        [
            [
                PROGRAM, values["N"], p, *(repr(ways[way][i]) for way in ways), repr(intervals[i]["low"]),
                repr(intervals[i]["high"]),
            ]
            for i, (_, values, p) in enumerate(asked)
        ],
    )
    runs = [[] for _ in asked]
    for _ in range(1 if options.quick else options.repeats):
        for i, (_, values, p) in enumerate(asked):
            runs[i].append(bench.measure(line(PROGRAM, values["N"], p)))
    seconds = [statistics.median(each) for each in runs]
    table(["costs by", "an operation", "a page", "a message", "a byte", "which are"], rows)
    print("* below two standard errors\n")
    table(
        ["N", "p", "measured", *(word for way in ways for word in (way, "off by")), "90 %"],
        [
            [
                values["N"], p, f"{seconds[i]:.4g} s",
                *(
                    word
                    for way in ways
                    for word in (f"{ways[way][i]:.4g} s", percent(ways[way][i] / seconds[i] - 1))
                ),
                f"{intervals[i]['low']:.3g} .. {intervals[i]['high']:.3g}",
            ]
            for i, (_, values, p) in enumerate(asked)
        ],
    )

    def mean_error(values):
        return statistics.fmean(abs(value / measured - 1) for value, measured in zip(values, seconds))

    print(
        "mean |error|: "
        + ", ".join(
            f"{way} {100 * mean_error(values):.1f} %"
            for way, values in ways.items()
        )
        + "; the regression's intervals hold"
        f" {sum(each['low'] <= measured <= each['high'] for each, measured in zip(intervals, seconds))} of"
        f" {len(seconds)}"
    )
    write_table(
        bench.work / "three_ways.csv", ["program", "N", "p", "measured", *ways],
        [
            [PROGRAM, values["N"], p, repr(seconds[i]), *(repr(ways[way][i]) for way in ways)]
            for i, (_, values, p) in enumerate(asked)
        ],
    )


if __name__ == "__main__":
    main()
