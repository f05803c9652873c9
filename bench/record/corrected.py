#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures the cost of recording for a program that makes about 100,000 MPI calls a second on each rank.
Tests whether the recording's time minus its stated overhead is the time of the program alone.

    bench/record/corrected.py [--build build/release] [--mpi open_mpi|mpich] [--pairs 24] [--seconds 2]
    [--rate 100000]

Runs of corrected.c in pairs, one recorded and one not, in changing order. Slowdown: by the program's own
clock, the median over the pairs with its 95 % interval by order statistics, and the shortest against the
shortest. Corrected time: the recording's wall time less the seconds that it states to have taken (overhead
per event, measured at its start, and the time spent on blocks and folding), against the median of the
unrecorded runs; the interval is that of the median over pairs. The last line gives the cost of an event for
the host, and the one that the recordings state."""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

from medians import interval

HERE = pathlib.Path(__file__).resolve().parent
FAMILIES = {
    "open_mpi": ("mpicc", ["mpirun", "--oversubscribe", "-n"]),
    "mpich": ("mpicc.mpich", ["mpirun.mpich", "-n"]),
}


def parse():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path("build/release"))
    parser.add_argument("--mpi", choices=list(FAMILIES), default="open_mpi")
    parser.add_argument("--pairs", type=int, default=24)
    parser.add_argument("--seconds", type=float, default=2, help="of a run")
    parser.add_argument("--rate", type=float, default=1e5, help="calls per second and rank")
    parser.add_argument("--processes", type=int, default=2)
    options = parser.parse_args()
    if options.pairs < 6:
        parser.error("an interval of 95 % needs 6 pairs")
    return options


def run(line):
    environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    return subprocess.run(
        [str(word) for word in line], capture_output=True, text=True, check=True, env=environment
    )


def plain(launch, iterations, work):
    """Returns seconds, and calls per second."""
    return tuple(float(word) for word in run([*launch, iterations, work]).stdout.split())


def recorded(parcast, folder, launch, iterations, work):
    """Returns the seconds by the program; by the recording; events of its slowest rank, and the stated
    seconds of overhead per rank."""
    recording = folder / "one.recording"
    run(["rm", "-rf", recording])
    done = run(
        [parcast, "record", "-q", "--no-store", "--json", "-o", recording, "--", *launch, iterations, work]
    )
    said = json.loads(done.stderr.splitlines()[-1])
    if not said["complete"]:
        sys.exit(f"the recording is not complete: {said['problems']}")
    counts = json.loads(run([parcast, "show", recording, "--counts", "--json"]).stdout)
    slowest = max(counts["ranks"], key=lambda rank: rank["seconds"])
    events = slowest["events"]
    return float(done.stdout.split()[0]), slowest["seconds"], events, slowest["recording_seconds"] / events


def tune(launch, seconds, rate):
    """Returns iterations and steps of work for that rate and length."""
    calls, work = 4, 1000
    alone = plain(launch, 2000, 0)[0] / 2000
    for _ in range(3):
        with_work = plain(launch, 2000, work)[0] / 2000
        per_step = max(with_work - alone, 1e-9) / work
        work = max(1, int((calls / rate - alone) / per_step))
    return int(seconds * rate / calls), work


def percent(value):
    return f"{100 * value:+.2f} %"


def line(name, values, more=""):
    low, high = interval(values)
    print(f"  {name:<46}{percent(statistics.median(values)):>9}   {percent(low)} .. {percent(high)}{more}")


def main():
    options = parse()
    compiler, launcher = FAMILIES[options.mpi]
    parcast = options.build.resolve() / "bin/parcast"
    with tempfile.TemporaryDirectory(prefix="parcast-corrected.") as name:
        folder = pathlib.Path(name)
        run([compiler, "-O2", "-o", folder / "corrected", HERE / "corrected.c"])
        launch = [*launcher, options.processes, folder / "corrected"]
        size = tune(launch, options.seconds, options.rate)
        alone, rates, with_recorder = [], [], []
        for i in range(options.pairs):
            for which in ("alone", "recorded") if i % 2 else ("recorded", "alone"):
                if which == "recorded":
                    with_recorder.append(recorded(parcast, folder, launch, *size))
                else:
                    seconds, rate = plain(launch, *size)
                    alone.append(seconds)
                    rates.append(rate)
            if sys.stderr.isatty():
                print(f"\r{i + 1} of {options.pairs}", end="", file=sys.stderr)
    own, walls, events, costs = zip(*with_recorder)
    middle = statistics.median(alone)
    corrected = [wall - n * cost for wall, n, cost in zip(walls, events, costs)]
    quartiles = statistics.quantiles(alone)
    print(f"{options.mpi}, {options.processes} processes, {options.pairs} pairs: alone {middle:.3f} s "
          f"(quartiles {percent(quartiles[0] / middle - 1)} {percent(quartiles[2] / middle - 1)}), "
          f"{statistics.median(rates):,.0f} calls per second and rank")
    line("slowdown of the host, paired", [r / a - 1 for r, a in zip(own, alone)], "   goal 1 %")
    print(f"  {'slowdown, shortest against shortest':<46}{percent(min(own) / min(alone) - 1):>9}")
    line("recorded time against the median alone", [wall / middle - 1 for wall in walls])
    line("corrected time against the median alone", [c / middle - 1 for c in corrected], "   goal 2 %")
    print(f"  {'corrected, shortest against shortest':<46}{percent(min(corrected) / min(alone) - 1):>9}")
    added = [
        (statistics.median(own) - middle) / statistics.median(events),
        (min(own) - min(alone)) / statistics.median(events),
    ]
    print(f"  an event cost {1e9 * added[0]:.0f} ns by the medians, {1e9 * added[1]:.0f} ns by the shortest; "
          f"the recordings state {1e9 * min(costs):.0f} to {1e9 * max(costs):.0f} ns")
    return 0


sys.exit(main())
