#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Epochs of one-sided access, from a running program to a predicted time: groups (post, start, complete,
wait, test), locks of one part, a lock of all parts. Times are those of docs/models/remote_epochs.md with a
latency of 1 ms and no other cost.

    tests/epochs/run.py --build BUILD --mpi open_mpi|mpich"""
import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

COMPILERS = {"open_mpi": ["mpicc.openmpi", "mpicc"], "mpich": ["mpicc.mpich"]}
LAUNCHERS = {
    "open_mpi": [["mpirun.openmpi", "--oversubscribe"], ["mpirun", "--oversubscribe"]],
    "mpich": [["mpirun.mpich"]],
}
ROUNDS, MS = 10, 1e-3


class Bed:
    def __init__(self, build, mpi):
        self.parcast_path = pathlib.Path(build).resolve() / "bin/parcast"
        self.work = pathlib.Path(tempfile.mkdtemp(prefix="parcast-epochs-"))
        compiler = next((each for each in COMPILERS[mpi] if shutil.which(each)), None)
        self.launcher = next((each for each in LAUNCHERS[mpi] if shutil.which(each[0])), None)
        if not compiler or not self.launcher:
            print(f"no compiler or launcher of {mpi}")
            sys.exit(77)
        source = pathlib.Path(__file__).parent / "epochs.c"
        subprocess.run([compiler, "-o", self.work / "epochs", source], check=True)

    def parcast(self, *words, code=0):
        done = subprocess.run(
            [self.parcast_path, *map(str, words)], capture_output=True, text=True, cwd=self.work
        )
        assert (
            done.returncode == code
        ), f"{words}: exit {done.returncode}, not {code}\n{done.stdout}{done.stderr}"
        return done

    def simulated(self, what, processes):
        """Returns the predicted run of a recording, with a latency of 1 ms."""
        recording = f"{what}.recording"
        self.parcast(
            "record", "-q", "--no-store", "-o", recording, "--", *self.launcher, "-n", processes, "./epochs",
            what, ROUNDS
        )
        done = self.parcast("simulate", recording, "--set", "L=1ms", "--json")
        assert "left out" not in done.stderr + done.stdout, done.stderr
        return json.loads(done.stdout)


def computing(answer):
    """Returns the computing of all ranks, which includes interruptions on a busy machine; and a tolerance for
    times of a picosecond."""
    return sum(rank["compute"] for rank in answer["ranks"]) + 1e-9


def takes(answer, seconds, making):
    """`making`: time of the calls that create and free windows, an allreduce each, on the fastest and the
    slowest rank."""
    least, most = seconds + 4 * making[0], seconds + 4 * making[1] + computing(answer)
    assert least <= answer["seconds"] <= most, (least, answer["seconds"], most)


def groups(bed):
    """A round: the post takes 1 ms, the writes there and back 2 ms, the message that they are done 1 ms."""
    answer = bed.simulated("groups", 3)
    assert (answer["messages"], answer["accesses"]) == (8 * ROUNDS, 2 * ROUNDS), answer
    takes(answer, 4 * ROUNDS * MS, (2 * MS, 3 * MS))
    events = bed.parcast("show", "groups.recording", "--events").stdout
    assert "MPI_Win_start window=1 group=1..2" in events and "MPI_Win_post window=1 group=0" in events, events


def locks(bed):
    """Three ranks in turn: the grant takes 1 ms, the write 2 ms, the release 1 ms; the first request 1 ms.
    The owner's own accesses take no time."""
    answer = bed.simulated("locks", 4)
    assert (answer["messages"], answer["accesses"]) == (5 * 3 * ROUNDS, 4 * ROUNDS), answer
    takes(answer, 4 * 3 * ROUNDS * MS, (2 * MS, 2 * MS))
    assert (
        "MPI_Win_lock window=1 owner=0 exclusive" in bed.parcast("show", "locks.recording", "--events").stdout
    )
    bed.parcast("export", "locks.recording", "--to", "locks.trace")
    assert (
        f"{4 * ROUNDS} locks and {4 * ROUNDS} unlocks of windows" in bed.parcast("show", "locks.trace").stdout
    )
    by_extrap = json.loads(
        bed.parcast("simulate", "locks.recording", "--set", "CommStartupTime=1000", "--json").stdout
    )
    assert any("ExtraP's model has no locks" in each for each in by_extrap["assumptions"]), by_extrap[
        "assumptions"
    ]


def everything(bed):
    """The lock there and back, and each write."""
    answer = bed.simulated("all", 4)
    assert (answer["messages"], answer["accesses"]) == (4 * (2 * 3 + 3 + 2 * ROUNDS), 4 * ROUNDS), answer
    takes(answer, 2 * (1 + ROUNDS) * MS, (2 * MS, 2 * MS))


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--build", required=True)
    parser.add_argument("--mpi", required=True, choices=sorted(COMPILERS))
    arguments = parser.parse_args()
    os.environ.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    bed = Bed(arguments.build, arguments.mpi)
    try:
        for check in (groups, locks, everything):
            check(bed)
            print(f"ok   {check.__name__}", flush=True)
    finally:
        shutil.rmtree(bed.work, ignore_errors=True)


main()
