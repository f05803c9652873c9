#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A program written by hand against recordings of what it describes: shallow water's calls, messages and
bytes, and its seconds as the engine interpret has them of both.

    bench/accuracy/written_model.py [--build build/release] [--processes 2] [--machine X.machine.toml]

One recording gives the seconds of a grid point and step, which replace the costs in the text; the others are
of other sizes. Prints messages and bytes of both, and the difference of the written program's seconds from
those of the recording."""
import re
import shutil

from common import ROOT, Bench, percent, summary, table

FIRST, OTHERS, STEPS = 192, [128, 160, 256, 320], 400


def of_whole(answer):
    whole = answer["units"][0]["sum"]
    seconds = answer["seconds"]
    return {
        "messages": whole["messages"], "bytes": whole["bytes"], "compute": whole["compute"] / 1e12,
        "seconds": seconds["value"] if isinstance(seconds, dict) else seconds,
    }


def main():
    bench = Bench(
        __doc__,
        [(["--processes"], {"default": "2"}), (["--machine"], {}), (["--budget"], {"default": "40s"})],
    )
    machine = bench.options.machine
    if not machine:
        machine = bench.work / "here.machine.toml"
        bench.calibrate(machine, "--budget", bench.options.budget)
    text = (ROOT / "examples/shallow_water/shallow_water.program").read_text()
    rows, errors = [], []
    for p in map(int, bench.options.processes.split(",")):
        def recorded(size, name):
            target = bench.work / f"{name}.recording"

            def once():
                shutil.rmtree(target, ignore_errors=True)
                return bench.record(
                    target, {"N": size, "steps": STEPS},
                    [*bench.launch(p), bench.example("shallow_water"), size, STEPS],
                )

            return of_whole(bench.answer("interpret", bench.undisturbed(once), "-m", machine, "--depth", "0"))

        first = recorded(FIRST, f"first-{p}")
        # 11 parts and, once at the beginning, 60 parts of a point's work: all scaled alike.
        part = first["compute"] / p / (FIRST * FIRST / p * (11 * STEPS + 60))
        program = bench.work / "shallow_water.program"
        program.write_text(
            re.sub(
                r"compute (\d+)\*points ns",
                lambda found: f"compute {float(found[1]) * part * 1e9:.6g}*points ns", text,
            )
        )
        for size in OTHERS:
            seen = recorded(size, f"other-{p}-{size}")
            predicted = of_whole(
                bench.answer(
                    "interpret", program, "-m", machine, "-p", p, "-s", f"N={size}", "-s", f"steps={STEPS}",
                    "--depth", "0",
                )
            )
            errors.append(predicted["seconds"] / seen["seconds"] - 1)
            rows.append(
                [
                    p, size, seen["messages"], predicted["messages"], seen["bytes"], predicted["bytes"],
                    f"{seen['seconds']:.5f}", f"{predicted['seconds']:.5f}", percent(errors[-1]),
                ]
            )
    table(["p", "N", "messages", "written", "bytes", "written", "seconds", "written", "difference"], rows)
    print(summary(errors))


main()
