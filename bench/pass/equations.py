#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Whether the equations of blocks from small runs hold in larger ones. Generated programs
(tests/pass/generate.py), which get n from the command line and p and r from MPI, are compiled with the pass
and recorded in three small runs, of which the second differs from the first in n alone and the third in p
alone. The equation that `parcast show --blocks` prints for each block by the first recording and by all three
is evaluated (expression_values.py) for each process of two runs with larger n on more processes, and compared
with that one's counters.

Prints blocks by tier and how many of each differ in any process, those of --tiers with their
program's seed, and the symbolic share of the functions that are affine throughout (`known...`). The exit code
is 1 if a symbolic one differs.

    bench/pass/equations.py --work FOLDER [--build build/release] [--programs 200] [--first SEED] [--jobs 2]
    [--tiers symbolic,recognised] [--keep]

Needs clang-19 and Open MPI."""
import argparse
import collections
import dataclasses
import json
import multiprocessing
import os
import pathlib
import random
import shutil
import subprocess
import sys

from expression_values import function_of
from grids import Grids

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests/pass"))
from counted import executions
from equal import Builder
from generate import SIZE, generate
from generated import share

TIERS = ("symbolic", "recognised", "as seen", "constant", "measured")
LAUNCH = ["mpirun", "--oversubscribe"]
FEW, MANY = (2, 3), (4, 5, 6)  # processes of the small and of the larger runs


@dataclasses.dataclass
class Compared:
    programs: int = 0
    left_out: int = 0
    # (recordings, tier, differs) -> blocks
    tiers: collections.Counter = dataclasses.field(default_factory=collections.Counter)
    # functions that are affine throughout: (recordings, what, is symbolic) -> number
    known: collections.Counter = dataclasses.field(default_factory=collections.Counter)
    lines: list = dataclasses.field(default_factory=list)

    def add(self, other):
        self.programs += other.programs
        self.left_out += other.left_out
        self.tiers += other.tiers
        self.known += other.known


def runs_of(seed):
    """Returns (small, large): n and p of each run."""
    chosen = random.Random(seed)
    (n, other), (p, more) = chosen.sample(range(4, 8), 2), chosen.sample(FEW, 2)
    return [(n, p), (other, p), (n, more)], list(
        zip(chosen.sample(range(10, SIZE + 1), 2), chosen.sample(MANY, 2), strict=True)
    )


class Bench:
    def __init__(self, options):
        self.build, self.work, self.tiers, self.keep = (
            pathlib.Path(options.build).resolve(), options.work.resolve(), options.tiers.split(","),
            options.keep,
        )
        self.environment = {
            **os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
            "OMPI_CC": "clang-19", "OMPI_CXX": "clang++-19",
        }
        self.plugin = self.build / "lib/parcast-pass.so"
        self.printer = Builder(self.plugin, self.work).printer
        grids = Grids(self.work, LAUNCH, self.environment)
        self.symbols = {(p, rank): grids.values(p, rank) for p in MANY for rank in range(p)}

    def run(self, words, well=(0,)):
        done = subprocess.run(
            [str(word) for word in words], capture_output=True, text=True, errors="replace", cwd=self.work,
            env=self.environment, timeout=120,
        )
        if done.returncode not in well:
            raise subprocess.CalledProcessError(
                done.returncode, " ".join(map(str, words)), done.stdout, done.stderr
            )
        return done.stdout

    def compiled(self, sources, level):
        target = self.work / f"{sources[0].stem}{level}"
        self.run(
            [
                "mpicxx" if sources[0].suffix == ".cpp" else "mpicc", level, "-g", "-w", "-DOMPI_SKIP_MPICXX",
                "-fno-crash-diagnostics", f"-fpass-plugin={self.plugin}", *sources, self.printer, "-o",
                target, "-lm", "-lpthread",
            ]
        )
        return target

    def recorded(self, binary, n, p):
        target = self.work / f"{binary.name}-{n}-{p}.recording"
        shutil.rmtree(target, ignore_errors=True)
        self.run(
            [
                self.build / "bin/parcast", "record", "-q", "--no-store", "--baton", "off", "-o", target,
                "--param", f"n={n}", "--", *LAUNCH, "-n", p, binary, n,
            ]
        )
        return target

    def counted(self, binary, n, p):
        """Returns, for each process, the values of its symbols, and (source, function) -> executions of the
        blocks."""
        base, processes = self.work / f"{binary.name}.counters", []
        for old in self.work.glob(f"{base.name}.*"):
            old.unlink()
        self.run([*LAUNCH, "-n", p, "bash", "-c", f"COUNTERS={base}.$OMPI_COMM_WORLD_RANK exec {binary} {n}"])
        for rank in range(p):
            counts = executions(binary, list(self.work.glob(f"{base.name}.{rank}.*")))
            processes.append(({"n": n, **self.symbols[p, rank]}, {key[:2]: of for key, of in counts.items()}))
        return processes

    def equations(self, recordings):
        return json.loads(
            self.run([self.build / "bin/parcast", "show", *recordings, "--blocks", "--json"], well=(0, 3))
        )


def difference(equation, processes):
    """The difference in the first process whose count is not that of its block's equation; nothing where all
    are."""
    for values, counted in processes:
        count = counted[equation["source"], equation["function"]][equation["block"]]
        try:
            value = function_of(equation["executions"])(values)
        except (ArithmeticError, ValueError, KeyError) as error:
            value = repr(error)
        if value != count and not (isinstance(value, float) and abs(value - count) <= 1e-9 * count):
            return f"{count} instead of {value} at n = {values['n']}, r = {values['r']} of {values['p']}"
    return None


def compare(bench, equations, processes, where, made, recordings):
    for what in ("loops", "blocks"):
        made.known.update(
            (recordings, what, each["found"] == "symbolic")
            for each in equations[what]
            if "known" in each["function"]
        )
    counted_blocks = set()
    for block in equations["blocks"]:
        key = block["source"], block["function"], block["block"]
        counted_blocks.add(key)
        tier = block["found"]
        differs = difference(block, processes)
        made.tiers[recordings, tier, differs is not None] += 1
        if differs and block["found"] in bench.tiers:
            at = (
                f"{pathlib.Path(block['at'][0]['file']).name}:{block['at'][0]['line']}"
                if block["at"]
                else pathlib.Path(block["source"]).name
            )
            made.lines.append(
                f"{where}, {recordings} recording{'s' if recordings > 1 else ''}: {block['function']} block"
                f" {block['block']} {at} is {tier}, {differs}: {block['executions'][:300]}"
            )
    seen = {
        (*key, block)
        for _, counted in processes
        for key, counts in counted.items()
        for block, count in enumerate(counts)
        if count
    }
    made.tiers[recordings, "not executed before", True] += len(seen - counted_blocks)


def examine(bench, seed):
    """Tests one program, at an optimisation level chosen by its seed."""
    sources, _ = generate(seed, bench.work, parallel=True)
    level, (small, large), made = (
        random.Random(seed).choice(["-O1", "-O2", "-O3"]), runs_of(seed), Compared(programs=1),
    )
    where = f"seed {seed} {level}"
    try:
        binary = bench.compiled(sources, level)
        recordings = [bench.recorded(binary, *run) for run in small]
        processes = [process for run in large for process in bench.counted(binary, *run)]
        for count in (1, len(recordings)):
            compare(bench, bench.equations(recordings[:count]), processes, where, made, count)
    except (subprocess.CalledProcessError, subprocess.TimeoutExpired) as error:
        made = Compared(programs=1, left_out=1, lines=[f"{where} is left out: {error}"[:300]])
    if not bench.keep:
        for path in bench.work.glob(f"{sources[0].stem}[-_.]*"):
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    return made


def examined(task):
    return examine(*task)


def print_totals(made):
    print(f"{made.programs} programs, of which {made.left_out} end early in one of the runs and are left out")
    for recordings in (1, 3):
        print(f"from {recordings} recording{'s' if recordings > 1 else ''}")
        of_tier = {
            tier: [made.tiers[recordings, tier, differs] for differs in (True, False)] for tier in TIERS
        }
        for tier, (differing, same) in of_tier.items():
            print(
                f"  {tier:10} {share(differing + same, sum(map(sum, of_tier.values()))):>24} blocks,"
                f" {differing} differ"
            )
        print(
            f"  {made.tiers[recordings, 'not executed before', True]} more blocks are executed in the larger"
            " runs alone"
        )
        for what in ("loops", "blocks"):
            symbolic, others = (made.known[recordings, what, is_so] for is_so in (True, False))
            print(
                f"  {what} of functions that are affine throughout, called symbolic:"
                f" {share(symbolic, symbolic + others)}"
            )
    sys.stdout.flush()


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--build", default=str(ROOT / "build/release"))
    parser.add_argument("--work", required=True, type=pathlib.Path)
    parser.add_argument("--programs", type=int, default=200)
    parser.add_argument("--first", type=int, default=1, help="seed of the first program")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument(
        "--tiers", default="symbolic", help="tiers of which each block that differs is printed"
    )
    parser.add_argument(
        "--keep", action="store_true", help="leave programs, binaries and recordings in the work folder"
    )
    options = parser.parse_args()
    bench, made = Bench(options), Compared()
    with multiprocessing.Pool(options.jobs) as pool:
        for one in pool.imap(
            examined, [(bench, seed) for seed in range(options.first, options.first + options.programs)]
        ):
            print(*one.lines, sep="\n", end="\n" if one.lines else "", flush=True)
            made.add(one)
            if made.programs % 100 == 0 and made.programs < options.programs:
                print_totals(made)
    print_totals(made)
    wrong = sum(made.tiers[recordings, "symbolic", True] for recordings in (1, 3))
    sys.exit(1 if wrong or made.programs == made.left_out else 0)


if __name__ == "__main__":
    main()
