#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests prediction on a cluster with its own launcher. The script calibrates the cluster through the launcher
and records both examples there at p <= 4. It predicts p = 8 and 16, measures, and prints the errors.

    bench/accuracy/cluster.py --launcher 'srun -n {p}' [--build build/release] [--repeats 5]"""
import shlex
import statistics

from common import Bench, percent, summary, table

CASES = {
    "shallow_water": {"sizes": [64, 96, 128], "target": 192, "more": {"steps": 100}},
    "gauss": {"sizes": [100, 150, 200], "target": 300, "more": {}},
}
RECORDED = [1, 2, 3, 4]
PREDICTED = [8, 16]


def main():
    bench = Bench(
        __doc__,
        [
            (["--launcher"], {"required": True}), (["--repeats"], {"type": int, "default": 5}),
            (["--budget"], {"default": "180s"}), (["--processes"], {"default": "1,2,4,8,16"}),
        ],
    )

    def launch(p):
        return shlex.split(bench.options.launcher.replace("{p}", str(p)))

    machine, store = bench.work / "cluster.machine.toml", bench.work / "parcast.db"
    print(
        bench.parcast(
            "calibrate", "-o", machine, "--launcher", bench.options.launcher, "--processes",
            bench.options.processes, "--budget", bench.options.budget, "--store", store,
        )
    )
    questions = []
    for program, case in CASES.items():
        recordings = []
        for p in RECORDED:
            for n in case["sizes"]:
                values = {"N": n, **case["more"]}
                recordings.append(bench.record(bench.work / f"{program}-p{p}-n{n}.recording", values,
                                               [*launch(p), bench.example(program), *values.values()]))
        model = bench.work / f"{program}.model.json"
        bench.parcast("model", "--store", store, "-o", model, *recordings)
        for n in (case["sizes"][-1], case["target"]):
            for p in PREDICTED:
                values = {"N": n, **case["more"]}
                flags = [word for k, v in values.items() for word in ("-s", f"{k}={v}")]
                questions.append(
                    (
                        program, p, values,
                        bench.answer(
                            "predict", model, "-m", machine, "-p", p, "--ranks-per-node", 1, *flags,
                            "--store", store
                        ),
                    )
                )
    rows, errors, hits = [], [], 0
    for program, p, values, prediction in questions:
        measured = [
            bench.measure([*launch(p), bench.example(program), *values.values()])
            for _ in range(bench.options.repeats)
        ]
        middle, answer = statistics.median(measured), prediction["seconds"]
        errors.append(answer["value"] / middle - 1)
        hit = answer["low"] <= middle <= answer["high"]
        hits += hit
        rows.append(
            [
                program, values["N"], p, f"{answer['value']:.3f}",
                f"{answer['low']:.3f} .. {answer['high']:.3f}", f"{middle:.3f}", percent(errors[-1]),
                "hit" if hit else "miss",
            ]
        )
    table(["program", "N", "p", "predicted", "90 % interval", "measured", "error", "interval"], rows)
    print(f"{summary(errors)}; intervals hit {hits} of {len(rows)} (nominal 90 %)")


main()
