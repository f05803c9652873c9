#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Imports archives of another writer (archives.py, by Debian's python3-otf2). The times of their runs are
known by hand, and must be the same by simulation and by equation. Skipped (77) if no Python has the module
otf2.

    tests/interchange/otf2_archives.py --build BUILD"""
import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

try:
    import archives
except ModuleNotFoundError:
    system = "/usr/bin/python3"
    if os.path.realpath(sys.executable) == os.path.realpath(system) or not os.path.exists(system):
        print("no module otf2: install python3-otf2")
        sys.exit(77)
    os.execv(system, [system, *sys.argv])


class Bed:
    def __init__(self, build):
        self.binary = pathlib.Path(build).resolve() / "bin" / "parcast"
        self.work = pathlib.Path(tempfile.mkdtemp(prefix="parcast-archives-"))
        self.parcast("machine", "set", "ideal", "L=1us", "G=0.1ns/B", "-o", "one.machine.toml")

    def parcast(self, *words, code=0):
        done = subprocess.run(
            [self.binary, *map(str, words)], capture_output=True, text=True, cwd=self.work, timeout=120,
            stdin=subprocess.DEVNULL,
        )
        assert done.returncode == code, f"{words}: exit {done.returncode}\n{done.stdout}{done.stderr}"
        return done

    def json(self, *words, code=0):
        return json.loads(self.parcast(*words, "--json", code=code).stdout)

    def take(self, make, code=0):
        """Makes and imports an archive: returns what the import, `show` and `show --counts` print."""
        name = make.__name__
        make(self.work / f"{name}.otf2")
        done = self.parcast("import", f"{name}.otf2", "-o", f"{name}.recording", code=0)
        shown = self.parcast("show", f"{name}.recording", code=code).stdout
        for share in re.findall(r"(\d+(?:\.\d+)?) %", shown):
            assert float(share) <= 100, shown
        return done.stdout + done.stderr, shown, self.json("show", f"{name}.recording", "--counts", code=code)

    def simulated(self, make, code=0):
        return self.json("simulate", f"{make.__name__}.recording", "-m", "one", code=code)

    def predicted(self, make, p):
        """Returns the prediction of the equation."""
        name = make.__name__
        self.parcast("model", "--no-store", f"{name}.recording", "-o", f"{name}.model.json")
        return self.json("predict", f"{name}.model.json", "-m", "one", "-p", p, "--no-store")


def near(value, expected, what, tolerance=1e-9):
    assert abs(value - expected) < tolerance, (what, value, expected)


def computing(counts):
    return [rank["compute_seconds"] for rank in counts["ranks"]]


def check_computing(bed, make, microseconds, said=(), code=0):
    """What each rank computes, and what the import and `show` print."""
    imported, shown, counts = bed.take(make, code)
    assert len(counts["ranks"]) == len(microseconds), counts
    for value, expected in zip(computing(counts), microseconds):
        near(value, 1e-6 * expected, make.__name__)
    for words in said:
        assert words in imported + shown, (words, imported, shown)
    return imported, shown


def time_outside_of_the_run_is_none_of_it(bed):
    """By hand: rank 0 computes 1010 before its send and 880 after it, rank 1 510 and 870."""
    check_computing(bed, archives.before_init, (1890, 1380))
    run = bed.simulated(archives.before_init)
    near(run["seconds"], 1.890e-3, "before_init simulated")
    near(run["ranks"][1]["end"], (1010 + 1 + 0.4096 + 870) * 1e-6, "the receiver")
    near(
        bed.predicted(archives.before_init, 2)["parts"]["compute"]["value"], 1.890e-3,
        "before_init by the equation",
    )
    check_computing(bed, archives.early_thread, [1990])
    near(bed.simulated(archives.early_thread)["seconds"], 1.990e-3, "early_thread")
    check_computing(bed, archives.different_starts, (2000, 3000))
    near(bed.simulated(archives.different_starts)["seconds"], 3.001e-3, "different_starts")


def threads_at_the_same_time_count_once(bed):
    said = "2 processes have events of several threads: what threads compute at the same time counts once"
    for make, run in ((archives.threads, 6890), (archives.two_teams, 7000)):
        check_computing(bed, make, (run, run), [said])
        simulated = bed.simulated(make)
        near(simulated["seconds"], 1e-6 * (run + 1), make.__name__)
        assert any("counts once" in each for each in simulated["assumptions"]), simulated
        predicted = bed.predicted(make, 2)
        near(predicted["parts"]["compute"]["value"], 1e-6 * run, f"{make.__name__} by the equation")
        assert any("counts once" in json.dumps(each) for each in predicted["warnings"]), predicted["warnings"]
    check_computing(bed, archives.nested_teams, [5000])
    near(bed.simulated(archives.nested_teams)["seconds"], 5e-3, "nested_teams")
    check_computing(bed, archives.tasks, [3000], ["left without being entered"])
    near(bed.simulated(archives.tasks)["seconds"], 3e-3, "tasks")


def a_thread_that_sends_is_no_time_of_the_first(bed):
    """The message leaves 1000 after MPI_Init and arrives 1 us + 100 ns later; 980 follow."""
    check_computing(bed, archives.init_thread, (2000, 1480))
    run = bed.simulated(archives.init_thread)
    near(run["seconds"], 2e-3, "init_thread")
    near(run["ranks"][1]["end"], (1000 + 1 + 0.1 + 980) * 1e-6, "the receiver")


def accelerators_are_outside_and_said(bed):
    outside = (
        "the archive holds 2 streams of accelerators with 4 records: kernels and copies there are outside the"
        " recording and every model of it"
    )
    imported, shown = check_computing(bed, archives.accelerator, (99_990, 99_990), [outside])
    assert outside in imported and outside in " ".join(shown.split()), shown
    assert (
        "compute 3.99 ms 4 %" in shown and "accelerator calls 96.0 ms 96 %" in shown and "100 %" not in shown
    ), shown
    waits = "a process spends 0.0960 s (mean) in calls that start accelerators or wait for them"
    assert waits in imported and waits in " ".join(shown.split()), shown
    run = bed.simulated(archives.accelerator)
    near(run["seconds"], 99.991e-3, "accelerator")
    for said in (outside, waits):
        assert any(said in each for each in run["assumptions"]), run["assumptions"]
        assert any(said in json.dumps(each) for each in bed.predicted(archives.accelerator, 2)["warnings"])
    _, shown = check_computing(bed, archives.streams_in_processes, [1000], ["2 streams of accelerators"])
    assert "accelerator calls 900 us 90 %" in shown, shown
    bed.parcast("export", "accelerator.recording", "--to", "again.otf2")
    bed.parcast("import", "again.otf2", "-o", "again.recording")
    assert "accelerator calls 96.0 ms 96 %" in bed.parcast("show", "again.recording").stdout


def processes_without_mpi(bed):
    check_computing(bed, archives.openmp_alone, [8000], ["call no MPI"])
    near(bed.simulated(archives.openmp_alone)["seconds"], 8e-3, "openmp_alone")
    check_computing(bed, archives.strangers, (1000, 1000), ["1 locations are no threads of a process of MPI"])
    near(bed.simulated(archives.strangers)["seconds"], 1.001e-3, "strangers")


def a_run_that_was_killed_ends_where_its_events_do(bed):
    check_computing(bed, archives.killed, (1000, 1390), ["without MPI_Finalize"], code=3)
    run = bed.simulated(archives.killed, code=3)
    near(run["seconds"], 1.391e-3, "killed")


TESTS = [
    time_outside_of_the_run_is_none_of_it, threads_at_the_same_time_count_once,
    a_thread_that_sends_is_no_time_of_the_first, accelerators_are_outside_and_said, processes_without_mpi,
    a_run_that_was_killed_ends_where_its_events_do,
]


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--build", required=True)
    bed = Bed(parser.parse_args().build)
    try:
        for test in TESTS:
            test(bed)
            print("ok", test.__name__)
    finally:
        shutil.rmtree(bed.work)


if __name__ == "__main__":
    main()
