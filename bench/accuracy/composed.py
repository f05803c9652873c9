#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares a model composed through an intermediate variable with one fitted to times alone (J. Lemeire, E.
Dirkx 2004). The program is the matrix multiplication of examples/matmul, on a cluster with its own launcher.
The models use runs on up to 8 processes:

    direct     T(n, p)                             fitted to the times, in n and p
    composed   n, p -> operations, quantums, exchanges -> T
                                                   the work of a process, the data it receives and the number
                                                   of exchanges, counted by the phases of small runs here
                                                   (counts are equal on any machine), and the times fitted in
                                                   those that vary

Both predict runs on more than 8 processes, which neither model used.

    bench/accuracy/composed.py --launcher 'srun -n {p}' [--build build/release] [--repeats 3] [--times
    FILE]"""
import csv
import pathlib
import shlex
import statistics

from common import Bench, percent, summary, table

ALGORITHMS = ["cannon", "broadcast"]
SIZES = [200, 300, 400, 600]
MEASURED, HELD_OUT = [1, 2, 3, 4, 5, 6, 7, 8], [9, 10, 12, 14, 15, 16]
COUNTED = 48  # n of the small runs whose operations are counted


def counts_of(bench, algorithm, p):
    """Returns, summed over all processes: operations over n^3, quantums over n^2, and executions of
    communication."""
    recording = bench.record(
        bench.work / f"{algorithm}-p{p}.recording", {"n": COUNTED},
        [*bench.launch(p), bench.example("matmul"), COUNTED, algorithm],
    )
    phases = bench.answer("show", recording)["phases"]
    total = lambda name, kind: sum(phase[name] for phase in phases if phase["kind"] == kind)
    return (
        total("operations", "computation") / COUNTED**3, total("quantums", "communication") / COUNTED**2,
        total("executions", "communication"),
    )


def measured_times(bench):
    """Returns {(algorithm, n, p): seconds}, read from the file of an earlier run if it exists."""
    path = pathlib.Path(bench.options.times or bench.work / "times.csv")
    if not path.exists():
        rows = [["algorithm", "n", "p", "seconds"]]
        for n in SIZES:
            for p in MEASURED + HELD_OUT:
                for algorithm in ALGORITHMS:
                    line = [
                        *shlex.split(bench.options.launcher.replace("{p}", str(p))), bench.example("matmul"),
                        n, algorithm, "unchecked",
                    ]
                    rows += [[algorithm, n, p, bench.measure(line)] for _ in range(bench.options.repeats)]
        with open(path, "w") as file:
            csv.writer(file).writerows(rows)
    times = {}
    with open(path) as file:
        for row in csv.DictReader(file):
            times.setdefault((row["algorithm"], int(row["n"]), int(row["p"])), []).append(
                float(row["seconds"])
            )
    return times


def predictions(bench, name, parameters, times, coordinates):
    """Fits the times of MEASURED in the parameters that coordinates(n, p) returns, and predicts HELD_OUT."""
    path = bench.work / f"{name}.csv"
    with open(path, "w") as file:
        out = csv.writer(file)
        out.writerow([*parameters, "seconds"])
        for (n, p), values in times.items():
            if p in MEASURED:
                out.writerows([*coordinates(n, p), value] for value in values)
    answers = {}
    for n in SIZES:
        for p in HELD_OUT:
            at = ",".join(f"{key}={value!r}" for key, value in zip(parameters, coordinates(n, p)))
            kernel = bench.answer("fit", path, "--parameters", ",".join(parameters), "--predict", at)[
                "kernels"
            ][0]
            answers[n, p] = kernel["predictions"][0]
    return answers


def main():
    bench = Bench(
        __doc__,
        [
            (["--launcher"], {"required": True}), (["--repeats"], {"type": int, "default": 3}),
            (["--times"], {"default": None, "help": "CSV of times, written where it does not exist"}),
        ],
    )
    all_times = measured_times(bench)
    rows, errors, hits = [], {"direct": [], "composed": []}, {"direct": 0, "composed": 0}
    for algorithm in ALGORITHMS:
        times = {(n, p): values for (of, n, p), values in all_times.items() if of == algorithm}
        counted = {p: counts_of(bench, algorithm, p) for p in MEASURED + HELD_OUT}
        per_process = lambda n, p: (counted[p][0] * n**3 / p, counted[p][1] * n**2 / p, counted[p][2] / p)
        # no run or one run of an allgather has no information
        varying = 3 if len({counted[p][2] / p for p in MEASURED}) > 2 else 2
        both = {
            "direct": predictions(bench, f"{algorithm}-direct", ["n", "p"], times, lambda n, p: (n, p)),
            "composed": predictions(
                bench, f"{algorithm}-composed", ["operations", "quantums", "exchanges"][:varying], times,
                lambda n, p: per_process(n, p)[:varying],
            ),
        }
        for n in SIZES:
            for p in HELD_OUT:
                seen = statistics.median(times[n, p])
                row = [algorithm, n, p, f"{per_process(n, p)[1]:.0f}", f"{seen:.3f}"]
                for way, answers in both.items():
                    answer = answers[n, p]
                    errors[way].append(answer["value"] / seen - 1)
                    hits[way] += answer["low"] <= seen <= answer["high"]
                    row += [f"{answer['value']:.3f}", percent(errors[way][-1])]
                rows.append(row)
    table(["algorithm", "n", "p", "quantums", "measured", "direct", "error", "composed", "error"], rows)
    for way in errors:
        print(f"{way}: {summary(errors[way])}; 90 % intervals hit {hits[way]} of {len(rows)}")


main()
