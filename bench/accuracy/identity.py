#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Does a model give back the time of runs like those it was made from, and does the replay of a recording give back its run? Models each
example from recordings at p = 2, predicts the recorded size on this machine, simulates each recording on it (the median stands), and compares
with fresh runs made without the recorder. Recordings and fresh runs alternate, so that both see the same machine; none of the
fresh runs is in the model.

    bench/accuracy/identity.py [--build build/release] [--machine FILE] [--runs 20]"""
import statistics

from common import Bench, percent, table

CASES = {  # program, sizes: the first two cache-resident, the last memory-bound
    "shallow_water 256": ("shallow_water", {"N": 256, "steps": 2500}),
    "gauss 1600": ("gauss", {"N": 1600}),
    "shallow_water 2048 (memory-bound)": ("shallow_water", {"N": 2048, "steps": 40}),
}


def main():
    bench = Bench(__doc__, [(["--machine"], {"default": None}), (["--runs"], {"type": int, "default": 20})])
    machine = bench.options.machine
    if machine is None:
        machine = bench.work / "here.machine.toml"
        bench.parcast("calibrate", "-o", machine, "--budget", "40s", "--no-store")
    rows = []
    for index, (label, (program, values)) in enumerate(CASES.items()):
        line = [*bench.launch(2), bench.example(program), *values.values()]
        fresh, recordings = [], []
        for run in range(bench.options.runs):
            if run % 2 == 0:
                recordings.append(bench.record(bench.work / f"{index}-{run}.recording", values, line))
            fresh.append(bench.measure(line))
        model = bench.work / f"{index}.model.json"
        bench.parcast("model", "--no-store", "-o", model, *recordings)
        flags = [word for k, v in values.items() for word in ("-s", f"{k}={v}")]
        answer = bench.answer("predict", model, "-m", machine, "-p", 2, *flags, "--no-store")["seconds"]["value"]
        simulated = statistics.median(bench.answer("simulate", recording, "-m", machine)["seconds"] for recording in recordings)
        middle = statistics.median(fresh)
        spread = (sorted(fresh)[int(0.75 * len(fresh))] - sorted(fresh)[int(0.25 * len(fresh))]) / middle
        rows.append([label, f"{answer:.4f}", f"{simulated:.4f}", f"{middle:.4f}", f"{100 * spread:.1f} %", percent(answer / middle - 1), percent(simulated / middle - 1)])
    table(["case", "predicted", "simulated", "median of fresh runs", "interquartile range", "error", "of the simulation"], rows)


main()
