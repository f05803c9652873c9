#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""By how much one disturbed recording moves answers. Records two examples at many points, and some of these
points once more while a loop runs on each core. Models of all recordings are made without and with each
disturbed one in place of the quiet one of its point, and asked at recorded and at larger points.

    bench/accuracy/disturbed.py [--build build/release]"""
import contextlib
import itertools
import os
import re
import statistics
import subprocess

from common import Bench, percent, table

PROGRAMS = {  # program: sizes, points to disturb, points to ask at
    "shallow_water": {
        "sizes": {"N": [192, 256, 320, 384, 448, 512], "steps": [50, 100]},
        "disturbed": [
            (2, {"N": 384, "steps": 100}), (1, {"N": 512, "steps": 100}), (2, {"N": 192, "steps": 50}),
        ],
        "asked": [
            (1, {"N": 512, "steps": 100}), (2, {"N": 384, "steps": 100}), (2, {"N": 1024, "steps": 200}),
            (4, {"N": 1024, "steps": 200}), (16, {"N": 2048, "steps": 200}),
        ],
    },
    "gauss": {
        "sizes": {"N": [200, 250, 300, 350, 400, 450, 500, 550, 600, 650, 700, 750]},
        "disturbed": [(2, {"N": 400}), (1, {"N": 750}), (2, {"N": 750})],
        "asked": [(1, {"N": 750}), (2, {"N": 400}), (2, {"N": 1500}), (4, {"N": 1500}), (16, {"N": 3000})],
    },
}


@contextlib.contextmanager
def busy_cores():
    """A loop on each core, as another user would run it."""
    loops = [
        subprocess.Popen(["sh", "-c", "while :; do :; done"]) for _ in range(os.cpu_count() or 1)
    ]
    try:
        yield
    finally:
        for loop in loops:
            loop.terminate()
            loop.wait()


def name_of(p, values):
    return "p=" + str(p) + "".join(f",{name}={value}" for name, value in values.items())


def disturbances(notes):
    """Returns the sentences on disturbed recordings."""
    return {line for line in notes.splitlines() if re.search(r"off the processor|disturbed|slowed", line)}


def main():
    bench = Bench(__doc__)
    bench.calibrate(bench.work / "here.machine.toml", "--budget", "60s")
    rows, moves = [], []
    for program, of in PROGRAMS.items():
        points = [
            (p, dict(zip(of["sizes"], chosen)))
            for chosen in itertools.product(*of["sizes"].values())
            for p in (1, 2)
        ]

        def record(name, p, values):
            target = bench.work / f"{program}-{name}.recording"
            words = [*bench.launch(p), bench.example(program), *map(str, values.values())]
            return bench.record(target, values, words)

        quiet = {name_of(*point): record(name_of(*point), *point) for point in points}
        with busy_cores():
            busy = {name_of(*at): record("busy-" + name_of(*at), *at) for at in of["disturbed"]}

        def answers(recordings):
            model = bench.work / f"{program}.model.json"
            said = bench.parcast("model", *recordings.values(), "--no-store", "--notes", "-o", model)
            seconds = []
            for p, values in of["asked"]:
                sizes = [word for name, value in values.items() for word in ("-s", f"{name}={value}")]
                asked = ["-m", bench.work / "here.machine.toml", "-p", p, *sizes, "--no-store"]
                answer = bench.answer("predict", model, *asked)
                seconds.append(answer["seconds"]["value"])
            return seconds, said

        before, quiet_notes = answers(quiet)
        for name, recording in busy.items():
            after, notes = answers({**quiet, name: recording})
            named = disturbances(notes) - disturbances(quiet_notes)
            for point, old, new in zip(of["asked"], before, after):
                moves.append(abs(new / old - 1))
                moved = [f"{old:.3g}", percent(new / old - 1), "yes" if named else "no"]
                rows.append([program, name, name_of(*point), *moved])
    table(["program", "disturbed", "asked", "seconds without", "moved", "named"], rows)
    median, largest = percent(statistics.median(moves)), percent(max(moves))
    print(f"\n{len(moves)} answers: median {median}, largest {largest}")


if __name__ == "__main__":
    main()
