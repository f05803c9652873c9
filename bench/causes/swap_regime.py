#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The swap regime of J. Lemeire, E. Dirkx (Euro PVM/MPI 2004, figures 4 and 5) on this machine: the matrix
multiplication of examples/matmul by Cannon's algorithm. Each process has its own memory. The larger problems
exceed it on one process, and on several processes exceed it less or not at all. Every process runs in a
control group (memory, version 1) with a limit, and with a reserved share of a core (deadline policy). So 4
processes are as fast as 1 on few cores, whatever else runs. All runs are recorded, and `parcast explain
--why` explains why the times are no longer proportional to the operations.

The limit is found here: so low that the largest problem takes --slowdown times as long on one process. With
it about the upper third of the sizes does not fit: the rows of A and C and a part of B go to the swap and
come back. What the control groups count themselves (pages read from swap, largest use) is printed next to
what the recordings contain.

    bench/causes/swap_regime.py [--build build/release] [--largest 1300] [--sizes 10] [--processes 1,2,4]
    [--repeats 1] [--share 0.45] [--slowdown 1.5] [--timeout 20]

A phase shorter than its share of a period (4.5 of 10 ms) is not preempted and so runs faster. This explains
"fill" with the cause context_switches.

Needs root, control groups of version 1 for memory, and swap. Without swap, the script uses 256 MiB of swap in
a file of the work folder while it runs. It removes groups and swap at the end, also after a failure."""
import os
import pathlib
import signal
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "accuracy"))
from common import Bench, table  # noqa: E402
from control_groups import Groups, Swap  # noqa: E402

PERIOD = 10_000_000  # nanoseconds; a process gets its share of a core in each period
PAGE = 4096
STEP = 1.1  # ratio of successive sizes
WRAPPER = 'echo $$ >"$0/rank${OMPI_COMM_WORLD_RANK:-${PMI_RANK:-0}}/cgroup.procs" && exec "$@"'


class Experiment:
    def __init__(self, bench, groups):
        self.bench, self.groups, self.number = bench, groups, 0

    def reserved(self):
        """Returns the command prefix that reserves a share of a core for the program alone; child processes
        do not inherit it."""
        share = self.bench.options.share
        return (
            [
                "chrt", "--reset-on-fork", "--deadline", "--sched-runtime", int(share * PERIOD),
                "--sched-deadline", PERIOD, "--sched-period", PERIOD, 0,
            ]
            if share < 1
            else []
        )

    def run(self, n, p, limit):
        """One recorded run: its phases, and what its groups counted; None where it took too long, or the
        kernel ended it for want of memory."""
        self.groups.begin(limit)
        self.number += 1
        target = self.bench.work / f"{self.number:03}-n{n}-p{p}.recording"
        line = [
            "parcast", "record", "-q", "--no-store", "-o", target, "--", "mpirun", "--oversubscribe",
            "--bind-to", "none", "-n", p, "sh", "-c", WRAPPER, self.groups.top, *self.reserved(),
            self.bench.example("matmul"), n, "cannon", "unchecked",
        ]
        process = subprocess.Popen(
            list(map(str, line)), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
            start_new_session=True,
        )
        try:
            _, errors = process.communicate(timeout=self.bench.options.timeout)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            self.groups.end()
            process.communicate()
            return None
        if process.returncode and "signal 9" in errors:
            return None
        if process.returncode:
            sys.exit(f"swap_regime.py: n = {n} on {p}: {errors}")
        most, faults = self.groups.counted(p)
        phases = self.bench.answer("show", "--counts", target)["phases"]
        multiply = next(phase for phase in phases if phase["name"] == "multiply")
        return {
            "n": n, "p": p, "recording": target, "most": most, "group_faults": faults,
            "recorded_faults": sum(phase.get("major_faults", 0) for phase in phases),
            "multiply_faults": multiply["major_faults"], "multiply": multiply["seconds"] / p,
            "operations": multiply["operations"] / p,
        }


def swaps(run):
    """Returns whether the multiplication reads back its data: more than a hundredth of the pages of its three
    blocks."""
    return run["multiply_faults"] > 0.01 * 3 * run["n"] ** 2 * 8 / PAGE / run["p"]


def find_limit(experiment, n, slowdown):
    """Returns the memory with which a multiplication of this size on one process takes `slowdown` times as
    long, in steps of 5 %. Returns less if the run could not finish with that."""
    free = experiment.run(n, 1, None)
    if free is None:
        sys.exit(
            f"swap_regime.py: n = {n} takes longer than the time-out without a limit: choose a smaller"
            " --largest"
        )
    limit = free["most"] // 2
    while True:
        run = experiment.run(n, 1, limit // PAGE * PAGE)
        if run is None:
            # two steps back, since a limit that was too small once may be too small again
            return free, int(limit * 1.1) // PAGE * PAGE
        if run["multiply"] > slowdown * free["multiply"]:
            return free, limit // PAGE * PAGE
        limit = int(limit * 0.95)


def text_of(relation):
    return f"{relation['phase']['kind']} {relation['phase']['name']}".strip()


def print_relations(answer):
    rows = []
    for relation in answer["relations"]:
        first = relation.get("first_order")
        if not first:
            rows.append([text_of(relation), "-", "-", "-", "-", relation["without"]])
            continue
        broken = first["shape"] != "straight"
        verdict = relation["cause"] or ("unexplained" if relation["unexplained"] else "nothing to explain")
        rows.append(
            [
                text_of(relation), relation["work"], f"{relation['refined']['delta'] * 1e9:.3f}",
                f"{first['last_linear']:.3g}" if broken else "none", f"{100 * first['noise']:.1f} %", verdict,
            ]
        )
    table(["phase", "work", "ns per unit", "linear up to", "noise", "cause of the break"], rows)


def print_tried(relation):
    for tried in relation["tried"]:
        print(
            f"    {tried['variable']}: {tried['text']}"
            + (f", {tried['delta'] * 1e6:.1f} us each" if tried["delta"] else "")
        )


def judge(bench, runs):
    answer = bench.answer("explain", "--why", *(run["recording"] for run in runs))
    print("\nWhat `parcast explain --why` says, of all phases:")
    print_relations(answer)
    relation = next(relation for relation in answer["relations"] if relation["phase"]["name"] == "multiply")
    swapped = [run["operations"] for run in runs if swaps(run)]
    kept = [run["operations"] for run in runs if run["p"] == 1 and not swaps(run)]
    first = relation.get("first_order", {})
    print(
        f"\nmemory ran out between {max(kept):.3g} and {min(swapped):.3g} operations of one process, by the"
        f" pages read back there; the relation breaks between {first['last_linear']:.3g} and"
        f" {first['first_beyond']:.3g}"
        if swapped and kept and first.get("shape") != "straight"
        else "\nthe relation of the multiplication does not break, or no run swapped"
    )
    print(f"cause named: {relation.get('cause') or 'none'}")
    print_tried(relation)
    return judge_speedups(runs, answer["runs"]) and relation.get("cause") == "major_faults"


def judge_speedups(runs, answers):
    """Returns whether every speedup above the ideal one is explained, for problems that swap on one process.
    Other problems may have some by chance."""
    swapping = {run["n"] for run in runs if run["p"] == 1 and swaps(run)}
    rows, right = [], True
    for run, answered in zip(runs, answers):
        above = answered["superlinear"]
        if not above:
            continue
        most = (above["changes"] or [{"cause": None, "sequential_seconds": 0, "parallel_seconds": 0}])[0]
        rows.append(
            [
                run["n"], run["p"], f"{answered['overheads']['speedup']:.2f}",
                "yes" if run["n"] in swapping else "no", most["cause"] or "-",
                f"{most['sequential_seconds']:.2f}", f"{most['parallel_seconds']:.2f}",
                "explained" if above["explained"] else "not explained",
            ]
        )
        right &= above["explained"] or run["n"] not in swapping
    print(f"\nspeedup above the ideal one in {len(rows)} runs on several processes" + (":" if rows else ""))
    if rows:
        table(["n", "p", "speedup", "swaps on one", "most gained by", "s on one", "s on all", ""], rows)
    return right and any(row[3] == "yes" for row in rows)


def measure(bench, groups):
    options = bench.options
    experiment = Experiment(bench, groups)
    sizes = [round(options.largest / STEP**i / 4) * 4 for i in reversed(range(options.sizes))]
    free, limit = find_limit(experiment, options.largest, options.slowdown)
    print(
        (
            f"n = {options.largest} on one process uses {free['most'] / 2**20:.1f} MiB and multiplies in"
            f" {free['multiply']:.2f} s; every process gets {limit / 2**20:.1f} MiB"
        ),
        flush=True,
    )
    runs, rows = [], []
    for _ in range(options.repeats):
        for n in sizes:
            for p in map(int, options.processes.split(",")):
                run = experiment.run(n, p, limit)
                if run is None:
                    print(
                        f"n = {n} on {p} is left out: it took longer than {options.timeout:g} s, or had too"
                        " little memory to go on"
                    )
                    continue
                runs.append(run)
                rows.append(
                    [
                        n, p, f"{run['operations']:.3g}", f"{run['multiply']:.3f}",
                        f"{run['multiply'] / run['operations'] * 1e9:.3f}", run["multiply_faults"],
                        run["recorded_faults"], run["group_faults"], f"{run['most'] / 2**20:.1f}",
                    ]
                )
    table(
        [
            "n", "p", "operations", "multiply s", "ns each", "faults there", "of all phases", "of the groups",
            "MiB at most",
        ],
        rows,
    )
    return judge(bench, runs)


def main():
    bench = Bench(
        __doc__,
        [
            (["--largest"], {"type": int, "default": 1300}), (["--sizes"], {"type": int, "default": 10}),
            (["--processes"], {"default": "1,2,4"}), (["--repeats"], {"type": int, "default": 1}),
            (["--share"], {"type": float, "default": 0.45}),
            (["--slowdown"], {"type": float, "default": 1.5}),
            (["--timeout"], {"type": float, "default": 20}),
        ],
    )
    for stop in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(stop, lambda *_: sys.exit("swap_regime.py: ended from outside"))
    groups = Groups(max(map(int, bench.options.processes.split(","))))
    swap = None
    try:
        swap = Swap(bench.work)
        right = measure(bench, groups)
        print("\nthe swap regime is explained" if right else "\nthe swap regime is not explained")
        return 0 if right else 1
    finally:
        groups.end(whole=True)
        if swap:
            swap.end()


sys.exit(main())
