#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How far a recording's computing times are from those of a process alone, when processes outnumber cores: constant work
per rank at p = 1 and at more ranks, in the caches and out of memory, short and long pieces; plain wall clock beside it.
Every p is compared with the runs at p = 1 just before and after it; the median over the repeats is printed, and the
quartiles of the recorder's medians. The row p = 1 compares these runs with each other: what the machine itself varies.
"busy cores" compares with as many ranks as cores in the same repeat: cores may share caches, memory and, as hardware
threads, even their arithmetic, which no clock can take out.

    bench/record/fidelity.py [--build build/release] [--processes 4,8,16] [--repeats 15]"""
import argparse
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
PROGRAMS = {"in the caches, 16 KiB": ["16384", "4000", "40"], "out of memory, 64 MiB": ["67108864", "2000", "20"]}
KINDS = {"MPI_Allreduce": "short", "MPI_Barrier": "long"}


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=str(HERE.parent.parent / "build/release"))
    parser.add_argument("--processes", default="4,8,16")
    parser.add_argument("--repeats", type=int, default=15)
    return parser.parse_args()


def run(parcast, program, arguments, p, folder):
    """(kind, source) -> (median, mean) in ns, by the recorder and by the program's own clock."""
    recording = folder / "one.recording"
    shutil.rmtree(recording, ignore_errors=True)
    done = subprocess.run([parcast, "record", "-q", "--no-store", "-o", recording, "--", "mpirun", "--oversubscribe", "-n",
                           str(p), program, *arguments], capture_output=True, text=True, check=True)
    found = {}
    for line in done.stdout.splitlines():
        kind, _, median, mean = line.split()
        found[kind, "wall clock"] = (float(median), float(mean))
    events = subprocess.run([parcast, "show", recording, "--events"], capture_output=True, text=True, check=True).stdout
    times, previous = {kind: [] for kind in KINDS}, {}
    for rank, compute, call in re.findall(r"^rank=(\d+) .*?compute=(\d+)(?: switched)? (\w+)", events, re.M):
        if call in times and previous.get(rank) == call:  # the first of a kind follows something else
            times[call].append(int(compute))
        previous[rank] = call
    for kind, values in times.items():
        found[kind, "recorder"] = (statistics.median(values), statistics.fmean(values))
    return found


def deviation(pairs):
    median, mean = (100 * statistics.median(column) for column in zip(*pairs))
    return f"{median:+.1f} % ({mean:+.1f} %)"


def main():
    options = parse()
    parcast = pathlib.Path(options.build).resolve() / "bin/parcast"
    os.environ.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    cores = os.cpu_count()
    processes = [cores, *(p for p in map(int, options.processes.split(",")) if p > cores)]
    print(f"{cores} cores; deviation from p = 1 of the pieces' median (mean)\n")
    print(f"{'working set of a rank':<24}{'pieces':<8}{'at p = 1':>10}{'p':>5}{'recorder':>20}{'quartiles':>20}"
          f"{'busy cores':>20}{'wall clock':>24}")
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        program = folder / "fidelity"
        subprocess.run(["mpicc", "-O2", "-o", program, HERE / "fidelity.c"], check=True)
        for name, arguments in PROGRAMS.items():
            ratios, alone, crowded = {}, {}, {}
            for _ in range(options.repeats):
                before = run(parcast, program, arguments, 1, folder)
                for p in processes:
                    here, after = run(parcast, program, arguments, p, folder), run(parcast, program, arguments, 1, folder)
                    busy = here if p == cores else busy
                    for key, values in here.items():
                        crowded.setdefault((*key, p), []).append([v / b - 1 for v, b in zip(values, busy[key])])
                        base = [(a + b) / 2 for a, b in zip(before[key], after[key])]
                        ratios.setdefault((*key, p), []).append([v / b - 1 for v, b in zip(values, base)])
                        ratios.setdefault((*key, 1), []).append([b / a - 1 for a, b in zip(before[key], after[key])])
                        alone.setdefault(key, []).append(base[0])
                    before = after
            for kind, length in KINDS.items():
                for p in [1, *processes]:
                    text = {source: deviation(ratios[kind, source, p]) for source in ("recorder", "wall clock")}
                    text["busy"] = deviation(crowded[kind, "recorder", p]) if p > cores else ""
                    low, _, high = statistics.quantiles([100 * median for median, _ in ratios[kind, "recorder", p]])
                    spread = f"{low:+.1f} .. {high:+.1f} %"
                    unit = statistics.median(alone[kind, "recorder"]) / 1e3
                    print(f"{name:<24}{length:<8}{unit:>7.0f} us{p:>5}{text['recorder']:>20}{spread:>20}{text['busy']:>20}"
                          f"{text['wall clock']:>24}", flush=True)


main()
