#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How far a recording's computing times are from those of a process alone, when processes outnumber cores: constant work
per rank, in the caches and out of memory, short and long pieces; plain wall clock beside it. One program alternates
between rank 0 alone, as many ranks as cores, and all ranks, within milliseconds, so that what the machine itself varies
falls on all three alike; who waits, sleeps. Deviations of a round's median piece are from those of the same round; their
median over all rounds is printed, and the quartiles of the recorder's against rank 0 alone.
The row p = 1 compares rank 0 alone with itself a round later: what the machine varies in spite of that.
"busy cores" compares with as many ranks as cores: cores may share caches, memory and, as hardware threads, even their
arithmetic, which no clock can take out.

    bench/record/fidelity.py [--build build/release] [--processes 4,8,16] [--repeats 5] [--rounds 12]"""
import argparse
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
PROGRAMS = {"in the caches, 16 KiB": 16 << 10, "out of memory, 64 MiB": 64 << 20}
# The calls that end pieces, by length: of rank 0 alone, of as many ranks as cores, of all.
CALLS = {"short": ("MPI_Allgather", "MPI_Allreduce", "MPI_Alltoall"), "long": ("MPI_Scan", "MPI_Reduce", "MPI_Barrier")}
ALL_CALLS = {call for calls in CALLS.values() for call in calls}


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=str(HERE.parent.parent / "build/release"))
    parser.add_argument("--processes", default="4,8,16")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--rounds", type=int, default=12)
    return parser.parse_args()


def run(parcast, program, size, p, rounds, folder):
    """source -> call -> median in ns of each round, by the recorder and by the program's own clock."""
    recording = folder / "one.recording"
    shutil.rmtree(recording, ignore_errors=True)
    done = subprocess.run([parcast, "record", "-q", "--no-store", "-o", recording, "--", "mpirun", "--oversubscribe", "-n",
                           str(p), program, str(size), str(os.cpu_count()), str(rounds)], capture_output=True, text=True, check=True)
    wall = {call: [0.0] * rounds for call in ALL_CALLS}
    for line in done.stdout.splitlines():
        call, number, median = line.split()
        wall[call][int(number)] = float(median)
    events = subprocess.run([parcast, "show", recording, "--events"], capture_output=True, text=True, check=True).stdout
    times = {call: [[] for _ in range(rounds)] for call in ALL_CALLS}
    previous, seen = {}, {}
    for rank, compute, call in re.findall(r"^rank=(\d+) .*?compute=(\d+)(?: switched)? (\w+)", events, re.M):
        if call in ALL_CALLS:
            if previous.get(rank) == call:  # the first piece of a phase follows something else
                times[call][seen[rank, call]].append(int(compute))
            else:
                seen[rank, call] = seen.get((rank, call), -1) + 1
        previous[rank] = call
    recorder = {call: [statistics.median(pieces) for pieces in of_rounds] for call, of_rounds in times.items()}
    return {"recorder": recorder, "wall clock": wall}


def deviations(values, base):
    return [100 * (v / b - 1) for v, b in zip(values, base)]


def main():
    options = parse()
    parcast = pathlib.Path(options.build).resolve() / "bin/parcast"
    os.environ.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    cores = os.cpu_count()
    processes = [int(p) for p in options.processes.split(",") if int(p) > cores]
    print(f"{cores} cores; deviation of the pieces' median, {options.repeats * options.rounds} rounds\n")
    print(f"{'working set of a rank':<24}{'pieces':<8}{'alone':>10}{'p':>5}{'recorder':>11}{'quartiles':>20}"
          f"{'against busy cores':>20}{'wall clock':>12}")
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        program = folder / "fidelity"
        subprocess.run(["mpicc", "-O2", "-o", program, HERE / "fidelity.c"], check=True)
        for name, size in PROGRAMS.items():
            found = {}  # (length, p) -> column -> deviations
            alone_times = {length: [] for length in CALLS}

            def note(length, p, column, values):
                found.setdefault((length, p), {}).setdefault(column, []).extend(values)

            for _ in range(options.repeats):
                for p in processes:
                    by_source = run(parcast, program, size, p, options.rounds, folder)
                    for length, (alone, busy, every) in CALLS.items():
                        recorder, wall = by_source["recorder"], by_source["wall clock"]
                        alone_times[length] += recorder[alone]
                        note(length, 1, "recorder", deviations(recorder[alone][1:], recorder[alone]))
                        note(length, 1, "wall clock", deviations(wall[alone][1:], wall[alone]))
                        note(length, cores, "recorder", deviations(recorder[busy], recorder[alone]))
                        note(length, cores, "wall clock", deviations(wall[busy], wall[alone]))
                        note(length, p, "recorder", deviations(recorder[every], recorder[alone]))
                        note(length, p, "busy", deviations(recorder[every], recorder[busy]))
                        note(length, p, "wall clock", deviations(wall[every], wall[alone]))
            for length in CALLS:
                for p in [1, cores, *processes]:
                    columns = found[length, p]
                    low, median, high = statistics.quantiles(columns["recorder"])
                    busy = f"{statistics.median(columns['busy']):+.1f} %" if "busy" in columns else ""
                    unit = statistics.median(alone_times[length]) / 1e3
                    print(f"{name:<24}{length:<8}{unit:>7.0f} us{p:>5}{f'{median:+.1f} %':>11}{f'{low:+.1f} .. {high:+.1f} %':>20}"
                          f"{busy:>20}{statistics.median(columns['wall clock']):>+10.1f} %", flush=True)


main()
