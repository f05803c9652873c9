#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Does a memory that does not suffice show where equation (3) of docs/models/memory.md predicts it? sweeps.c
touches every page of an array that grows from size to size, in a control group with a limited memory. From a
few small sizes `parcast regress --linearise` predicts, before the others are measured, from which size on the
memory of a node is exceeded (memory_per_node = the limit); the measured knee is the first size from which on
a touch takes --slowdown times what it takes below. Right if they lie within one size step. Then the costs of
a touch and of a page fault by all runs, against the faults that the group counted.

    bench/accuracy/paging_knee.py [--build build/release] [--limit 48] [--step 1.06] [--slowdown 10] [--rounds
    3] [--timeout 60]

--limit is in MiB. Needs root, control groups of version 1 for memory, and swap or space for a swap file
(control_groups.py)."""
import csv
import pathlib
import signal
import statistics
import subprocess
import sys

from common import Bench, table
from control_groups import Groups, Swap

HERE = pathlib.Path(__file__).resolve().parent
PAGE = 4096
SMALL = (0.25, 0.35, 0.45, 0.55)  # parts of the limit: sizes measured before the prediction
FROM, TO = 0.75, 1.35
WRAPPER = 'echo $$ >"$0/rank0/cgroup.procs" && exec "$@"'
MACHINE = """name = "limited"
description = "a control group"
memory_per_node = "{limit}B"

[[memory]]
name = "L1"
capacity = "32KiB"
"""


class Experiment:
    def __init__(self, bench, groups, limit):
        self.bench, self.groups, self.limit = bench, groups, limit
        self.sweeps = bench.work / "sweeps"
        subprocess.run(["cc", "-O2", "-o", self.sweeps, HERE / "sweeps.c"], check=True)
        (bench.work / "limited.machine.toml").write_text(MACHINE.format(limit=limit))

    def run(self, pages):
        """Returns the shortest of a few runs, or the only one of a long run. Other processes disturb runs of
        a few milliseconds strongly."""
        best = self.once(pages)
        for _ in range(4):
            if not best or best[0] > 0.5:
                break
            best = min(best, self.once(pages) or best)
        return best

    def once(self, pages):
        """Returns the seconds of all touches, and the pages that the group read back. Returns None if the run
        exceeded the timeout or the kernel killed it."""
        self.groups.begin(self.limit)
        line = [
            "sh", "-c", WRAPPER, self.groups.top, self.sweeps, "touch", pages * PAGE // 8,
            self.bench.options.rounds,
        ]
        try:
            done = subprocess.run(
                list(map(str, line)), capture_output=True, text=True, timeout=self.bench.options.timeout
            )
        except subprocess.TimeoutExpired:
            return None
        if done.returncode < 0:
            return None
        if done.returncode:
            sys.exit(f"paging_knee.py: {pages} pages: {done.stderr}")
        return float(done.stdout.split()[1]), self.groups.counted(1)[1]

    def write(self, name, rows):
        with open(self.bench.work / name, "w", newline="") as out:
            writer = csv.writer(out, lineterminator="\n")
            writer.writerow(["program", "pages", "seconds", "touches", "footprint_a", "traffic_a"])
            for pages, seconds in rows:
                touches = pages * self.bench.options.rounds
                writer.writerow(
                    [
                        "touch", pages, "" if seconds is None else repr(seconds), touches, pages * PAGE,
                        touches * PAGE,
                    ]
                )
        return name

    def regress(self, fitted, *more):
        return self.bench.answer(
            "regress", self.write("fitted.csv", fitted), "--counts", "touches", "--linearise",
            "limited.machine.toml", "--plain", "--quick", *more
        )


def sizes(options, limit):
    out, size = [], FROM
    while size <= TO:
        out.append(round(size * limit / PAGE))
        size *= options.step
    return out


def measure(bench, experiment, limit):
    small = [(round(part * limit / PAGE), experiment.run(round(part * limit / PAGE))[0]) for part in SMALL]
    asked = sizes(bench.options, limit)
    answer = experiment.regress(
        small, "--predict", experiment.write("asked.csv", [(pages, None) for pages in asked])
    )
    exceeded = [each["memory_exceeded"] for each in answer["predictions"]]
    predicted = exceeded.index(True)
    print(
        (
            f"limit {limit / 2**20:.0f} MiB; predicted: memory is exceeded from"
            f" {asked[predicted] * PAGE / 2**20:.1f} MiB on"
        ),
        flush=True,
    )
    runs = [experiment.run(pages) for pages in asked]
    each = [None if run is None else run[0] / pages / bench.options.rounds for pages, run in zip(asked, runs)]
    usual = statistics.median(seconds / pages / bench.options.rounds for pages, seconds in small)
    slow = [value is None or value > bench.options.slowdown * usual for value in each]
    knee = next((i for i in range(len(slow)) if all(slow[i:])), None)
    faults = [
        each["arrays"]["a"]["traffic"] / PAGE if each["memory_exceeded"] else 0
        for each in answer["predictions"]
    ]
    table(
        ["MiB", "us per touch", "faults counted", "by (3)", ""],
        [
            [
                f"{pages * PAGE / 2**20:.1f}", "-" if value is None else f"{1e6 * value:.3f}",
                "-" if run is None else run[1], f"{expected:.0f}",
                ("<- predicted " if i == predicted else "") + ("<- measured" if i == knee else ""),
            ]
            for i, (pages, value, run, expected) in enumerate(zip(asked, each, runs, faults))
        ],
    )
    if knee is None:
        print("no knee was measured: touches took no longer to the end")
        return False
    print(
        f"measured: a touch takes {bench.options.slowdown:g} times {1e6 * usual:.3f} us and more from"
        f" {asked[knee] * PAGE / 2**20:.1f} MiB on; {abs(knee - predicted)} steps of"
        f" {100 * (bench.options.step - 1):.0f} % apart"
    )
    fit = experiment.regress([*small, *((pages, run[0]) for pages, run in zip(asked, runs) if run)])
    print(
        "costs by all runs: "
        + ", ".join(
            f"{cost['name']} {1e6 * cost['value']:.3f} +- {1e6 * (cost['standard_error'] or 0):.3f} us"
            for cost in fit["costs"]
        )
    )
    return abs(knee - predicted) <= 1


def main():
    bench = Bench(
        __doc__,
        [
            (["--limit"], {"type": int, "default": 48}), (["--step"], {"type": float, "default": 1.06}),
            (["--slowdown"], {"type": float, "default": 10}), (["--rounds"], {"type": int, "default": 3}),
            (["--timeout"], {"type": float, "default": 60}),
        ],
    )
    for stop in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(stop, lambda *_: sys.exit("paging_knee.py: ended from outside"))
    groups, swap, limit = Groups(1), None, bench.options.limit * 2**20
    try:
        swap = Swap(bench.work)
        right = measure(bench, Experiment(bench, groups, limit), limit)
        print(
            "the knee lies where it was predicted"
            if right
            else "the knee does NOT lie where it was predicted"
        )
        return 0 if right else 1
    finally:
        groups.end(whole=True)
        if swap:
            swap.end()


if __name__ == "__main__":
    sys.exit(main())
