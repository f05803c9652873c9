#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The two applications of Parashar, Hariri, Haupt and Fox (1993, section 3), trapezoidal rule and e*, as a
host and its nodes. The script first interprets all sizes and process counts of the grid, from the programs
written by hand, and measures them afterwards.

    bench/accuracy/host_node.py [--build build/release] [--launcher 'srun -n {p}'] [--processes 2] [--repeats
    5] [--seconds 0.4] [--machine X.machine.toml] [--only estar]

What one piece of work takes is measured first, by runs of a size that is not in the grid, with a host and one
node: the difference of two such runs divided by the work between them; it takes the place of the cost that
the program's text has. Each point repeats its work until it is predicted to take --seconds (a machine whose
shares of time are short wants longer runs). Prints predicted and measured seconds on the host (the program's
own clock) of each point, and the errors. Sizes of e* stay below 708, from where on exp(-|i - j|) is too small
for a number and takes twice as long: a cost that the text would have to contain."""
import re
import shlex
import statistics
import time

from common import ROOT, Bench, percent, summary, table

# Sizes of the grid, small sizes for measuring the cost, and the number of pieces of work at a size.
APPLICATIONS = {
    "trapezoid": {
        "sizes": [{"N": n} for n in (200000, 500000, 1000000, 2000000, 4000000)],
        "small": [{"N": 100000}, {"N": 300000}], "work": lambda v: v["N"] - 1,
    },
    "estar": {
        "sizes": [{"n": n, "m": m} for n, m in ((100, 500), (200, 500), (400, 500), (600, 500), (700, 700))],
        "small": [{"n": 150, "m": 400}, {"n": 450, "m": 400}], "work": lambda v: v["n"] * v["m"],
    },
}


def seconds_of(bench, launch, p, name, values, times):
    return bench.measure([*launch(p), bench.example(name), *values.values(), times])


def repeats_for(seconds, of_one):
    """Returns how many repetitions of a piece of `of_one` seconds take `seconds`."""
    return max(1, round(seconds / of_one))


def with_cost(bench, name, cost, error):
    """Writes the program's text with the measured cost of a piece of work and returns its path."""
    text = (ROOT / "examples" / name / f"{name}.program").read_text()
    text, changed = re.subn(
        r"compute \S+ ns \+- \S+ %", f"compute {cost * 1e9:.6g} ns +- {100 * error:.3g} %", text
    )
    assert changed == 1, f"{name}.program has {changed} costs"
    target = bench.work / f"{name}.program"
    target.write_text(text)
    return target


def main():
    bench = Bench(
        __doc__,
        [
            (["--launcher"], {"default": "mpirun --oversubscribe --bind-to core -n {p}"}),
            (["--processes"], {"default": "2"}), (["--repeats"], {"type": int, "default": 5}),
            (["--seconds"], {"type": float, "default": 0.4}), (["--machine"], {}),
            (["--only"], {"choices": list(APPLICATIONS)}), (["--budget"], {"default": "60s"}),
        ],
    )

    def launch(p):
        return shlex.split(bench.options.launcher.replace("{p}", str(p)))

    processes = [int(p) for p in bench.options.processes.split(",")]
    machine = bench.options.machine
    if not machine:
        machine = bench.work / "here.machine.toml"
        bench.calibrate(
            machine, "--launcher", bench.options.launcher, "--budget", bench.options.budget, "--processes",
            ",".join(map(str, processes)),
        )
    questions = []
    for name, application in APPLICATIONS.items():
        if bench.options.only not in (None, name):
            continue
        small, work = application["small"], application["work"]
        rough = seconds_of(bench, launch, 2, name, small[1], 10) / 10
        times = repeats_for(bench.options.seconds, rough)
        costs = []
        for _ in range(bench.options.repeats):
            short, long = (seconds_of(bench, launch, 2, name, values, times) for values in small)
            costs.append((long - short) / times / (work(small[1]) - work(small[0])))
        cost, error = statistics.median(costs), statistics.stdev(costs) / len(
            costs
        ) ** 0.5 / statistics.median(costs)
        print(f"{name}: {cost * 1e9:.4g} ns for a piece of work, standard error {percent(error)}")
        program = with_cost(bench, name, cost, error)
        began = time.monotonic()
        for values in application["sizes"]:
            for p in processes:
                def interpreted(times):
                    given = [
                        word
                        for key, value in {**values, "times": times}.items()
                        for word in ("-s", f"{key}={value}")
                    ]
                    return bench.answer("interpret", program, "-m", machine, "-p", p, *given)["seconds"]
                times = repeats_for(bench.options.seconds, interpreted(10)["value"] / 10)
                questions.append((name, values, p, times, interpreted(times)))
        print(
            f"{name}: {len(application['sizes']) * len(processes)} points interpreted, each twice, in"
            f" {time.monotonic() - began:.2f} s"
        )
    rows, errors, held = [], [], 0
    for name, values, p, times, predicted in questions:
        measured = statistics.median(
            seconds_of(bench, launch, p, name, values, times) for _ in range(bench.options.repeats)
        )
        error = predicted["value"] / measured - 1
        errors.append(error)
        held += predicted["low"] <= measured <= predicted["high"]
        rows.append(
            [
                name, ", ".join(f"{k} = {v}" for k, v in {**values, "times": times}.items()),
                f"host + {p - 1}", f"{predicted['value']:.4f}",
                f"{predicted['low']:.4f} .. {predicted['high']:.4f}", f"{measured:.4f}", percent(error),
            ]
        )
    table(["application", "size", "processes", "predicted, s", "interval", "measured", "error"], rows)
    print(summary(errors))
    print(f"worst {percent(max(errors, key=abs))}; intervals hold {held} of {len(rows)}")


main()
