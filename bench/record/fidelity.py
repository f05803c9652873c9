#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares a recording's computing times with those of dedicated cores, when processes outnumber cores. The
work per rank is constant: in the first caches, in the second, out of memory, and in tiny pieces between small
messages. The times come from the wall clock, and from recordings without the baton (off), with it for every
segment (always) and for the segments that gain by it (auto, the default). Also measures how much longer the
program's rounds took with the baton than without.

One program alternates between as many ranks as cores, each on its own (dedicated), and all ranks; who waits,
sleeps. The kinds of baton alternate too, in turning order. The time of a round is the median of its pieces
that the recorder does not call disturbed (of all where fewer than five are left), as models take them, each
by the yardsticks around it: the same arithmetic in the first cache, which shows how much of the core the
machine's other guests left just then; pieces between two disturbed yardsticks are left out. Deviations are
from the dedicated ranks, and only of rounds in which the machine itself was the same: on every core, before
and after, the dedicated times differ by no more than 10 %. Their median and the interval that holds auto's
with 95 % (order statistics) are printed, and how many rounds they are; rows of fewer than six are left out of
the sums. The wall clock is compared with the dedicated wall clock in the same rounds, without yardsticks. The
columns "10 %" compare the first deciles of all pieces instead.

The last lines are a summary: per column the median and the largest of the rows' absolute deviations, with
more processes than cores.

    bench/record/fidelity.py [--build build/release] [--processes 2,4,8,16,32,64] [--repeats 5] [--rounds 12]
    [--quick]
                             [--batons off,always,auto] [--mpicc mpicc.mpich --mpirun mpirun.mpich]

