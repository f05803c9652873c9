#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How well are times of larger problems predicted? Records each example at three small sizes and p in {1, 2}, calibrates this
machine, stores predictions for 4 and 16 times the largest recorded work, only then makes those runs (5 repeats), and prints error
and interval hit per point. Run it on an otherwise idle machine.

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
                recordings.append(bench.record(target, values, [*bench.launch(p), bench.example(program), *values.values()]))
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
        bench.parcast("model", "--store", store, "-o", model, *record_all(bench, program, case, bench.options.recordings))
        for n in case["targets"]:
            for p in PROCESSES:
                values = {"N": n, **case["more"]}
                flags = [word for k, v in values.items() for word in ("-s", f"{k}={v}")]
                questions.append((program, p, values, bench.answer("predict", model, "-m", machine, "-p", p, *flags, "--store", store)))
    runs = bench.work / "runs.csv"
    rows, errors, hits = [], [], 0
    with open(runs, "w") as out:
        out.write("program,N,steps,p,seconds,measured_at\n")
        for program, p, values, prediction in questions:
            measured = []
            for _ in range(bench.options.repeats):
                measured.append(bench.measure([*bench.launch(p), bench.example(program), *values.values()]))
                out.write(f"{program},{values['N']},{values.get('steps', '')},{p},{measured[-1]},{now()}\n")
            middle, answer = statistics.median(measured), prediction["seconds"]
            error = answer["value"] / middle - 1
            hit = answer["low"] <= middle <= answer["high"]
            errors.append(error)
            hits += hit
            rows.append([program, values["N"], p, f"{answer['value']:.4f}", f"{answer['low']:.4f} .. {answer['high']:.4f}",
                         f"{middle:.4f}", f"{min(measured):.4f} .. {max(measured):.4f}", percent(error), "hit" if hit else "miss"])
    table(["program", "N", "p", "predicted", "90 % interval", "measured", "range", "error", "interval"], rows)
    print(f"{summary(errors)}; intervals hit {hits} of {len(rows)} (nominal 90 %)")
    print(bench.parcast("validate", runs, "--store", store))


main()
