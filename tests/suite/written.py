#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares programs of a host and its nodes under examples/ with their values in closed form, and programs
written by hand with recordings of the programs that they describe: calls, messages and bytes of every process
must be equal.

    tests/suite/written.py --build BUILD --mpi open_mpi|mpich"""
import argparse
import concurrent.futures
import json
import math
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
COMPILERS = {
    "open_mpi": {"c": ["mpicc.openmpi", "mpicc"], "cpp": ["mpicxx.openmpi", "mpicxx"]},
    "mpich": {"c": ["mpicc.mpich"], "cpp": ["mpicxx.mpich"]},
}
LAUNCHERS = {
    "open_mpi": [["mpirun.openmpi", "--oversubscribe"], ["mpirun", "--oversubscribe"]],
    "mpich": [["mpirun.mpich"]],
}
SOURCES = {"trapezoid": "trapezoid.c", "estar": "estar.c", "shallow_water": "shallow_water.cpp"}
# Calls without messages of the program.
MANAGING = {"MPI_Init", "MPI_Finalize", "MPI_Comm_split", "MPI_Comm_free", "MPI_Cart_create"}


class Bed:
    def __init__(self, build, mpi):
        self.build, self.mpi = pathlib.Path(build).resolve(), mpi
        self.work = pathlib.Path(tempfile.mkdtemp(prefix="parcast-written-"))
        self.launcher = next((each for each in LAUNCHERS[mpi] if shutil.which(each[0])), None)
        compilers = {
            kind: next((each for each in names if shutil.which(each)), None)
            for kind, names in COMPILERS[mpi].items()
        }
        if not all(compilers.values()) or not self.launcher:
            print(f"no compiler or launcher of {mpi}")
            sys.exit(77)
        libraries = self.build / "src/record"
        for name, source in SOURCES.items():
            kind = source.split(".")[1]
            standard = "-std=c11" if kind == "c" else "-std=c++20"
            subprocess.run(
                [
                    compilers[kind], standard, "-O2", "-Wall", "-Wextra", "-DOMPI_SKIP_MPICXX",
                    "-DMPICH_SKIP_MPICXX", "-I", ROOT / "include", "-o", self.work / name,
                    ROOT / "examples" / name / source, "-L", libraries, "-lparcast",
                    f"-Wl,-rpath,{libraries}", "-lm",
                ],
                check=True,
            )
            shutil.copy(ROOT / "examples" / name / f"{name}.program", self.work)

    def processes(self, *all):
        """Returns every second number for the other library: the library affects only how calls are seen, for
        any number."""
        return all if self.mpi == "open_mpi" else all[1::2]

    def run(self, p, *words, code=0):
        done = subprocess.run(
            [*self.launcher, "-n", str(p), f"./{words[0]}", *map(str, words[1:])], capture_output=True,
            text=True, cwd=self.work,
        )
        assert (
            done.returncode == code
        ), f"{words} on {p}: exit {done.returncode}, not {code}\n{done.stdout}{done.stderr}"
        return done

    def value(self, p, *words):
        return float(
            next(
                line.split()[1]
                for line in self.run(p, *words).stdout.splitlines()
                if line.startswith("value")
            )
        )

    def parcast(self, *words):
        return json.loads(
            subprocess.run(
                [self.build / "bin/parcast", *map(str, words), "--json"], cwd=self.work, check=True,
                capture_output=True, text=True,
            ).stdout
        )

    def recorded(self, p, *words):
        name = "-".join(map(str, words)) + f"-{p}.recording"
        subprocess.run(
            [
                self.build / "bin/parcast", "record", "-q", "--no-store", "-o", name, "--", *self.launcher,
                "-n", str(p), f"./{words[0]}", *map(str, words[1:]),
            ],
            cwd=self.work, check=True, capture_output=True,
        )
        return self.parcast("show", name, "--counts")["ranks"]

    def written(self, name, p, **parameters):
        settings = [word for key, value in parameters.items() for word in ("-s", f"{key}={value}")]
        return self.parcast("predict", f"{name}.program", "-p", p, "--counts", *settings)["ranks"]


def exact(count):
    assert count["origin"] == "exact", count
    return count["value"]


def same(recorded, written, where):
    assert len(recorded) == len(written)
    for there, here in zip(recorded, written):
        calls = {name: exact(count) for name, count in here["calls"].items() if exact(count) != 0}
        assert calls == {name: count for name, count in there["calls"].items() if name not in MANAGING}, (
            where, there["rank"], calls, there["calls"],
        )
        for what in ("messages_sent", "bytes_sent", "collective_bytes"):
            assert exact(here[what]) == there[what], (where, there["rank"], what, here[what], there[what])


def beside_each_other(check, cases):
    """Launchers mostly wait."""
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda case: check(*case), cases))


def the_integral_is_pi(bed):
    """To leading order, the rule's error is (f'(1) - f'(0)) h^2 / 12 = -h^2 / 6."""
    for n, times, p in [(1, 1, 2), (2, 3, 2), (1000, 2, 3), (1000, 2, 4), (7, 1, 6), (100000, 1, 5)]:
        value = bed.value(p, "trapezoid", n, times)
        h = 1 / n
        assert abs(value - (math.pi - h * h / 6)) < h**4 + 1e-12, (n, p, value)
    for words in [[], ["0", "1"], ["10"], ["10", "x"], ["10", "-1"], ["1", "1", "1"]]:
        assert "usage: trapezoid N TIMES" in bed.run(2, "trapezoid", *words, code=2).stderr
    assert "2 processes or more" in bed.run(1, "trapezoid", 10, 1, code=2).stderr


