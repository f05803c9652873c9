#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Predicts how often each block of a program is executed, from one small run and from three, and compares
with larger runs on more processes. Each example is compiled with the pass and run at small sizes. Its
counters there predict those at sizes 8 times as large and 4 times as many processes. Prints blocks and
executions per tier, the execution-weighted error, and the blocks with the largest errors.

    bench/pass/block_counts.py [--build build/release] [--work DIR] [--only gauss,ocean]"""
import argparse
import os
import pathlib
import subprocess
import sys

from grids import Grids

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
# Words of the command line with their names (None: not a number), small runs (the first one alone, then all)
# and larger ones, with processes.
PROGRAMS = {
    "gauss": (["N"], [([64], 2), ([96], 3), ([100], 4)], [([520], 8), ([777], 6)]),
    "matmul_rows": (
        ["N", None], [([48, "unchecked"], 2), ([60, "unchecked"], 3), ([77, "unchecked"], 4)],
        [([384, "unchecked"], 8), ([401, "unchecked"], 6)],
    ),
    "matmul": (
        ["N", None, None],
        [
            ([48, "cannon", "unchecked"], 4), ([60, "cannon", "unchecked"], 2),
            ([80, "cannon", "unchecked"], 6),
        ],
        [([384, "cannon", "unchecked"], 8)],
    ),
    "shallow_water": (
        ["N", "steps"], [([48, 20], 2), ([60, 33], 3), ([77, 41], 4)], [([384, 100], 8), ([401, 57], 6)],
    ),
    "ocean": (
        ["N", "rows", "steps"], [([40, 32, 30], 2), ([60, 48, 21], 3), ([72, 40, 44], 4)],
        [([320, 256, 40], 8)],
    ),
    "sharks": (["N", "steps"], [([48, 10], 2), ([60, 13], 3), ([72, 21], 4)], [([384, 30], 8)]),
}


class Bench:
    def __init__(self, options):
        self.build, self.work = pathlib.Path(options.build).resolve(), pathlib.Path(options.work).resolve()
        self.work.mkdir(parents=True, exist_ok=True)
        self.environment = {
            **os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
            "OMPI_CC": "clang-19", "OMPI_CXX": "clang++-19",
        }
        self.launch = ["mpirun", "--oversubscribe"]
        self.printer = self.work / "print_counters.o"
        subprocess.run(
            ["gcc", "-O1", f"-I{ROOT}/src", "-c", ROOT / "tests/pass/print_counters.c", "-o", self.printer],
            check=True,
        )
        self.regions = self.work / "region.o"
        subprocess.run(
            [
                "gcc", "-O1", f"-I{ROOT}/include", f"-I{ROOT}/src", "-c", ROOT / "src/record/region.c", "-o",
                self.regions,
            ],
            check=True,
        )
        self.grids = Grids(self.work, self.launch, self.environment)

    def compile(self, name):
        sources = sorted((ROOT / "examples" / name).glob("*.c*"))
        plus = any(source.suffix == ".cpp" for source in sources)
        target = self.work / name
        subprocess.run(
            [
                "mpicxx" if plus else "mpicc", "-O2", "-g",
                *(["-std=c++20", "-DOMPI_SKIP_MPICXX"] if plus else []),
                f"-fpass-plugin={self.build}/lib/parcast-pass.so", f"-I{ROOT}/include", *map(str, sources),
                str(self.printer), "-o", str(target), str(self.regions), "-lm",
            ],
            env=self.environment, check=True,
        )
        facts = self.work / f"{name}.facts"
        subprocess.run(["objcopy", f"--dump-section=parcast_facts={facts}", target, "/dev/null"], check=True)
        return target, facts

    def run(self, name, binary, names, words, p):
        """Returns the files of the processes' counters."""
        base = self.work / f"{name}-{'-'.join(map(str, words))}-{p}"
        for old in self.work.glob(f"{base.name}.*"):
            old.unlink()
        shell = f'COUNTERS={base}.$OMPI_COMM_WORLD_RANK exec {binary} {" ".join(map(str, words))}'
        subprocess.run(
            [*self.launch, "-n", str(p), "bash", "-c", shell], check=True, stdout=subprocess.DEVNULL,
            env=self.environment,
        )
        files = []
        for rank in range(p):
            (source,) = self.work.glob(f"{base.name}.{rank}.*")
            values = {**{key: value for key, value in zip(names, words) if key}, **self.grids.values(p, rank)}
            target = self.work / f"{base.name}.rank{rank}"
            target.write_text(
                " ".join(f"{key}={value}" for key, value in values.items()) + "\n" + source.read_text()
            )
            files.append(str(target))
        return files


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--build", default=str(ROOT / "build/release"))
    parser.add_argument("--work", default=str(ROOT / "out/block_counts"))
    parser.add_argument("--only", default=",".join(PROGRAMS))
    options = parser.parse_args()
    bench = Bench(options)
    for name in options.only.split(","):
        names, small, large = PROGRAMS[name]
        binary, facts = bench.compile(name)
        seen = [bench.run(name, binary, names, words, p) for words, p in small]
        unseen = [file for words, p in large for file in bench.run(name, binary, names, words, p)]
        for runs in (1, len(seen)):
            print(f"{name}, {runs} run{'s' if runs > 1 else ''}", flush=True)
            files = [file for run in seen[:runs] for file in run]
            done = subprocess.run(
                [
                    bench.build / "bench/pass/parcast_block_counts_bench", facts,
                    ",".join(n or "-" for n in names), *files, "--", *unseen,
                ]
            )
            if done.returncode:
                sys.exit(f"{name}: the bench ended with {done.returncode}")


if __name__ == "__main__":
    main()