--quick: 4 and 16 processes, one repeat, off and auto."""
import argparse
import math
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import tempfile

from medians import interval

HERE = pathlib.Path(__file__).resolve().parent
PROGRAMS = {
    "first caches, 16 KiB": [16 << 10], "second cache, 256 KiB": [256 << 10], "memory, 64 MiB": [64 << 20],
    "small messages, 16 KiB": [16 << 10, "tiny"],
}
# The calls that end pieces, by length: of dedicated ranks, of all.
CALLS = {"tiny": ("MPI_Sendrecv:0", "MPI_Sendrecv:1"), "long": ("MPI_Scan", "MPI_Barrier"),
         "short": ("MPI_Allgather", "MPI_Alltoall")}
ALL_CALLS = {call for calls in CALLS.values() for call in calls}
YARDSTICKS = {f"MPI_Sendrecv:{tag}" for tag in range(10, 16)}
SAME = 1.1
FEWEST = 6
WARM_ROUNDS = 3  # rounds of auto's trials: left out everywhere


def parse():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--build", default=str(HERE.parent.parent / "build/release"))
    parser.add_argument("--processes", default="2,4,8,16,32,64")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--rounds", type=int, default=12, help="more below 32 processes")
    parser.add_argument("--batons", default="off,always,auto")
    parser.add_argument("--mpicc", default="mpicc")
    parser.add_argument("--mpirun", default="mpirun --oversubscribe --bind-to none")
    parser.add_argument("--quick", action="store_true")
    options = parser.parse_args()
    if options.quick:
        options.processes, options.repeats, options.batons = "4,16", 1, "off,auto"
    return options


def kept(pieces):
    """Times of a round, in ns; pieces are (time, disturbed)."""
    undisturbed = [time for time, disturbed in pieces if not disturbed]
    return undisturbed if len(undisturbed) >= 5 else [time for time, _ in pieces]


def length_of(yardstick):
    return (int(yardstick.split(":")[1]) - 10) % len(CALLS)


def of_steady_core(pieces, best):
    """Yields (call, round, time scaled by the core's current speed, disturbed) of one rank's pieces, which
    are between yardsticks."""
    yardsticks = [i for i, (call, _, _, _) in enumerate(pieces) if call in YARDSTICKS]
    for before, after in zip(yardsticks, yardsticks[1:]):
        around = [
            best[length_of(pieces[i][0])] / pieces[i][1]
            for i in (before, after)
            if not pieces[i][3] and pieces[i][1]
        ]
        for call, time, number, disturbed in pieces[before + 1:after] if around else ():
            yield call, number, time * statistics.fmean(around), disturbed


def best_of(pieces):
    """Returns the 5 % quantile of the yardsticks of each length, over all ranks, since some ranks may never
    have had a core alone."""
    times = {}
    for call, time, _, disturbed in pieces:
        if call in YARDSTICKS and time and not disturbed:
            times.setdefault(length_of(call), []).append(time)
    return {length: statistics.quantiles(of, n=20)[0] for length, of in times.items() if len(of) > 1}


def read_events(parcast, recording, rounds):
    """Returns call -> rank -> undisturbed times of each round."""
    lines = subprocess.run(
        [parcast, "show", recording, "--events"], capture_output=True, text=True, check=True
    ).stdout
    of_rank, seen, last = {}, {}, {}
    for rank, compute, switched, call, tag in re.findall(
            r"^rank=(\d+) .*?compute=(\d+)( switched)? (\w+)(?: send.*? tag=(\d+))?", lines, re.M):
        call = f"{call}:{tag}" if call == "MPI_Sendrecv" else call
        if call in ALL_CALLS and last.get(rank) != call:  # the first call of a phase
            seen[rank, call] = seen.get((rank, call), -1) + 1
        if call in ALL_CALLS or call == "MPI_Gather":  # the call that ends a phase
            last[rank] = call
        if call in ALL_CALLS or call in YARDSTICKS:
            of_rank.setdefault(rank, []).append(
                (call, int(compute), seen.get((rank, call), 0), bool(switched))
            )
    best = best_of([piece for pieces in of_rank.values() for piece in pieces])
    times = {}
    for rank, pieces in of_rank.items():
        for call, number, time, disturbed in of_steady_core(pieces, best):
            times.setdefault(call, {}).setdefault(rank, [[] for _ in range(rounds)])[number].append(
                (time, disturbed)
            )
    return times


class Runner:
    def __init__(self, options, folder):
        self.parcast = pathlib.Path(options.build).resolve() / "bin/parcast"
        self.mpirun, self.fewest, self.folder = options.mpirun.split(), options.rounds, folder
        self.program = folder / "fidelity"
        subprocess.run([options.mpicc, "-O2", "-o", self.program, HERE / "fidelity.c"], check=True)

    def run(self, arguments, p, baton):
        """Returns the recorder's times of rounds, the program's own, and the seconds that all rounds took."""
        recording = self.folder / "one.recording"
        shutil.rmtree(recording, ignore_errors=True)
        rounds = self.fewest * max(1, 32 // p)
        words = [str(arguments[0]), str(rounds), *arguments[1:]]
        done = subprocess.run(
            [
                self.parcast, "record", "-q", "--no-store", "--keep-times", "--baton", baton, "-o", recording,
                "--", *self.mpirun, "-n", str(p), self.program, *words,
            ],
            capture_output=True, text=True, check=True,
        )
        wall, seconds = {}, 0.0
        for line in done.stdout.splitlines():
            call, number, value = line.split()
            if call == "seconds":
                seconds = float(value)
            else:
                wall.setdefault(call, [0.0] * rounds)[int(number)] = float(value)
        return read_events(self.parcast, recording, rounds), wall, seconds


def medians(of_ranks, rounds):
    """Returns the median of each round, over all ranks."""
    return [
        median_of(kept([piece for of_rounds in of_ranks for piece in of_rounds[i]])) for i in range(rounds)
    ]


def steady_rounds(dedicated, every):
    """Returns the rounds in which the machine was stable on every core, before and after: round -> dedicated
    time."""
    rounds = len(next(iter(dedicated.values())))
    of_core = [medians([of_rounds], rounds) for of_rounds in dedicated.values()]
    steady = {}
    for i in range(WARM_ROUNDS, rounds - 1):
        times = [time for core in of_core for time in core[i:i + 2]]
        if not any(math.isnan(time) for time in [*times, every[i]]) and max(times) <= SAME * min(times):
            steady[i] = statistics.median(times)
    return steady


def median_of(times):
    return statistics.median(times) if times else math.nan


class Table:
    """Results of one program: rows are lengths and processes, columns are clocks."""

    def __init__(self):
        self.rows, self.dedicated, self.seconds, self.pieces = {}, {}, {}, {}

    def note(self, length, p, column, values, base):
        self.rows.setdefault((length, p), {}).setdefault(column, []).extend(
            100 * (values[i] / base[i] - 1) for i in base
        )

    def add(self, p, baton, recorder, wall, seconds):
        self.seconds.setdefault(p, {}).setdefault(baton, []).append(seconds)
        for length, (dedicated, every) in CALLS.items():
            if dedicated not in recorder:
                continue
            pool = self.pieces.setdefault((length, p), {}).setdefault(baton, ([], []))
            for into, call in zip(pool, (dedicated, every)):
                into.extend(
                    time
                    for ranks in recorder[call].values()
                    for pieces in ranks[WARM_ROUNDS:]
                    for time in kept(pieces)
                )
            times = medians(recorder[every].values(), len(wall[every]))
            base = steady_rounds(recorder[dedicated], times)
            self.dedicated.setdefault(length, []).extend(base.values())
            self.note(length, p, baton, times, base)
            if baton == "off":
                self.note(
                    length, p, "wall clock", wall[every],
                    {i: statistics.fmean(wall[dedicated][i : i + 2]) for i in base},
                )

    def undisturbed(self, length, p, baton):
        """Returns the deviation of the pieces' first deciles, over all rounds: pieces that other guests of
        the machine did not disturb."""
        dedicated, every = (statistics.quantiles(times, n=10)[0] for times in self.pieces[length, p][baton])
        return 100 * (every / dedicated - 1)

    def slowdown(self, p, baton):
        of = self.seconds.get(p, {})
        return statistics.median(a / b for a, b in zip(of[baton], of["off"])) if "off" in of else None


def cells_of(row, columns):
    return "".join(
        f"{statistics.median(row[column]):>+10.1f} %" if len(row[column]) >= FEWEST else f"{'-':>12}"
        for column in columns
    )


def print_rows(name, table, columns, summary):
    for length, p in sorted(table.rows, key=lambda row: (list(CALLS).index(row[0]), row[1])):
        row = table.rows[length, p]
        dedicated = (
            statistics.median(table.dedicated[length]) / 1e3 if table.dedicated[length] else float("nan")
        )
        line = f"{name:<24}{length:<7}{dedicated:>7.1f} us{p:>5}" + cells_of(row, columns)
        if "auto" in row:
            low, high = interval(row["auto"]) if len(row["auto"]) >= FEWEST else (float("nan"), float("nan"))
            line += f"{f'{low:+.1f} .. {high:+.1f} %':>20}"
        line += f"{len(row[columns[-1]]):>8}"
        deciles = {
            f"{baton}, deciles": table.undisturbed(length, p, baton) for baton in table.pieces[length, p]
        }
        line += "".join(
            f"{deciles[f'{baton}, deciles']:>+10.1f} %"
            for baton in columns
            if baton in table.pieces[length, p]
        )
        for column in deciles if p > os.cpu_count() else ():
            summary.setdefault(column, []).append(abs(deciles[column]))
        for baton in ("always", "auto"):
            slowdown = table.slowdown(p, baton) if baton in columns else None
            line += f"{slowdown:>9.2f}x" if slowdown else ""
            if slowdown and p > os.cpu_count():
                summary.setdefault(f"{baton} took", []).append(slowdown)
        for column in columns:
            if p > os.cpu_count() and len(row[column]) >= FEWEST:
                summary.setdefault(column, []).append(abs(statistics.median(row[column])))
        print(line, flush=True)


def measure(runner, arguments, processes, batons, repeats):
    table = Table()
    for repeat in range(repeats):
        for p in processes:
            for i in range(len(batons)):
                baton = batons[(i + repeat) % len(batons)]
                table.add(p, baton, *runner.run(arguments, p, baton))
    return table


def main():
    options = parse()
    os.environ.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    batons = options.batons.split(",")
    columns = ["wall clock"] * ("off" in batons) + batons
    processes = [int(p) for p in options.processes.split(",")]
    print(
        f"{os.cpu_count()} cores; deviation of the pieces' median from dedicated cores, in rounds of a steady"
        " machine\n"
    )
    header = f"{'working set of a rank':<24}{'pieces':<7}{'dedicated':>10}{'p':>5}" + "".join(
        f"{c:>12}" for c in columns
    )
    header += (
        f"{'95 % of auto':>20}" * ("auto" in batons) + f"{'rounds':>8}"
        + "".join(f"{b + ' 10 %':>12}" for b in batons)
    )
    print(
        header
        + "".join(f"{b + ' took':>11}"[-10:] for b in ("always", "auto") if b in batons and "off" in batons)
    )
    summary = {}
    with tempfile.TemporaryDirectory() as scratch:
        runner = Runner(options, pathlib.Path(scratch))
        for name, arguments in PROGRAMS.items():
            print_rows(name, measure(runner, arguments, processes, batons, options.repeats), columns, summary)
    print()
    for column, values in summary.items():
        if column.endswith("took"):
            print(
                f"{column:<16} at most {max(values):.2f} times as long as off, in the median"
                f" {statistics.median(values):.2f}"
            )
        else:
            print(
                f"{column:<16} median {statistics.median(values):.1f} %, largest {max(values):.1f} %, of"
                f" {len(values)} rows"
            )


main()
