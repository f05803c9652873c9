#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Simulation from the user's point of view: input are recordings, schedules and traces of other tools; output
are times, deadlocks and errors.

    tests/simulate/run.py --build BUILD"""
import argparse
import json
import os
import pathlib
import re
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


NOW_AND_THEN = """#include <mpi.h>
#include <stdlib.h>
int main(int argc, char** argv) {
  double in[2], out[2] = {0, 1}, sum;
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int up = rank > 0 ? rank - 1 : MPI_PROC_NULL, down = rank < size - 1 ? rank + 1 : MPI_PROC_NULL;
  for (int step = 0; step < atoi(argv[1]); ++step) {
    MPI_Request requests[4];
    MPI_Irecv(in, 1, MPI_DOUBLE, up, 0, MPI_COMM_WORLD, requests);
    MPI_Irecv(in + 1, 1, MPI_DOUBLE, down, 1, MPI_COMM_WORLD, requests + 1);
    MPI_Isend(out, 1, MPI_DOUBLE, down, 0, MPI_COMM_WORLD, requests + 2);
    MPI_Isend(out + 1, 1, MPI_DOUBLE, up, 1, MPI_COMM_WORLD, requests + 3);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    if ((step + 1) % 10 == 0) MPI_Allreduce(out, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
  MPI_Finalize();
}
"""


WHO_IS_FIRST = """#include <mpi.h>
#include <time.h>
#include <unistd.h>
static void work(double seconds) {
  struct timespec t;
  double begin = -1, now;
  do {
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    now = t.tv_sec + 1e-9 * t.tv_nsec;
    if (begin < 0) begin = now;
  } while (now < begin + seconds);
}
int main(int argc, char** argv) {
  int rank, bytes, value = 0;
  MPI_Status status;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) {
    MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, MPI_BYTE, &bytes);
    MPI_Recv(&value, bytes, MPI_BYTE, status.MPI_SOURCE, status.MPI_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    work(0.1);
    MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  for (int i = 0; i < 2 && rank % 2 == 1; ++i) {
    if (rank == 1) MPI_Send(&value, 1, MPI_INT, 3, 6, MPI_COMM_WORLD);
    MPI_Recv(&value, 1, MPI_INT, 4 - rank, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 3) MPI_Send(&value, 1, MPI_INT, 1, 6, MPI_COMM_WORLD);
  }
  if (rank == 2) usleep(300000), work(0.1);
  if (rank == 1 || rank == 2) MPI_Send(&value, 1, MPI_INT, 0, 5, MPI_COMM_WORLD);
  MPI_Finalize();
}
"""


class Bed:
    def __init__(self, build):
        self.build = pathlib.Path(build).resolve()
        self.work = pathlib.Path(tempfile.mkdtemp(prefix="parcast-simulate-"))

    def parcast(self, *words, code=0):
        done = subprocess.run(
            [self.build / "bin/parcast", *map(str, words)], capture_output=True, text=True, cwd=self.work
        )
        assert (
            done.returncode == code
        ), f"{words}: exit {done.returncode}, not {code}\n{done.stdout}{done.stderr}"
        return done

    def json(self, *words, code=0):
        return json.loads(self.parcast(*words, "--json", code=code).stdout)

    def record(self, name, p, example, *arguments):
        self.parcast(
            "record", "-q", "--no-store", "-o", f"{name}.recording", "--", "mpirun", "--oversubscribe", "-n",
            p, self.build / "examples" / example, *arguments,
        )

    def write(self, name, text):
        (self.work / name).write_text(text)
        return name


def schedules(bed):
    """A ping-pong with a known time: calc, o + L + m G + o there, the same back with 8 bytes."""
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
    """The simulated operations are the recorded ones, and the same input gives the same bytes."""
    launch = ["mpirun", "--oversubscribe", "-n", 2, bed.build / "examples/gauss", 96]
    bed.parcast("record", "-q", "--no-store", "-o", "gauss.recording", "--", *launch)
    counted = bed.json("show", "gauss.recording", "--counts")["ranks"]
    answer = bed.json("simulate", "gauss.recording", "--set", "L=1us")
    assert answer["messages"] == sum(rank["messages_sent"] for rank in counted)
    assert answer["bytes"] == sum(rank["bytes_sent"] for rank in counted)
    # three digits
    units = {"s": 1, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}
    interrupted = [
        float(number) * units[unit]
        for each in answer["assumptions"]
        for number, unit in re.findall(r"other work had the processor \(([\d.e+-]+) (\w+),", each)
    ]
    simulated, recorded = (
        sum(rank[name] for rank in ranks)
        for name, ranks in (("compute", answer["ranks"]), ("compute_seconds", counted))
    )
    assert abs(simulated - recorded - sum(interrupted)) < 0.01 * recorded + 0.01 * sum(interrupted), (
        simulated, recorded, interrupted,
    )
    answers = [bed.json("simulate", "gauss.recording", "--set", "L=1us") for _ in range(2)]
    assert answers[0] == answers[1]
    slower = bed.json("simulate", "gauss.recording", "--set", "L=1ms")
    assert slower["seconds"] > answer["seconds"]
    bed.parcast("export", "gauss.recording", "--to", "gauss.trace")
    assert bed.json("simulate", "gauss.trace", "--set", "L=1us")["seconds"] == answer["seconds"]


def recorded_elsewhere(bed):
    """Computing takes longer in proportion to the ratio of the core's speed to that of the recording."""
    for name, speed in (("fast", "4e9"), ("slow", "1e9"), ("untold", "")):
        bed.write(
            f"{name}.machine.toml", 'schema = "parcast.machine/1"\nname = "' + name + '"\n'
            + (f"core_speed = {speed}\n" if speed else "")
            + '[links.network]\nlatency = "2us"\ngap_per_byte = "0ns/B"\n',
        )
    alone, scaled = bed.json("simulate", "pingpong.goal", "-m", "slow"), bed.json(
        "simulate", "pingpong.goal", "-m", "slow", "--recorded-on", "fast"
    )
    # 1 us of computing takes 4
    assert abs(scaled["seconds"] - alone["seconds"] - 3e-6) < 1e-15, (alone["seconds"], scaled["seconds"])
    assert any(
        "4.00 times as long as recorded, by the core speeds of fast and slow" in each
        for each in scaled["assumptions"]
    ), scaled["assumptions"]
    assert (
        "core speed of untold is not known"
        in bed.parcast("simulate", "pingpong.goal", "-m", "slow", "--recorded-on", "untold", code=2).stderr
    )
    assert (
        "leave out one"
        in bed.parcast(
            "simulate", "pingpong.goal", "-m", "slow", "--recorded-on", "fast", "--compute-ratio", 2, code=2
        ).stderr
    )
    assert (
        "leave out one"
        in bed.parcast(
            "simulate", "pingpong.goal", "-m", "slow", "--recorded-on", "fast", "--vary", "compute-ratio=1,2",
            code=2,
        ).stderr
    )


def many_machines(bed):
    """A point of a sweep equals a separate simulation, for any number of threads; in a table, CSV, JSON and a
    plot."""
    flags = ["--set", "o=500ns", "--vary", "L=1us,2us,4us", "--vary", "G=0ns/B..0.2ns/B/3"]
    answer = bed.json("simulate", "pingpong.goal", *flags, "--threads", 1)
    assert answer["schema"] == "parcast.sweep/1" and len(answer["points"]) == 9
    assert bed.json("simulate", "pingpong.goal", *flags, "--threads", 4) == answer
    for point in answer["points"]:
        latency, gap = (point["machine_parameters"][name]["value"] for name in "LG")
        expected = 1e-6 + 2 * (0.5e-6 + latency + 0.5e-6) + (8192 + 8) * gap
        assert abs(point["seconds"]["value"] - expected) < 1e-12, (point["machine_parameters"], expected)
        assert point["seconds"]["level"] == 0 and point["engine"] == "simulate"
        assert abs(sum(part["value"] for part in point["parts"].values()) - expected) < 1e-15
    table = bed.parcast("simulate", "pingpong.goal", *flags).stdout
    assert "interval" not in table and "4us" in table and "0.2ns/B" in table, table
    bed.parcast("simulate", "pingpong.goal", *flags, "-o", "curves.svg")
    plot = (bed.work / "curves.svg").read_text()
    assert plot.startswith("<svg") and "1us" in plot and "interval shaded" not in plot
    # Between 5 us (L = 1us, G = 0) and 12.64 us (4us, 0.2ns/B) levels have equal distances.
    bed.parcast("simulate", "pingpong.goal", *flags, "--contour", "-o", "field.svg")
    field = (bed.work / "field.svg").read_text()
    assert [field.count(f"<title>{level} us</title>") for level in (6, 8, 10, 12, 14)] == [
        1, 1, 1, 1, 0,
    ] and field.count("<circle") == 10, field
    assert (
        "of many runs"
        in bed.parcast("simulate", "pingpong.goal", "--contour", "-o", "field.svg", code=2).stderr
    )
    lines = bed.parcast("simulate", "pingpong.goal", *flags, "--csv").stdout.splitlines()
    assert len(lines) == 10 and ",G,L," in lines[0] and ",1e-06," in lines[1], lines[:2]
    ratio = bed.json("simulate", "pingpong.goal", "--vary", "compute-ratio=1,2")["points"]
    assert abs(ratio[1]["seconds"]["value"] - ratio[0]["seconds"]["value"] - 1e-6) < 1e-15
    # Two large sends face to face: eager below the limit, a deadlock above it.
    face = bed.write(
        "face.goal", "num_ranks 2\n"
        + "".join(
            f"rank {r} {{\nl1: send 2000b to {1 - r} tag 1\nl2: recv 2000b from {1 - r} tag 1\nl2 requires"
            " l1\n}\n"
            for r in (0, 1)
        ),
    )
    done = bed.parcast("simulate", face, "--set", "L=1us", "--vary", "S=1000B,4000B", "--json", code=4)
    assert [point["machine_parameters"]["S"]["value"] for point in json.loads(done.stdout)["points"]] == [
        4000
    ]
    assert "with S = 1000B 2 ranks would wait for ever" in done.stderr.replace("KB", "000B").replace(
        "1kB", "1000B"
    ), done.stderr


def noise(bed):
    """The same seed gives the same bytes; repeats equal the single runs of their seeds."""
    flags = ["--set", "L=2us", "--set", "noise=0.2"]
    single = [bed.json("simulate", "pingpong.goal", *flags, "--noise", seed)["seconds"] for seed in (5, 6, 7)]
    assert len(set(single)) == 3
    repeats = bed.json("simulate", "pingpong.goal", *flags, "--noise", 5, "--repeats", 3, "--threads", 3)
    assert repeats["schema"] == "parcast.repeats/1" and repeats["seconds"] == single, (
        repeats["seconds"], single,
    )
    assert repeats["quantiles"][0]["seconds"] == min(single) and repeats["quantiles"][-1]["seconds"] == max(
        single
    )
    assert any("20.0 %" in sentence for sentence in repeats["assumptions"]), repeats["assumptions"]
    assert (
        "seeds 5 to 7"
        in bed.parcast("simulate", "pingpong.goal", *flags, "--noise", 5, "--repeats", 3).stdout
    )
    points = bed.json(
        "simulate", "pingpong.goal", "--set", "L=2us", "--vary", "noise=0,0.1,0.3", "--noise", 1, "--repeats",
        40,
    )["points"]
    widths = [point["seconds"]["high"] - point["seconds"]["low"] for point in points]
    assert widths[0] == 0 < widths[1] < widths[2], widths


def platforms(bed):
    """A SimGrid cluster is a valid machine: two private links and the backbone between nodes, a loopback
    within."""
    bed.write("acme.xml", """<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1"><zone id="world" routing="Full">
<cluster id="acme" prefix="n" suffix="" radical="0-3" speed="1Gf" core="1" bw="1GBps" lat="1us"
         bb_bw="10GBps" bb_lat="3us"/>
</zone></platform>
""")
    answer = bed.json("import", "acme.xml")
    assert (answer["format"], answer["nodes"], answer["path"]) == ("machine", 4, "acme.machine.toml"), answer
    simulated = bed.json("simulate", "pingpong.goal", "-m", "acme")
    assert abs(simulated["seconds"] - (1e-6 + 2 * 5e-6 + 8200e-9)) < 1e-12, simulated["seconds"]
    assert "already" in bed.parcast("import", "acme.xml", code=1).stderr
    bed.write(
        "torus.xml",
        (bed.work / "acme.xml").read_text().replace("lat=", 'topology="TORUS" topo_parameters="2,2" lat='),
    )
    assert "torus.xml:4: error: the cluster is a TORUS" in bed.parcast("import", "torus.xml", code=1).stderr


def algorithms(bed):
    """--set chooses a collective's algorithm by name: a linear barrier takes 2 L + p (o_s + o_r), a
    dissemination ceil(log2 p) rounds."""
    lines = "".join(f"{rank} init\n{rank} barrier\n{rank} finalize\n" for rank in range(6))
    barrier = bed.write("barrier.txt", lines)
    flags = ["--flops", "1e9", "--set", "L=2us", "--set", "o=1us"]
    assert abs(bed.json("simulate", barrier, *flags)["seconds"] - 3 * 4e-6) < 1e-12
    assert (
        abs(
            bed.json("simulate", barrier, *flags, "--set", "collectives.barrier=linear")["seconds"]
            - (4e-6 + 6 * 2e-6)
        )
        < 1e-12
    )


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
    """Two messages of 1 MB to two ranks of one node, whose link carries 10 GB/s: 200 us for both, 100 us for
    each alone."""
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
    assert answer["busiest_links"][0] == {
        "link": "node 0 to switch 0", "bytes": 2000000, "bytes_per_second": 1e10,
    }
    assert "node 0 to switch 0" in bed.parcast("simulate", goal, "-m", "cluster").stdout
    wide = bed.json("simulate", goal, "-m", "cluster", "--set", "network.injection_bandwidth=20GB/s")
    assert abs(wide["seconds"] - 102e-6) < 1e-12 and wide["slowed_by_sharing"] == 0, wide
    assert "crossbar" in bed.parcast("machine", "show", "cluster", "--all").stdout
    ring = [
        "--set", "L=2us", "--set", "G=0.1ns/B", "--set", "network.topology=torus", "--set",
        "network.bandwidth=10GB/s", "--set", "network.hop_latency=50ns",
    ]
    far = bed.json("simulate", goal, *ring, "--set", "network.dimensions=4")
    # Half way round a ring of four, from 0 up and from 1 down: the two share no link.
    assert abs(far["seconds"] - (102e-6 + 2 * 50e-9)) < 1e-12, far["seconds"]
    for said, words in (
        ("joins 2", ["--set", "network.dimensions=2"]), ("needs dimensions", []),
        ("known are crossbar", ["--set", "network.topology=tours"]),
        ("whole numbers", ["--set", "network.dimensions=4by4"]),
    ):
        done = bed.parcast("simulate", goal, *ring, *words, code=2)
        assert said in done.stderr, (said, done.stderr)


def actions(folder):
    """Returns the actions of each rank of a trace in SimGrid's format, except computing."""
    ranks = {}
    for file in sorted(path for path in folder.rglob("*") if path.is_file() and path.name != "index.txt"):
        for line in file.read_text().splitlines():
            rank, action, *rest = line.split()
            if action != "compute":
                ranks.setdefault(int(rank), []).append((action, *rest))
    return ranks


def models(bed):
    """A model of small runs gives the trace of a larger one that was recorded as well: the same operations.
    (Times of a crowded machine have no information.)"""
    def record(name, program, p, sizes):
        bed.parcast(
            "record", "-q", "--no-store", "-o", name, "--", "mpirun", "--oversubscribe", "-n", p,
            bed.build / "examples" / program, *sizes
        )
        return name

    for program, points, p, larger in [
        ("gauss", [(2, 96), (3, 96), (4, 96), (2, 145), (3, 145), (2, 201)], 9, {"N": 300}),
        (
            "shallow_water",
            [
                (4, 64, 20), (6, 64, 20), (9, 64, 20), (4, 97, 20), (4, 130, 20), (6, 97, 20), (4, 64, 31),
                (4, 64, 57), (6, 64, 57), (4, 97, 57), (9, 64, 57), (9, 97, 31), (4, 64, 95), (4, 64, 200),
            ],
            12, {"N": 200, "steps": 45},
        ),
    ]:
        small = [
            record(f"{program}-{i}.recording", program, point[0], point[1:]) for i, point in enumerate(points)
        ]
        bed.parcast("model", "--no-store", *small, "-o", f"{program}.model.json")
        record(f"{program}-large.recording", program, p, larger.values())
        asked = ["-p", p, *(word for key, value in larger.items() for word in ("-s", f"{key}={value}"))]
        bed.parcast("export", f"{program}.model.json", *asked, "-o", f"{program}-made.trace")
        for name in ("large.recording", "made.trace"):
            bed.parcast("export", f"{program}-{name}", "--to", f"{program}-{name}.ti")
        recorded, made = (
            actions(bed.work / f"{program}-{name}.ti") for name in ("large.recording", "made.trace")
        )
        assert len(recorded) == p and recorded == made, (
            program, {r: (len(recorded[r]), len(made.get(r, []))) for r in recorded},
        )
        directly = bed.json("simulate", program, *asked, "--set", "L=1us")
        assert (
            directly["seconds"] == bed.json("simulate", f"{program}-made.trace", "--set", "L=1us")["seconds"]
        )
        real = bed.json("simulate", f"{program}-large.recording", "--set", "L=1us")
        assert (directly["messages"], directly["bytes"]) == (real["messages"], real["bytes"])

    for words, code, said in [
            (["gauss.model.json"], 1, "the number of processes is missing"),
            (["gauss.model.json", "-p", 8], 1, "N"),
            (["gauss-0.recording", "-p", 8], 1, "ask a model for a run"),
            (["gauss.model.json", "-p", "x"], 2, "not a number of processes")]:
        done = bed.parcast("simulate", *words, code=code)
        assert said in done.stderr, (words, done.stderr)


def now_and_then(bed):
    """A reduction every tenth step, recorded at p = 2 and 4: its operations at other p and other numbers of
    steps are those recorded there. One process computes as long as by the equation."""
    source = bed.write("every.c", NOW_AND_THEN)
    subprocess.run(["mpicc", "-g", "-o", "every", source], cwd=bed.work, check=True)

    def record(name, p, steps):
        bed.parcast(
            "record", "-q", "--no-store", "--param", f"steps={steps}", "-o", name, "--", "mpirun",
            "--oversubscribe", "-n", p, "./every", steps,
        )
        return name

    small = [
        record(f"every-{p}-{steps}.recording", p, steps)
        for p, steps in ((2, 20), (2, 40), (2, 60), (4, 20), (4, 50))
    ]
    bed.parcast("model", "--no-store", *small, "-o", "every.model.json")
    for p, steps in ((3, 35), (6, 7), (8, 40)):
        there, made = record(f"every-there-{p}.recording", p, steps), f"every-made-{p}.trace"
        bed.parcast("export", "every.model.json", "-p", p, "-s", f"steps={steps}", "-o", made)
        for name in (there, made):
            bed.parcast("export", name, "--to", f"{name}.ti")
        recorded, generated = (actions(bed.work / f"{name}.ti") for name in (there, made))
        assert len(recorded) == p and recorded == generated, (
            p, steps, {r: (len(recorded[r]), len(generated.get(r, []))) for r in recorded},
        )
    answers = [
        bed.json("predict", "every.model.json", "-p", 1, "-s", "steps=35", "--engine", engine, "-m", "ideal")[
            "seconds"
        ]["value"]
        for engine in ("simulate", "interpret", "equation")
    ]
    assert max(answers) < (1 + 1e-6) * min(answers), answers
    assert (
        bed.json("simulate", "every.model.json", "-p", 1, "-s", "steps=35", "--set", "L=1us")["messages"] == 0
    )


def one_sided(bed):
    """Accesses by MPI_Put and MPI_Get, complete at the fences: ten of each on both ranks, two messages
    each."""
    source = bed.write("one_sided.c", ONE_SIDED)
    subprocess.run(["mpicc", "-o", "one_sided", source], cwd=bed.work, check=True)
    bed.parcast(
        "record", "-q", "--no-store", "-o", "one_sided.recording", "--", "mpirun", "--oversubscribe", "-n", 2,
        "./one_sided",
    )
    answer = bed.json("simulate", "one_sided.recording", "--set", "L=1ms")
    assert (answer["accesses"], answer["messages"], answer["bytes"]) == (40, 80, 10 * 2 * (512 + 256)), answer
    # a round: a barrier of one step, the put there and back; a barrier, the get there and back
    computing = sum(rank["compute"] for rank in answer["ranks"])  # includes interruptions on a busy machine
    assert 60e-3 < answer["seconds"] < 66e-3 + computing, (answer["seconds"], computing)
    assert any("40 one-sided accesses" in each for each in answer["assumptions"]), answer["assumptions"]
    served = bed.json(
        "simulate", "one_sided.recording", "--set", "CommStartupTime=1000", "--set", "RequestMsgSize=16"
    )
    assert (served["accesses"], served["bytes"]) == (40, 10 * 2 * (512 + 16 + 16 + 256 + 16)), served
    assert 60e-3 < served["seconds"] < 86e-3 + computing, (served["seconds"], computing)
    bed.parcast("export", "one_sided.recording", "--to", "one_sided.trace")
    assert "40 remote accesses" in bed.parcast("show", "one_sided.trace").stdout


def who_is_first(bed):
    """Rank 1 answers first here, after two rounds with rank 3. If a message takes 200 ms, rank 2, which
    computes 100 ms (and sleeps), is first. By arrival rank 0 works 100 ms between the two; in the recorded
    order after the later one."""
    source = bed.write("who_is_first.c", WHO_IS_FIRST)
    subprocess.run(["mpicc", "-o", "who_is_first", source], cwd=bed.work, check=True)
    bed.parcast(
        "record", "-q", "--no-store", "-o", "first.recording", "--", "mpirun", "--oversubscribe", "-n", 4,
        "./who_is_first",
    )
    arrival, recorded = (
        bed.json("simulate", "first.recording", "--set", "L=200ms", *words)
        for words in ([], ["--matching", "recorded"])
    )
    assert 1.0 < arrival["seconds"] < 1.06, arrival["seconds"]
    assert 1.1 < recorded["seconds"] < 1.2, recorded["seconds"]
    assert any(
        each.startswith("3 receives and probes from any source or with any tag")
        for each in arrival["assumptions"]
    ), arrival["assumptions"]
    assert any(
        each.startswith("3 receives and probes from any source: the source is")
        for each in recorded["assumptions"]
    ), recorded["assumptions"]
    assert (
        bed.json("simulate", "first.recording", "--set", "L=200ms", "--matching", "arrival")["seconds"]
        == arrival["seconds"]
    )
    events = bed.json("show", "first.recording", "--events")["events"]
    assert [
        (each.get("any_source", False), each.get("any_tag", False))
        for each in events
        if each["rank"] == 0 and each["call"] in ("MPI_Probe", "MPI_Recv")
    ] == [(True, True), (False, False), (True, False)]
    for words, seconds in ([], arrival["seconds"]), (["--matching", "recorded"], recorded["seconds"]):
        name = f"first{len(words)}"
        bed.parcast("export", "first.recording", *words, "--to", f"{name}.trace")
        assert "1 probes" in bed.parcast("show", f"{name}.trace").stdout
        assert bed.json("simulate", f"{name}.trace", "--set", "L=200ms")["seconds"] == seconds
        for ending in ("goal", "ti"):
            assert "probes" in bed.parcast("export", f"{name}.trace", "--to", f"{name}.{ending}").stderr
        goal = bed.json("simulate", f"{name}.goal", "--set", "L=200ms")["seconds"]
        # without the probe, the computing between it and the receive is concurrent
        assert -1e-6 < seconds - goal < 1e-3, (goal, seconds)
    served = bed.json("simulate", "first.recording", "--set", "CommStartupTime=200000")["seconds"]
    assert abs(served - arrival["seconds"]) < 1e-3, (served, arrival["seconds"])
    assert (
        "is no recording" in bed.parcast("simulate", "first0.trace", "--matching", "recorded", code=1).stderr
    )
    assert "known: arrival" in bed.parcast("simulate", "first.recording", "--matching", "any", code=2).stderr


def extrap(bed):
    """ExtraP's machine with its own names and units, and from a file: pack, transfer and get there and back,
    computing scaled."""
    flags = [
        "--set", "MipsRatio=0.5", "--set", "PackStartupTime=3", "--set", "CommStartupTime=10", "--set",
        "ByteTransferTime=0.001", "--set", "GetMsgTime=4",
    ]
    answer = bed.json("simulate", "pingpong.goal", *flags)
    expected = 0.5e-6 + 2 * (3e-6 + 10e-6 + 4e-6) + (8192 + 8) * 0.001e-6
    assert abs(answer["seconds"] - expected) < 1e-12, (answer["seconds"], expected)
    assert "every rank has a node of its own" in answer["assumptions"]
    bed.parcast("machine", "set", "extrap-table-1", *flags[1::2], "-o", "cm.machine.toml")
    assert "PackStartupTime = 3" in (bed.work / "cm.machine.toml").read_text()
    assert bed.json("simulate", "pingpong.goal", "-m", "cm")["seconds"] == answer["seconds"]
    assert (
        bed.json("simulate", "pingpong.goal", "-m", "cm", "--set", "GetMsgTime=5")["seconds"]
        > answer["seconds"]
    )
    assert "ExtraP" in bed.parcast("machine", "show", "cm").stdout
    # An experiment over its parameters: units of the paper, or given; on any number of threads; the same as
    # one by one.
    points = bed.json(
        "simulate", "pingpong.goal", "-m", "cm", "--vary", "CommStartupTime=5,50us,0.5ms", "--vary",
        "MipsRatio=0.25..4*4", "--threads", 3,
    )["points"]
    assert [
        (
            round(1e6 * each["machine_parameters"]["CommStartupTime"]["value"]),
            each["machine_parameters"]["MipsRatio"]["value"],
        )
        for each in points
    ] == [(startup, ratio) for startup in (5, 50, 500) for ratio in (0.25, 1, 4)]
    for each in points:
        startup, ratio = (
            each["machine_parameters"][name]["value"] for name in ("CommStartupTime", "MipsRatio")
        )
        expected = ratio * 1e-6 + 2 * (3e-6 + startup + 4e-6) + (8192 + 8) * 0.001e-6
        assert abs(each["seconds"]["value"] - expected) < 1e-12, (each["machine_parameters"], expected)
        assert each["nodes"] == 2
    both = bed.write(
        "both.machine.toml", (bed.work / "cm.machine.toml").read_text()
        + '[links.network]\nlatency = "2us"\ngap_per_byte = "0ns/B"\n',
    )
    assert (
        bed.json("simulate", "pingpong.goal", "-m", both, "--model", "extrap")["seconds"] == answer["seconds"]
    )
    assert (
        abs(bed.json("simulate", "pingpong.goal", "-m", both, "--model", "links")["seconds"] - 5e-6) < 1e-12
    )


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
        (
            ["pingpong.goal", "--set", "L=2us", "--set", "MipsRatio=2"], 2,
            "--set MipsRatio=2 is of ExtraP's model, --set L=2us of the model of links",
        ),
        (["pingpong.goal", "--set", "Topology=Torus"], 2, "known are FullyConnected"),
        (["pingpong.goal", "--set", "ProcessMsgType=PeriodicPolling"], 2, "Delta"),
        (["pingpong.goal", "--set", "MipsRatio=2", "--attention", "always"], 2, "use --set ProcessMsgType"),
        (
            ["pingpong.goal", "--vary", "L=1us,2us", "--set", "MipsRatio=2"], 2,
            "--set MipsRatio=2 is of ExtraP's model, --vary L=1us,2us of the model of links",
        ),
        (["pingpong.goal", "--vary", "Topology=Ring,Shared"], 2, "run it for each, by --set Topology=NAME"),
        (["pingpong.goal", "--vary", "MipsRatio=0,1"], 2, "MipsRatio is 0"),
        (["pingpong.goal", "--vary", "CommStartupTime=1,1e12"], 2, "out of range"),
        (["pingpong.goal", "--vary", "MipsRatio=1,2", "--repeats", "2"], 2, "add --noise SEED"),
        (["pingpong.goal", "--model", "extrap"], 2, "no section [extrap]"),
        (["pingpong.goal", "--model", "other"], 2, "known: links"),
        (["pingpong.goal", "-m", "both.machine.toml"], 2, "choose by --model"),
        (["pingpong.goal", "--set", "CommStartupTime=1e12"], 2, "out of range"),
        (["pingpong.ti"], 1, "--flops"),
        (["pingpong.goal", "--vary", "L=1,2"], 2, "needs a unit"),
        (["pingpong.goal", "--vary", "p=1,2"], 2, "cannot vary"),
        (["pingpong.goal", "--vary", "latncy=1us"], 2, "latncy"),
        (["pingpong.goal", "--vary", "L=1us,2us", "--set", "L=1us"], 2, "given twice"),
        (
            ["pingpong.goal", "--vary", "L=1us..2us/1000", "--vary", "o=1us..2us/1001"], 2,
            "more than a million",
        ),
        (["pingpong.goal", "--vary", "ranks-per-node=0,1"], 2, "at least 1"),
        (["pingpong.goal", "--vary", "L=1us,300h,600h"], 1, "26 days"),
        (["pingpong.goal", "--vary", "L=1us,2us", "--json", "--csv"], 2, "exclude each other"),
        (["pingpong.goal", "--vary", "L=1us,2us", "--threads", "0"], 2, "--threads"),
        (["pingpong.goal", "--noise", "1"], 2, "no noise to draw"),
        (["pingpong.goal", "--noise", "x"], 2, "not a seed"),
        (["pingpong.goal", "--rank-noise", "0.1"], 2, "needs --noise"),
        (["pingpong.goal", "--repeats", "3"], 2, "add --noise"),
        (["pingpong.goal", "--set", "collectives.barrier=ring"], 2, "not an algorithm for barrier"),
        (["pingpong.goal", "--set", "L=1000000h"], 2, "out of range"),
    ]:
        done = bed.parcast("simulate", *words, code=code)
        assert said in done.stderr, (words, done.stderr)
    whole = (bed.work / "pingpong.trace").read_bytes()
    (bed.work / "cut.trace").write_bytes(whole[:-8])
    assert "cut short" in bed.parcast("simulate", "cut.trace", code=1).stderr
    assert "already" in bed.parcast("import", "pingpong.goal", code=1).stderr
    assert "already" in bed.parcast("export", "pingpong.trace", "--to", "again.goal", code=1).stderr
    assert (
        "has no ending of a known format"
        in bed.parcast("export", "pingpong.trace", "--to", "x.y", code=2).stderr
    )


def where_the_time_goes(bed):
    """Profiles, pairs and the path of a real program add up to the simulation's sums of its ranks."""
    bed.record("shallow", 4, "shallow_water", 64, 20)
    machine = ["--set", "L=2us", "--set", "o=500ns", "--set", "G=0.1ns/B", "--set", "S=64KiB"]
    answer = bed.json(
        "simulate", "shallow.recording", *machine, "--regions", "--pairs", "--critical-path", "--all"
    )
    profile, ranks = answer["profile"], answer["ranks"]
    close = lambda a, b: abs(a - b) <= 1e-9 * max(abs(a), abs(b)) + 1e-12
    for part in ("compute", "communication"):
        assert close(sum(row[part] for row in profile["calls"]), sum(rank[part] for rank in ranks)), part
    assert close(
        sum(row["idle"] for row in profile["calls"]) + profile["after_end"],
        sum(rank["idle"] for rank in ranks),
    )
    for rank, own in zip(ranks, profile["ranks"]):
        assert close(
            sum(row["compute"] + row["communication"] + row["idle"] for row in own["calls"]), rank["end"]
        )
    counted = bed.json("show", "shallow.recording", "--counts")["ranks"]
    for call in ("MPI_Sendrecv", "MPI_Allreduce"):
        assert sum(row["calls"] for row in profile["calls"] if row["call"] == call) == sum(
            rank["calls"][call] for rank in counted
        ), call
    assert (
        sum(row["messages"] for row in profile["calls"])
        == answer["messages"]
        == sum(rank["messages_sent"] for rank in counted)
    )
    pairs = [row for row in answer["pairs"] if not row["collectives"]]
    assert sum(row["bytes"] * row["length"] * row["blocks"] for row in pairs) == answer["bytes"]
    assert close(sum(part["seconds"] for part in answer["critical_path"]["parts"]), answer["seconds"])
    table = bed.parcast("simulate", "shallow.recording", *machine, "--regions", "--csv").stdout.splitlines()
    assert table[0].startswith("region,call,where") and len(table) == 1 + len(profile["calls"])
    assert (
        "the critical path ends on rank"
        in bed.parcast("simulate", "shallow.recording", *machine, "--critical-path").stdout
    )


def predicted_traces(bed):
    """An archive that other tools read and that parcast takes back; Perfetto's file; and both against the
    measured run."""
    machine = ["--set", "L=2us", "--set", "o=500ns", "--set", "G=0.1ns/B"]
    answer = bed.json("simulate", "shallow.recording", *machine, "--to", "there.otf2")
    printed = subprocess.run(
        ["otf2-print", bed.work / "there.otf2/traces.otf2"], capture_output=True, text=True
    )
    assert printed.returncode == 0 and not printed.stderr, printed.stderr
    assert sum(line.startswith("MPI_SEND ") for line in printed.stdout.splitlines()) == answer["messages"]
    bed.parcast("import", "there.otf2", "-o", "there.recording")
    again, measured = (
        bed.json("show", name, "--counts")["ranks"] for name in ("there.recording", "shallow.recording")
    )
    for a, b in zip(again, measured):
        assert (a["messages_sent"], a["bytes_sent"]) == (b["messages_sent"], b["bytes_sent"])
        assert a["calls"]["MPI_Sendrecv"] == b["calls"]["MPI_Sendrecv"]
    assert abs(max(rank["seconds"] for rank in again) - answer["seconds"]) < 2e-9
    compared = bed.json("compare", "there.otf2", "shallow.recording")
    assert (
        compared["schema"] == "parcast.comparison/1"
        and abs(compared["predicted"]["seconds"] - answer["seconds"]) < 2e-9
    )
    rows = [row for row in compared["classes"] if row["call"] == "MPI_Sendrecv"]
    assert rows and all(row["predicted"]["count"] == row["measured"]["count"] > 0 for row in rows)
    # On an ideal machine with an equally fast processor, computing takes as long as recorded.
    computing = [
        sum(row[run]["seconds"] for row in compared["classes"] if row["call"] is None)
        for run in ("predicted", "measured")
    ]
    assert abs(computing[0] - computing[1]) < 0.05 * computing[1], computing
    assert all(
        a["calls"] == b["calls"]
        for a, b in zip(again, bed.json("show", "there.recording", "--counts")["ranks"])
    )
    bed.parcast("simulate", "shallow.recording", *machine, "--to", "there.perfetto-trace")
    packets = decoded((bed.work / "there.perfetto-trace").read_bytes())
    flows = [
        value
        for packet in packets
        for event in packet.get(11, [])
        for field, value in fields(event)
        if field == 47
    ]
    ends = [
        value
        for packet in packets
        for event in packet.get(11, [])
        for field, value in fields(event)
        if field == 48
    ]
    assert len(flows) == len(set(flows)) == answer["messages"] and sorted(flows) == sorted(ends)
    for words, said in [
        (["--to", "there.otf2"], "exists already"), (["--to", "x.y"], "has no ending of a known format"),
        (["--csv"], "--regions or of --pairs"), (["--to", "nowhere/x.perfetto-trace"], "cannot be written"),
    ]:
        done = subprocess.run(
            [bed.build / "bin/parcast", "simulate", "shallow.recording", *words], capture_output=True,
            text=True, cwd=bed.work,
        )
        assert done.returncode in (1, 2) and said in done.stderr, (words, done.stderr)
    assert (
        "without the times of their calls"
        in bed.parcast("compare", "pingpong.trace", "shallow.recording", code=1).stderr
    )


def fields(message):
    """Returns the fields of a protocol buffer message: (number, value) pairs, by the specification of the
    wire format."""
    at = 0

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = message[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value
    while at < len(message):
        tag = varint()
        if tag & 7 == 0:
            yield tag >> 3, varint()
        elif tag & 7 == 1:
            yield tag >> 3, int.from_bytes(message[at:at + 8], "little")
            at += 8
        else:
            assert tag & 7 == 2, tag
            size = varint()
            yield tag >> 3, message[at:at + size]
            at += size


def decoded(trace):
    packets = []
    for number, packet in fields(trace):
        assert number == 1
        packets.append({})
        for field, value in fields(packet):
            packets[-1].setdefault(field, []).append(value)
    return packets


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--build", required=True)
    bed = Bed(parser.parse_args().build)
    os.environ.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    try:
        for check in (
            schedules, hangs, recordings, recorded_elsewhere, many_machines, noise, platforms, algorithms,
            networks, where_the_time_goes, predicted_traces, models, now_and_then, one_sided, who_is_first,
            extrap, mistakes,
        ):
            check(bed)
            print(f"ok   {check.__name__}", flush=True)
    finally:
        shutil.rmtree(bed.work, ignore_errors=True)


main()
