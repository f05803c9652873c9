#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Phases of programs, from end to end: the matrix multiplications' operations and quantums at p = 2 to 16,
and a program without MPI.

    tests/e2e/phases.py --build BUILD"""
import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

N = 50  # does not divide evenly by most grids


def grid_of(p):
    """Returns r and c with r x c = p, as close to a square as possible, by trial of all pairs."""
    return max((r, p // r) for r in range(1, p + 1) if p % r == 0 and r <= p // r)


class Bed:
    def __init__(self, build):
        self.build = pathlib.Path(build).resolve()
        self.work = pathlib.Path(tempfile.mkdtemp(prefix="parcast-phases-"))
        os.environ["PATH"] = f"{self.build / 'bin'}:{self.build / 'examples'}:{os.environ['PATH']}"

    def run(self, *words, code=0):
        done = subprocess.run(list(map(str, words)), capture_output=True, text=True, cwd=self.work)
        assert done.returncode == code, f"{words}: exit {done.returncode}\n{done.stdout}{done.stderr}"
        return done

    def record(self, name, *launch, code=0):
        return self.run(
            "parcast", "record", "-q", "--no-store", "-o", f"{name}.recording", "--", *launch, code=code
        )

    def counts(self, name):
        return json.loads(self.run("parcast", "show", "--json", f"{name}.recording").stdout)


def total(phases, kind, field):
    return sum(phase[field] for phase in phases if phase["kind"] == kind)


def multiplication(bed, p, algorithm):
    name = f"{algorithm}-{p}"
    done = bed.record(name, "mpirun", "--oversubscribe", "-n", p, "matmul", N, algorithm)
    assert "wrong 0\n" in done.stdout, done.stdout
    counts = bed.counts(name)
    assert counts["complete"], counts["problems"]
    r, c = grid_of(p)
    assert (counts["parameters"]["rows"], counts["parameters"]["columns"]) == (r, c), (
        p, counts["parameters"],
    )
    phases = counts["phases"]
    assert total(phases, "computation", "operations") == N**3, (p, phases)
    quantums = total(phases, "communication", "quantums")
    if algorithm == "cannon":
        # p processes send 2 blocks of n^2/p in each of max(r, c) - 1 steps (Lemeire and Dirkx 2004, section
        # 5.2)
        assert quantums == p * 2 * (N * N / p) * (max(r, c) - 1), (p, quantums)
        assert quantums / (2 * N * N) + 1 == max(r, c), (p, quantums)
    else:
        assert quantums == N * N * (r + c - 2), (p, quantums)
    lengths = [sum(phase["seconds"] for phase in rank["phases"]) for rank in counts["ranks"]]
    assert max(lengths) - min(lengths) < 1e-9 * p, lengths
    assert all(
        rank["phases"][-1]["name"] == "end" and rank["phases"][-1]["kind"] == "idle"
        for rank in counts["ranks"]
    )
    return quantums


def the_quantums_are_the_papers(bed):
    for p in range(2, 17):
        multiplication(bed, p, "cannon")
    for p in (1, 6, 7, 16):
        multiplication(bed, p, "broadcast")
    assert multiplication(bed, 1, "cannon") == 0


def show_prints_what_each_phase_took(bed):
    lines = bed.run("parcast", "show", "cannon-6.recording").stdout.splitlines()
    head = next(i for i, line in enumerate(lines) if line.split()[:2] == ["phase", "executions"])
    table = [line.split() for line in lines[head + 1 : head + 9]]
    assert [row[0] for row in table] == [
        "computation", "fill", "multiply", "check", "communication", "shift", "idle", "wait",
    ], table
    shift = table[5]
    # 2 x 3: two steps, two phases each on 6 processes
    assert shift[1] == "24" and shift[-2:] == ["0", f"{2 * N * N * 2:,}"], shift
    events = json.loads(bed.run("parcast", "show", "--events", "--json", "cannon-6.recording").stdout)
    for rank in events["ranks"]:
        assert all(a["end"] == b["begin"] for a, b in zip(rank["phases"], rank["phases"][1:])), rank["rank"]


def a_program_without_mpi_is_a_run_of_one_process(bed):
    phases = bed.build / "tests" / "record" / "programs" / "phases"
    plain = bed.run(phases, "plain", code=4)
    recorded = bed.record("alone", phases, "plain", code=4)
    assert recorded.stdout == plain.stdout
    counts = bed.counts("alone")
    assert (
        counts["processes"] == 1 and counts["complete"] and counts["parameters"] == {"n": 150, "steps": 3}
    ), counts
    assert [(phase["name"], phase["operations"], phase["quantums"]) for phase in counts["phases"]] == [
        ("multiply", 300, 30), ("shift", 0, 60), ("idle", 0, 0), ("end", 0, 0)]
    found = bed.run("parcast", "doctor", phases).stdout
    assert "recorded, as a run of one process" in found, found


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", required=True)
    bed = Bed(parser.parse_args().build)
    try:
        for function in (
            the_quantums_are_the_papers, show_prints_what_each_phase_took,
            a_program_without_mpi_is_a_run_of_one_process,
        ):
            function(bed)
            print("ok", function.__name__)
    except AssertionError as problem:
        print(f"FAILED {function.__name__}: {problem}\nfiles are in {bed.work}", file=sys.stderr)
        sys.exit(1)
    shutil.rmtree(bed.work)


main()
