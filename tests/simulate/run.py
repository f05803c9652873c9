#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Simulation as a user meets it: recordings, schedules and traces of other tools in; times, hangs and errors out.

    tests/simulate/run.py --build BUILD"""
import argparse
import json
import os
import pathlib
import shutil
import subprocess
import tempfile

PING_PONG = """num_ranks 2
rank 0 {
l1: calc 1000
l2: send 8192b to 1 tag 7
l2 requires l1
l3: recv 8b from 1 tag 9
l3 requires l2
}
rank 1 {
l1: recv 8192b from 0 tag 7
l2: send 8b to 0 tag 9
l2 requires l1
}
"""


ONE_SIDED = """#include <mpi.h>
int main(int argc, char** argv) {
  double there[128], here[64] = {0};
  int rank, size;
  MPI_Win window;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Win_create(there, sizeof there, sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  for (int round = 0; round < 10; ++round) {
    MPI_Win_fence(0, window);
    MPI_Put(here, 64, MPI_DOUBLE, (rank + 1) % size, 0, 64, MPI_DOUBLE, window);
    MPI_Win_fence(0, window);
    MPI_Get(here, 32, MPI_DOUBLE, (rank + 1) % size, 64, 32, MPI_DOUBLE, window);
  }
  MPI_Win_fence(0, window);
  MPI_Win_free(&window);
  MPI_Finalize();
}
"""


class Bed:
    def __init__(self, build):
        self.build = pathlib.Path(build).resolve()
        self.work = pathlib.Path(tempfile.mkdtemp(prefix="parcast-simulate-"))

    def parcast(self, *words, code=0):
        done = subprocess.run([self.build / "bin/parcast", *map(str, words)], capture_output=True, text=True, cwd=self.work)
        assert done.returncode == code, f"{words}: exit {done.returncode}, not {code}\n{done.stdout}{done.stderr}"
        return done

    def json(self, *words, code=0):
        return json.loads(self.parcast(*words, "--json", code=code).stdout)

    def write(self, name, text):
        (self.work / name).write_text(text)
        return name


def schedules(bed):
    """A ping-pong whose time is known: calc, o + L + m G + o there, the same back with 8 bytes."""
    goal = bed.write("pingpong.goal", PING_PONG)
    flags = ["--set", "L=2us", "--set", "o=500ns", "--set", "G=0.1ns/B"]
    answer = bed.json("simulate", goal, *flags)
    assert answer["schema"] == "parcast.simulation/1" and not answer["hangs"]
    expected = 1e-6 + 2 * (0.5e-6 + 2e-6 + 0.5e-6) + (8192 + 8) * 0.1e-9
    assert abs(answer["seconds"] - expected) < 1e-12, (answer["seconds"], expected)
    for rank in answer["ranks"]:
        assert abs(rank["compute"] + rank["communication"] + rank["idle"] - answer["seconds"]) < 1e-15
    assert (answer["messages"], answer["bytes"], answer["unreceived"]) == (2, 8200, 0)
    for name in ("pingpong.trace", "again.goal", "again.bgoal", "pingpong.ti"):
        if name.endswith(".trace"):
            bed.parcast("import", goal)
        else:
            bed.parcast("export", "pingpong.trace", "--to", name)
        extra = ["--flops", "1e9"] if name.endswith(".ti") else []
        same = bed.json("simulate", name, *flags, *extra)
        assert same["seconds"] == answer["seconds"], (name, same["seconds"])
    assert "2 sends" in bed.parcast("show", "pingpong.trace").stdout


def hangs(bed):
    goal = bed.write("hang.goal", PING_PONG.replace("tag 9\nl2 requires l1", "tag 8\nl2 requires l1"))
    done = bed.parcast("simulate", goal, code=4)
    assert "rank 0 waits" in done.stdout and "from rank 1, tag 9, 8 bytes" in done.stdout, done.stdout
    answer = bed.json("simulate", goal, code=4)
    assert answer["hangs"] and answer["seconds"] is None
    assert [(w["rank"], w["for_ranks"]) for w in answer["waiting"]] == [(0, [1])]
    assert answer["unreceived"] == 1


def recordings(bed):
    """What a program was recorded to do is what is simulated, and the same input gives the same bytes."""
    launch = ["mpirun", "--oversubscribe", "-n", 2, bed.build / "examples/gauss", 96]
    bed.parcast("record", "-q", "--no-store", "-o", "gauss.recording", "--", *launch)
    counted = bed.json("show", "gauss.recording", "--counts")["ranks"]
    answer = bed.json("simulate", "gauss.recording", "--set", "L=1us")
    assert answer["messages"] == sum(rank["messages_sent"] for rank in counted)
    assert answer["bytes"] == sum(rank["bytes_sent"] for rank in counted)
    for simulated, recorded in zip(answer["ranks"], counted):
        assert abs(simulated["compute"] - recorded["compute_seconds"]) < 0.05 * recorded["compute_seconds"], (simulated, recorded)
    timeless = [bed.json("simulate", "gauss.recording", "--set", "L=1us") for _ in range(2)]
    for each in timeless:
        del each["events_per_second"]
    assert timeless[0] == timeless[1]
    slower = bed.json("simulate", "gauss.recording", "--set", "L=1ms")
    assert slower["seconds"] > answer["seconds"]
    bed.parcast("export", "gauss.recording", "--to", "gauss.trace")
    assert bed.json("simulate", "gauss.trace", "--set", "L=1us")["seconds"] == answer["seconds"]


def one_sided(bed):
    """Accesses by MPI_Put and MPI_Get, complete at the fences: ten of each on both ranks, two messages each."""
    source = bed.write("one_sided.c", ONE_SIDED)
    subprocess.run(["mpicc", "-o", "one_sided", source], cwd=bed.work, check=True)
    bed.parcast("record", "-q", "--no-store", "-o", "one_sided.recording", "--", "mpirun", "--oversubscribe", "-n", 2, "./one_sided")
    answer = bed.json("simulate", "one_sided.recording", "--set", "L=1ms")
    assert (answer["accesses"], answer["messages"], answer["bytes"]) == (40, 80, 10 * 2 * (512 + 256)), answer
    # a round: a barrier of one step, the put there and back; a barrier, the get there and back
    assert 60e-3 < answer["seconds"] < 75e-3, answer["seconds"]
    assert any("40 one-sided accesses" in each for each in answer["assumptions"]), answer["assumptions"]
    served = bed.json("simulate", "one_sided.recording", "--set", "CommStartupTime=1000", "--set", "RequestMsgSize=16")
    assert (served["accesses"], served["bytes"]) == (40, 10 * 2 * (512 + 16 + 16 + 256 + 16)), served
    assert 60e-3 < served["seconds"] < 90e-3, served["seconds"]
    bed.parcast("export", "one_sided.recording", "--to", "one_sided.trace")
    assert "40 remote accesses" in bed.parcast("show", "one_sided.trace").stdout


def extrap(bed):
    """ExtraP's machine by its own names and units, and from a file: pack, way and get there and back, computing scaled."""
    flags = ["--set", "MipsRatio=0.5", "--set", "PackStartupTime=3", "--set", "CommStartupTime=10", "--set", "ByteTransferTime=0.001", "--set", "GetMsgTime=4"]
    answer = bed.json("simulate", "pingpong.goal", *flags)
    expected = 0.5e-6 + 2 * (3e-6 + 10e-6 + 4e-6) + (8192 + 8) * 0.001e-6
    assert abs(answer["seconds"] - expected) < 1e-12, (answer["seconds"], expected)
    assert "every rank has a node of its own" in answer["assumptions"]
    bed.parcast("machine", "set", "extrap-table-1", *flags[1::2], "-o", "cm.machine.toml")
    assert "PackStartupTime = 3" in (bed.work / "cm.machine.toml").read_text()
    assert bed.json("simulate", "pingpong.goal", "-m", "cm")["seconds"] == answer["seconds"]
    assert bed.json("simulate", "pingpong.goal", "-m", "cm", "--set", "GetMsgTime=5")["seconds"] > answer["seconds"]
    assert "ExtraP" in bed.parcast("machine", "show", "cm").stdout
    both = bed.write("both.machine.toml", (bed.work / "cm.machine.toml").read_text() + '[links.network]\nlatency = "2us"\ngap_per_byte = "0ns/B"\n')
    assert bed.json("simulate", "pingpong.goal", "-m", both, "--model", "extrap")["seconds"] == answer["seconds"]
    assert abs(bed.json("simulate", "pingpong.goal", "-m", both, "--model", "links")["seconds"] - 5e-6) < 1e-12


def mistakes(bed):
    for words, code, said in [
            (["nothing"], 1, "there is no trace nothing"),
            ([bed.write("words.txt", "not a trace\n")], 1, "not a trace"),
            ([bed.write("cut.goal", PING_PONG[:150])], 1, "cut.goal:"),
            ([bed.write("no_rank.goal", PING_PONG.replace("to 1", "to 2"))], 1, "rank"),
            (["pingpong.goal", "--set", "L=2"], 2, "needs a unit"),
            (["pingpong.goal", "--set", "Q=2us"], 2, "Q"),
            (["pingpong.goal", "--attention", "never"], 2, "known: calls"),
            (["pingpong.goal", "--compute-ratio", "nan"], 2, "--compute-ratio"),
            (["pingpong.goal", "--ranks-per-node", "0"], 2, "--ranks-per-node"),
            (["pingpong.goal", "--set", "L=2us", "--set", "MipsRatio=2"], 2, "--set MipsRatio=2 is of ExtraP's model, --set L=2us of the model of links"),
            (["pingpong.goal", "--set", "Topology=Torus"], 2, "known are FullyConnected"),
            (["pingpong.goal", "--set", "ProcessMsgType=PeriodicPolling"], 2, "Delta"),
            (["pingpong.goal", "--set", "MipsRatio=2", "--attention", "always"], 2, "use --set ProcessMsgType"),
            (["pingpong.goal", "--model", "extrap"], 2, "no section [extrap]"),
            (["pingpong.goal", "--model", "other"], 2, "known: links"),
            (["pingpong.goal", "-m", "both.machine.toml"], 2, "choose by --model"),
            (["pingpong.goal", "--set", "CommStartupTime=1e12"], 2, "out of range"),
            (["pingpong.ti"], 1, "--flops"),
            (["pingpong.goal", "--set", "L=1000000h"], 2, "out of range")]:
        done = bed.parcast("simulate", *words, code=code)
        assert said in done.stderr, (words, done.stderr)
    whole = (bed.work / "pingpong.trace").read_bytes()
    (bed.work / "cut.trace").write_bytes(whole[:-8])
    assert "cut short" in bed.parcast("simulate", "cut.trace", code=1).stderr
    assert "already" in bed.parcast("import", "pingpong.goal", code=1).stderr
    assert "already" in bed.parcast("export", "pingpong.trace", "--to", "again.goal", code=1).stderr
    assert "does not tell the format" in bed.parcast("export", "pingpong.trace", "--to", "x.y", code=2).stderr


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True)
    bed = Bed(parser.parse_args().build)
    os.environ.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    try:
        for check in (schedules, hangs, recordings, one_sided, extrap, mistakes):
            check(bed)
            print(f"ok   {check.__name__}", flush=True)
    finally:
        shutil.rmtree(bed.work, ignore_errors=True)


main()
