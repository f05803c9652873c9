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


INCAST = """num_ranks 4
rank 0 {
l1: send 1000000b to 2
}
rank 1 {
l1: send 1000000b to 3
}
rank 2 {
l1: recv 1000000b from 0
}
rank 3 {
l1: recv 1000000b from 1
}
"""


def networks(bed):
    """Two messages of 1 MB to two ranks of one node, whose link carries 10 GB/s: 200 us for both, where each alone takes 100 us."""
    goal = bed.write("incast.goal", INCAST)
    bed.write("cluster.machine.toml", """nodes = 2
name = "cluster"
cores_per_node = 2
[links.node]
latency = "1us"
gap_per_byte = "0.1ns/B"
[links.network]
latency = "2us"
gap_per_byte = "0.1ns/B"
[network]
topology = "crossbar"
bandwidth = "10GB/s"
""")
    answer = bed.json("simulate", goal, "-m", "cluster")
    assert abs(answer["seconds"] - 202e-6) < 1e-12, answer["seconds"]
    assert abs(answer["slowed_by_sharing"] - 200e-6) < 1e-12
    assert answer["busiest_links"][0] == {"link": "node 0 to switch 0", "bytes": 2000000, "bytes_per_second": 1e10}
    assert "node 0 to switch 0" in bed.parcast("simulate", goal, "-m", "cluster").stdout
    wide = bed.json("simulate", goal, "-m", "cluster", "--set", "network.injection_bandwidth=20GB/s")
    assert abs(wide["seconds"] - 102e-6) < 1e-12 and wide["slowed_by_sharing"] == 0, wide
    assert "crossbar" in bed.parcast("machine", "show", "cluster").stdout
    ring = ["--set", "L=2us", "--set", "G=0.1ns/B", "--set", "network.topology=torus", "--set", "network.bandwidth=10GB/s", "--set", "network.hop_latency=50ns"]
    far = bed.json("simulate", goal, *ring, "--set", "network.dimensions=4")
    # Half way round a ring of four, from 0 up and from 1 down: the two share no link.
    assert abs(far["seconds"] - (102e-6 + 2 * 50e-9)) < 1e-12, far["seconds"]
    for said, words in (("joins 2", ["--set", "network.dimensions=2"]), ("needs dimensions", []), ("known are crossbar", ["--set", "network.topology=tours"]), ("whole numbers", ["--set", "network.dimensions=4by4"])):
        done = bed.parcast("simulate", goal, *ring, *words, code=2)
        assert said in done.stderr, (said, done.stderr)


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
        for check in (schedules, hangs, recordings, networks, mistakes):
            check(bed)
            print(f"ok   {check.__name__}", flush=True)
    finally:
        shutil.rmtree(bed.work, ignore_errors=True)


main()
