#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests predicted times of larger problems. Records each example at three small sizes and p in {1, 2},
calibrates this machine, and stores predictions for 4 and 16 times the largest recorded work. Only then it
makes those runs (5 repeats, the points in turn), and prints error and interval hit per point. Run it on an
otherwise idle machine.

The column `control` is the same error of the largest recorded size, run again in turn with the others: the
change of the machine's speed between recording and measuring. `beyond` is the error minus the control: the
error of extrapolation.

    bench/accuracy/times.py [--build build/release] [--machine FILE] [--repeats 5]"""
import statistics

from common import Bench, now, percent, summary, table

# Work grows as N^2 for shallow water (at constant steps) and as N^3 for Gaussian elimination.
CASES = {
    "shallow_water": {"sizes": [192, 256, 384], "targets": [768, 1536], "more": {"steps": 200}},
    "gauss": {"sizes": [400, 600, 800], "targets": [1270, 2016], "more": {}},
}
PROCESSES = [1, 2]


def record_all(bench, program, case, repeats):
    recordings = []
    for repeat in range(repeats):
        for p in PROCESSES:
            for n in case["sizes"]:
                target = bench.work / f"{program}-p{p}-n{n}-{repeat}.recording"
                values = {"N": n, **case["more"]}
                recordings.append(
                    bench.record(target, values, [*bench.launch(p), bench.example(program), *values.values()])
                )
    return recordings


def main():
    bench = Bench(__doc__, [(["--machine"], {"default": None}), (["--repeats"], {"type": int, "default": 5}),
                            (["--recordings"], {"type": int, "default": 2, "help": "per point"})])
    machine = bench.options.machine
    if machine is None:
        machine = bench.work / "here.machine.toml"
        bench.parcast("calibrate", "-o", machine, "--budget", "40s", "--no-store")
    store = bench.work / "parcast.db"
    questions = []
    for program, case in CASES.items():
        model = bench.work / f"{program}.model.json"
        bench.parcast(
            "model", "--store", store, "-o", model,
            *record_all(bench, program, case, bench.options.recordings)
        )
        for n in [*case["targets"], case["sizes"][-1]]:
            for p in PROCESSES:
                values = {"N": n, **case["more"]}
                flags = [word for k, v in values.items() for word in ("-s", f"{k}={v}")]
                questions.append(
                    (
                        program, p, values,
                        bench.answer("predict", model, "-m", machine, "-p", p, *flags, "--store", store),
                    )
                )
    measured = measure_all(bench, questions)
    rows, errors, beyond, hits = [], [], [], 0
    for index, (program, p, values, prediction) in enumerate(questions):
        if values["N"] not in CASES[program]["targets"]:
            continue
        control = next(
            i
            for i, q in enumerate(questions)
            if q[:2] == (program, p) and q[2]["N"] not in CASES[program]["targets"]
        )
        middle, answer = statistics.median(measured[index]), prediction["seconds"]
        error = answer["value"] / middle - 1
        drift = questions[control][3]["seconds"]["value"] / statistics.median(measured[control]) - 1
        hit = answer["low"] <= middle <= answer["high"]
        errors.append(error)
        beyond.append((1 + error) / (1 + drift) - 1)
        hits += hit
        rows.append(
            [
                program, values["N"], p, f"{answer['value']:.4f}",
                f"{answer['low']:.4f} .. {answer['high']:.4f}", f"{middle:.4f}",
                f"{min(measured[index]):.4f} .. {max(measured[index]):.4f}", percent(error),
                "hit" if hit else "miss", percent(drift), percent(beyond[-1]),
            ]
        )
    table(
        [
            "program", "N", "p", "predicted", "90 % interval", "measured", "range", "error", "interval",
            "control", "beyond",
        ],
        rows,
    )
    print(f"{summary(errors)}; intervals hit {hits} of {len(rows)} (nominal 90 %)")
    print(f"beyond the control: {summary(beyond)}")
    print(bench.parcast("validate", "runs.csv", "--store", store))


def measure_all(bench, questions):
    """Seconds of every question's runs, in rounds through all of them, so that a slow phase affects all
    alike."""
    measured = [[] for _ in questions]
    with open(bench.work / "runs.csv", "w") as out:
        out.write("program,N,steps,p,seconds,measured_at\n")
        for _ in range(bench.options.repeats):
            for (program, p, values, _), seconds in zip(questions, measured):
                seconds.append(bench.measure([*bench.launch(p), bench.example(program), *values.values()]))
                out.write(f"{program},{values['N']},{values.get('steps', '')},{p},{seconds[-1]},{now()}\n")
    return measured


main()
