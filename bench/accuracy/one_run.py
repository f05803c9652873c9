#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Predictions from one small run of a compiled program. Shallow water and Gaussian elimination are compiled
with parcast cc and recorded once per case and process count; the model of that one recording predicts a run
of 16 times the work, which is stored before that run is made. Then the same without the counts:
 of the program as it is built for the other checks, recorded once at the same size. Last, what no prediction
 from a single run can get below on this host: by how much a
run misses the median of the others of the same size.

    bench/accuracy/one_run.py [--build build/release] [--machine FILE] [--repeats 5] [--only gauss]

Files under --work: predicted.csv (before the runs), one_run.csv."""
import os
import pathlib
import statistics
import subprocess

from common import ROOT, Bench, percent, summary, table
from costs import write_table

# Recorded and predicted size, further command-line arguments.
CASES = {
    "shallow_water": ([(96, 384), (128, 512), (192, 768)], lambda n: [n, 100], {"steps": 100}),
    "gauss": ([(240, 605), (320, 806), (440, 1109)], lambda n: [n], {}),
}


def compiled(bench, name):
    """Compiles the example with counters, by the MPI library's own compiler."""
    source = ROOT / "examples" / name
    files = sorted(source.glob("*.c*"))
    plus = any(file.suffix == ".cpp" for file in files)
    target = bench.work / name
    done = subprocess.run(
        [
            "mpicxx" if plus else "mpicc", "-O2", "-g",
            *(["-std=c++20", "-DOMPI_SKIP_MPICXX"] if plus else []), f"-I{ROOT}/include", *map(str, files),
            "-o", str(target), f"-L{bench.build}/src/record", "-lparcast",
            f"-Wl,-rpath,{bench.build}/src/record", "-lm",
        ],
        env={**os.environ, "OMPI_CC": "parcast-cc", "OMPI_CXX": "parcast-cxx"}, capture_output=True,
        text=True,
    )
    if done.returncode:
        raise SystemExit(done.stderr)
    return str(target)


def main():
    bench = Bench(
        __doc__,
        [
            (["--machine"], {"default": None}), (["--repeats"], {"type": int, "default": 5}),
            (["--only"], {"default": ""}),
        ],
    )
    machine = bench.options.machine
    if machine is None:
        machine = bench.work / "here.machine.toml"
        bench.calibrate(machine, "--budget", "30s")
    questions = []
    for name, (sizes, words, more) in CASES.items():
        if bench.options.only not in name:
            continue
        binaries = {"counted": compiled(bench, name), "plain": bench.example(name)}
        for small, large in sizes:
            for p in (1, 2):
                answers = {}
                for kind, binary in binaries.items():
                    recording = bench.record(
                        bench.work / f"{name}-{kind}-{small}-{p}.recording", {"N": small, **more},
                        [*bench.launch(p), binary, *words(small)],
                    )
                    model = bench.work / f"{name}-{kind}-{small}-{p}.model.json"
                    bench.parcast("model", "--no-store", "-o", model, recording)
                    flags = [
                        word
                        for key, value in {"N": large, **more}.items()
                        for word in ("-s", f"{key}={value}")
                    ]
                    answers[kind] = bench.answer(
                        "predict", model, "-m", machine, "-p", p, *flags, "--no-store"
                    )["seconds"]
                questions.append(
                    (name, small, large, p, answers, [*bench.launch(p), binaries["counted"], *words(large)])
                )
    write_table(
        bench.work / "predicted.csv", ["program", "recorded", "N", "p", "counted", "low", "high", "plain"],
        [
            [
                name, small, large, p, repr(a["counted"]["value"]), repr(a["counted"]["low"]),
                repr(a["counted"]["high"]), repr(a["plain"]["value"]),
            ]
            for name, small, large, p, a, _ in questions
        ],
    )
    rows, errors, plain = [], [], []
    runs = [[] for _ in questions]
    for _ in range(bench.options.repeats):
        for i, (*_, line) in enumerate(questions):
            runs[i].append(bench.measure(line))
    hits = 0
    for (name, small, large, p, a, _), seconds in zip(questions, runs):
        measured = statistics.median(seconds)
        errors.append(a["counted"]["value"] / measured - 1)
        plain.append(a["plain"]["value"] / measured - 1)
        hits += a["counted"]["low"] <= measured <= a["counted"]["high"]
        rows.append(
            [
                name, small, large, p, f"{a['counted']['value']:.4f}",
                f"{a['counted']['low']:.4f}..{a['counted']['high']:.4f}", f"{measured:.4f}",
                percent(errors[-1]), percent(plain[-1]),
            ]
        )
    print()
    table(
        ["program", "recorded", "N", "p", "predicted", "90 %", "measured", "error", "without the pass"], rows
    )
    write_table(
        bench.work / "one_run.csv",
        ["program", "recorded", "N", "p", "predicted", "interval", "measured", "error", "plain"], rows,
    )
    print(f"one small run of the compiled program: {summary(errors)}; in the interval {hits} of {len(rows)}")
    print(f"without the pass: {summary(plain)}")
    if bench.options.repeats > 1:
        by_others = [
            run / statistics.median(seconds[:k] + seconds[k + 1:]) - 1
            for seconds in runs
            for k, run in enumerate(seconds)
        ]
        print(f"a run by the others of its size: {summary(by_others)}")


if __name__ == "__main__":
    main()
