#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""An MPI program whose processes use teams of OpenMP threads (teams.c). It is compiled by parcast cc and
recorded with 1, 2 and 3 threads. The counts of its elements must equal those of the source, in the recording
and, as equations, for other sizes and processes.

    tests/e2e/teams.py --build BUILD"""
import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent.parent / "bench/pass"))
from expression_values import function_of  # noqa: E402

SKIPPED = 77
ELEMENTS = ("evenly", "pairs", "every_thread", "as_they_come")
# clang 19 calls this function after loops with dynamic chunks. Runtimes before that of LLVM 19 release
# nothing there, and lack the function.
OLDER_RUNTIME = "void __kmpc_dispatch_deinit(void* where, int thread) { (void)where, (void)thread; }\n"


def rows(n, p):
    return [(n - r + p - 1) // p for r in range(p)]


def expected(n, p, steps, threads):
    all_rows = sum(rows(n, p))
    return {
        "evenly": steps * all_rows, "pairs": steps * n * all_rows, "every_thread": steps * threads * all_rows,
        "as_they_come": steps * all_rows,
    }


class Bed:
    def __init__(self, build):
        self.work = pathlib.Path(tempfile.mkdtemp(prefix="parcast-teams-"))
        os.environ["PATH"] = f"{pathlib.Path(build).resolve() / 'bin'}:{os.environ['PATH']}"
        os.environ["OMPI_CC"] = "parcast-cc"

    def run(self, *words, **more):
        done = subprocess.run(
            [str(word) for word in words], capture_output=True, text=True, cwd=self.work,
            env={**os.environ, **more},
        )
        assert done.returncode == 0, f"{words}: exit {done.returncode}\n{done.stdout}{done.stderr}"
        return done.stdout

    def build(self, runtime):
        self.run("mpicc", "-O2", "-fopenmp=libomp", "-c", HERE / "teams.c", "-o", "teams.o")
        lacks = "__kmpc_dispatch_deinit" not in self.run("nm", "-D", "--defined-only", runtime)
        (self.work / "older_runtime.c").write_text(OLDER_RUNTIME if lacks else "")
        self.run("mpicc", "teams.o", "older_runtime.c", "-o", "teams", runtime)

    def recorded(self, n, p, steps, threads):
        name = f"{n}-{p}-{steps}-{threads}.recording"
        if not (self.work / name).exists():
            self.run(
                "parcast", "record", "-q", "--no-store", "-o", name, "--param", f"n={n}", "--param",
                f"steps={steps}", "--", "mpirun", "--oversubscribe", "-n", p, "./teams", n, steps,
                OMP_NUM_THREADS=str(threads),
            )
        return name

    def entries(self, *recordings):
        """Returns, for the elements' functions: number of executions, equation, tier."""
        blocks = json.loads(self.run("parcast", "show", *recordings, "--blocks", "--json"))["blocks"]
        return {
            block["function"]: (block["seen"], block["executions"], block["found"])
            for block in blocks
            if block["function"] in ELEMENTS and block["block"] == 0
        }


def as_the_source_says(bed, threads):
    seen = {name: count for name, (count, _, _) in bed.entries(bed.recorded(41, 2, 3, threads)).items()}
    assert seen == expected(41, 2, 3, threads), (threads, seen, expected(41, 2, 3, threads))


def told_elsewhere(bed, threads, recordings, which):
    n, p, steps = 90, 4, 7
    wanted = expected(n, p, steps, threads)
    for name, (_, text, found) in bed.entries(*recordings).items():
        if name in which:
            listed = sum(function_of(text)({"n": n, "p": p, "r": r, "steps": steps}) for r in range(p))
            assert listed == wanted[name], (
                f"{name} with {threads} threads from {len(recordings)} recordings: {text} ({found}) is"
                f" {listed}, not {wanted[name]}"
            )


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", required=True)
    options = parser.parse_args()
    runtimes = [
        path
        for folder in ("/usr/lib/x86_64-linux-gnu", "/usr/lib/llvm-19/lib", "/usr/lib64")
        if (path := pathlib.Path(folder, "libomp.so.5")).exists()
    ]
    if not runtimes or not shutil.which("clang-19") or not shutil.which("mpicc"):
        print("no clang-19, Open MPI or libomp")
        sys.exit(SKIPPED)
    bed = Bed(options.build)
    try:
        bed.build(runtimes[0])
        for threads in (1, 2, 3):
            as_the_source_says(bed, threads)
            told_elsewhere(bed, threads, [bed.recorded(41, 2, 3, threads)], ("evenly", "every_thread"))
            told_elsewhere(
                bed, threads, [bed.recorded(*run, threads) for run in ((41, 2, 3), (67, 2, 5), (41, 3, 3))],
                ELEMENTS,
            )
    finally:
        shutil.rmtree(bed.work)
    print("teams of 1, 2 and 3 threads: as the source says")


if __name__ == "__main__":
    main()