def the_sum_is_that_of_its_definition(bed):
    def closed(n, m):
        return math.fsum(
            math.prod(1 + math.exp(-abs(i - j)) for j in range(1, m + 1)) for i in range(1, n + 1)
        )

    for n, m, times, p in [(1, 1, 1, 2), (3, 5, 2, 2), (100, 40, 1, 3), (37, 60, 2, 6)]:
        assert abs(bed.value(p, "estar", n, m, times) / closed(n, m) - 1) < 1e-10, (n, m, p)
    assert bed.value(2, "estar", 1, 1, 1) == 2
    for words in [[], ["1", "1"], ["0", "1", "1"], ["1", "1", "1", "1"]]:
        assert "usage: estar N M TIMES" in bed.run(2, "estar", *words, code=2).stderr


def host_and_nodes_are_as_written(bed):
    def check(p, n, times):
        same(
            bed.recorded(p, "trapezoid", n, times), bed.written("trapezoid", p, N=n, times=times),
            ("trapezoid", p, n, times),
        )
        same(
            bed.recorded(p, "estar", n, 3, times), bed.written("estar", p, n=n, m=3, times=times),
            ("estar", p, n, times),
        )

    beside_each_other(
        check, [(p, *sizes) for p in bed.processes(2, 3, 4, 5, 6) for sizes in [(1, 1), (50, 7)]]
    )


def shallow_water_is_as_written(bed):
    def check(p, n, steps):
        same(
            bed.recorded(p, "shallow_water", n, steps), bed.written("shallow_water", p, N=n, steps=steps),
            ("shallow_water", p, n, steps),
        )

    beside_each_other(
        check,
        [
            (p, *sizes)
            for p in bed.processes(1, 2, 3, 4, 5, 6)
            for sizes in [(16, 1), (23, 19), (24, 20), (31, 47)]
        ],
    )


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", required=True)
    parser.add_argument("--mpi", required=True, choices=sorted(COMPILERS))
    options = parser.parse_args()
    bed = Bed(options.build, options.mpi)
    for check in (
        the_integral_is_pi, the_sum_is_that_of_its_definition, host_and_nodes_are_as_written,
        shallow_water_is_as_written,
    ):
        check(bed)
        print(f"{check.__name__.replace('_', ' ')}: holds", flush=True)
    shutil.rmtree(bed.work)


main()
