#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests the predicted contention of a node's ranks for memory. Runs streams.c at several mixtures of
streaming and computing, on one core and on all p cores of this machine. The memory part is the time of the
streaming without computing divided by the time with it, both on one core. Then

- forward: simulates p ranks on one node from the computing times of one core, and compares with p measured
ranks;
- back: simulates the recording of p ranks on one node with one rank per node, and compares with one measured
rank.

Runs of one and of p ranks alternate; medians are used. `untold` is the same without --memory-bound.

    bench/accuracy/memory_contention.py [--build build/release] [--machine FILE] [--ranks 2] [--runs 7]
    [--elements 16000000]"""
import pathlib
import re
import statistics
import subprocess

from common import Bench, percent, table

HERE = pathlib.Path(__file__).resolve().parent
ROUNDS = 20
WORKS = (0, 100, 300, 1000)  # multiply-adds on each of four chains, per block of 512 elements


def goal(path, ranks, seconds):
    """Writes ROUNDS rounds of `seconds` in total on every rank, each followed by an empty message round the
    ring."""
    lines = [f"num_ranks {ranks}"]
    for rank in range(ranks):
        lines.append(f"rank {rank} {{")
        for i in range(ROUNDS):
            lines += [
                f"c{i}: calc {round(1e9 * seconds / ROUNDS)}",
                f"s{i}: send 1b to {(rank + 1) % ranks} tag {i}",
                f"r{i}: recv 1b from {(rank - 1) % ranks} tag {i}", f"s{i} requires c{i}",
                f"r{i} requires c{i}",
            ]
            if i > 0:
                lines += [f"c{i} requires s{i - 1}", f"c{i} requires r{i - 1}"]
        lines.append("}")
    path.write_text("\n".join(lines) + "\n")
    return path


def main():
    bench = Bench(
        __doc__,
        [
            (["--machine"], {"default": None}), (["--ranks"], {"type": int, "default": 2}),
            (["--runs"], {"type": int, "default": 7}), (["--elements"], {"type": int, "default": 16000000}),
        ],
    )
    options = bench.options
    machine = pathlib.Path(options.machine).resolve() if options.machine else bench.work / "here.machine.toml"
    if not options.machine:
        bench.parcast("calibrate", "-o", machine, "--budget", "40s", "--no-store")
    subprocess.run(["mpicc", "-O2", "-o", bench.work / "streams", HERE / "streams.c"], check=True)

    def line(p, work):
        return [*bench.launch(p), bench.work / "streams", options.elements, ROUNDS, work]

    def rounds(p, work):
        done = subprocess.run(list(map(str, line(p, work))), capture_output=True, text=True, check=True)
        return float(re.search(r"^rounds (\S+)", done.stdout, re.M).group(1))

    def simulate(what, *more):
        return bench.answer("simulate", what, "-m", machine, *more)

    def computing(answer):
        return statistics.mean(rank["compute"] for rank in answer["ranks"])

    ranks, rows, alone, together = options.ranks, [], {}, {}
    for _ in range(options.runs):
        for work in WORKS:
            alone.setdefault(work, []).append(rounds(1, work))
            together.setdefault(work, []).append(rounds(ranks, work))
    for work in WORKS:
        one, many = statistics.median(alone[work]), statistics.median(together[work])
        bound = min(1.0, statistics.median(alone[0]) / one)
        flags = ["--memory-bound", f"{bound:.6f}"]
        forward = goal(bench.work / f"forward-{work}.goal", ranks, one)
        ahead = simulate(forward, "--ranks-per-node", ranks, *flags)["seconds"]
        untold = simulate(forward, "--ranks-per-node", ranks)["seconds"]
        recording = bench.record(bench.work / f"together-{work}.recording", {}, line(ranks, work))
        single = bench.record(bench.work / f"alone-{work}.recording", {}, line(1, work))
        back = computing(simulate(recording, "--ranks-per-node", 1, *flags)) / computing(
            simulate(single, "--ranks-per-node", 1)
        )
        back_untold = computing(simulate(recording, "--ranks-per-node", 1)) / computing(
            simulate(single, "--ranks-per-node", 1)
        )
        rows.append(
            [
                work, f"{bound:.2f}", f"{one:.3f}", f"{many:.3f}", f"{ahead:.3f}", percent(ahead / many - 1),
                percent(untold / many - 1), percent(back - 1), percent(back_untold - 1),
            ]
        )
        print("   ".join(map(str, rows[-1])), flush=True)
    print()
    table(
        [
            "work", "for memory", "one rank", f"{ranks} ranks", "predicted", "error", "untold", "back: error",
            "untold",
        ],
        rows,
    )


main()
