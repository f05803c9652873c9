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


def actions(folder):
    """What each rank of a trace in SimGrid's format does, but for computing."""
    ranks = {}
    for file in sorted(path for path in folder.rglob("*") if path.is_file() and path.name != "index.txt"):
        for line in file.read_text().splitlines():
            rank, action, *rest = line.split()
            if action != "compute":
                ranks.setdefault(int(rank), []).append((action, *rest))
    return ranks


def models(bed):
    """A model of small runs gives the trace of a larger one that was recorded as well: the same operations. (Times of a crowded machine say nothing.)"""
    def record(name, program, p, sizes):
        bed.parcast("record", "-q", "--no-store", "-o", name, "--", "mpirun", "--oversubscribe", "-n", p, bed.build / "examples" / program, *sizes)
        return name

    for program, points, p, larger in [
            ("gauss", [(2, 96), (3, 96), (4, 96), (2, 145), (3, 145), (2, 201)], 9, {"N": 300}),
            ("shallow_water", [(4, 64, 20), (6, 64, 20), (9, 64, 20), (4, 97, 20), (4, 130, 20), (6, 97, 20), (4, 64, 31), (4, 64, 57), (6, 64, 57), (4, 97, 57),
                             (9, 64, 57), (9, 97, 31), (4, 64, 95), (4, 64, 200)], 12, {"N": 200, "steps": 45})]:
        small = [record(f"{program}-{i}.recording", program, point[0], point[1:]) for i, point in enumerate(points)]
        bed.parcast("model", "--no-store", *small, "-o", f"{program}.model.json")
        record(f"{program}-large.recording", program, p, larger.values())
        asked = ["-p", p, *(word for key, value in larger.items() for word in ("-s", f"{key}={value}"))]
        bed.parcast("export", f"{program}.model.json", *asked, "-o", f"{program}-made.trace")
        for name in ("large.recording", "made.trace"):
            bed.parcast("export", f"{program}-{name}", "--to", f"{program}-{name}.ti")
        recorded, made = (actions(bed.work / f"{program}-{name}.ti") for name in ("large.recording", "made.trace"))
        assert len(recorded) == p and recorded == made, (program, {r: (len(recorded[r]), len(made.get(r, []))) for r in recorded})
        directly = bed.json("simulate", program, *asked, "--set", "L=1us")
        assert directly["seconds"] == bed.json("simulate", f"{program}-made.trace", "--set", "L=1us")["seconds"]
        real = bed.json("simulate", f"{program}-large.recording", "--set", "L=1us")
        assert (directly["messages"], directly["bytes"]) == (real["messages"], real["bytes"])

    for words, code, said in [
            (["gauss.model.json"], 1, "the number of processes is missing"),
            (["gauss.model.json", "-p", 8], 1, "N"),
            (["gauss.model.json", "-p", 1, "-s", "N=96"], 1, "two processes or more"),
            (["gauss-0.recording", "-p", 8], 1, "ask a model for a run"),
            (["gauss.model.json", "-p", "x"], 2, "not a number of processes")]:
        done = bed.parcast("simulate", *words, code=code)
        assert said in done.stderr, (words, done.stderr)


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
        for check in (schedules, hangs, recordings, models, mistakes):
            check(bed)
            print(f"ok   {check.__name__}", flush=True)
    finally:
        shutil.rmtree(bed.work, ignore_errors=True)


main()
