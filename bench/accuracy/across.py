#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests prediction across machines. The five programs are recorded here, with more processes than cores. They
are simulated on a cluster that was calibrated with its own launcher, and measured there. The script first
measures this machine and makes all recordings. So a cluster that shares this machine (--start) does not run
meanwhile. Of all measurements, the prediction uses only the calibration of the two machines.

    bench/accuracy/across.py --launcher 'srun -n {p}' [--build build/release] [--machine FILE] [--repeats 5]
    [--processes 4,8,16] [--only gauss,ocean]"""
import pathlib
import shlex
import statistics
import subprocess

from common import Bench, percent, summary, table

CASES = [  # program, parameters, further command-line arguments
    ("shallow_water", {"N": 256, "steps": 400}, []),
    ("shallow_water", {"N": 512, "steps": 300}, []),
    ("gauss", {"N": 400}, []),
    ("gauss", {"N": 800}, []),
    ("matmul_rows", {"N": 600}, ["unchecked"]),
    ("matmul_rows", {"N": 900}, ["unchecked"]),
    ("ocean", {"N": 160, "rows": 128, "steps": 300}, []),
    ("ocean", {"N": 320, "rows": 128, "steps": 300}, []),
    ("sharks", {"N": 160, "steps": 150}, []),
    ("sharks", {"N": 320, "steps": 100}, []),
]


def main():
    bench = Bench(
        __doc__,
        [
            (["--launcher"], {"required": True}), (["--machine"], {"default": None}),
            (["--repeats"], {"type": int, "default": 5}),
            (
                ["--start"],
                {
                    "default": None,
                    "help": "a command that brings the cluster up, run after everything that is done here",
                },
            ),
            (["--budget"], {"default": "180s"}), (["--processes"], {"default": "8,16"}),
            (["--only"], {"default": ",".join(dict.fromkeys(case[0] for case in CASES)), "help": "programs"}),
        ],
    )
    options = bench.options
    largest = max(map(int, options.processes.split(",")))
    calibrated = [p for p in (2**k for k in range(largest.bit_length())) if p < largest] + [largest]
    cluster, here = bench.work / "cluster.machine.toml", bench.work / "here.machine.toml"
    cases = [case for case in CASES if case[0] in options.only.split(",")]
    bench.calibrate(here, "--budget", "40s")
    recordings = []
    for program, values, more in cases:
        for p in map(int, options.processes.split(",")):
            line = [bench.example(program), *values.values(), *more]
            size = "-".join(map(str, values.values()))
            recordings.append(
                (
                    program, values, p, line,
                    bench.record(
                        bench.work / f"{program}-{size}-p{p}.recording", values, [*bench.launch(p), *line]
                    ),
                )
            )
    if options.start:
        subprocess.run(options.start, shell=True, check=True)
    if options.machine:
        cluster = pathlib.Path(options.machine).resolve()
    else:
        bench.calibrate(
            cluster, "--launcher", options.launcher, "--processes", ",".join(map(str, calibrated)),
            "--budget", options.budget,
        )
    rows, errors = [], []
    for program, values, p, line, recording in recordings:
        answer = bench.answer(
            "simulate", recording, "-m", cluster, "--recorded-on", here, "--ranks-per-node", 1
        )
        mean = lambda part: statistics.mean(rank[part] for rank in answer["ranks"])
        there = shlex.split(options.launcher.replace("{p}", str(p)))
        measured = sorted(bench.measure([*there, *line]) for _ in range(options.repeats))
        middle = statistics.median(measured)
        errors.append(answer["seconds"] / middle - 1)
        rows.append(
            [
                program, " ".join(map(str, values.values())), p, f"{answer['seconds']:.3f}",
                f"{mean('compute'):.3f}", f"{middle:.3f}", f"{measured[0]:.3f} .. {measured[-1]:.3f}",
                percent(errors[-1]),
            ]
        )
        print("   ".join(map(str, rows[-1])), flush=True)
    print()
    table(
        ["program", "size", "p", "simulated", "of it computing", "measured", "least .. most", "error"], rows
    )
    print(
        summary(errors)
        + f"; {bench.disturbed} of the calibrations and runs were made again because the host took processor"
        " time"
    )


main()
