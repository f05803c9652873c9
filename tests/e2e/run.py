#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The main workflow on both examples: record, model, calibrate, predict, measure, validate; and its failures.

    tests/e2e/run.py --build BUILD"""
import argparse
import collections
import contextlib
import csv
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

CHECKS = []


def check(function):
    CHECKS.append(function)
    return function


class Bed:
    """A new folder, and the tools of one build tree."""

    def __init__(self, build):
        self.build = pathlib.Path(build).resolve()
        self.programs = self.build / "tests" / "record" / "programs" / "open_mpi"
        self.work = pathlib.Path(tempfile.mkdtemp(prefix="parcast-e2e-"))
        os.environ["PATH"] = f"{self.build / 'bin'}:{self.build / 'examples'}:{os.environ['PATH']}"

    def run(self, *words, code=0, **options):
        done = subprocess.run(list(map(str, words)), capture_output=True, text=True, cwd=self.work, **options)
        assert (
            code is None or done.returncode == code
        ), f"{words}: exit {done.returncode}\n{done.stdout}{done.stderr}"
        return done

    def parcast(self, *words, **options):
        return self.run("parcast", *words, **options)

    def json(self, *words, **options):
        return json.loads(self.parcast(*words, "--json", **options).stdout)

    def mpirun(self, p, *words):
        return ["mpirun", "--oversubscribe", "-n", p, *words]

    def has_no_working_folders(self):
        assert not list(self.work.glob(".*.recording*")), "left-over working folders"


@contextlib.contextmanager
def small_disk(path, size):
    """Mounts a separate file system; yields None if this user may not mount one."""
    path.mkdir()
    mounted = (
        subprocess.run(
            ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", path], capture_output=True
        ).returncode
        == 0
    )
    try:
        yield path if mounted else None
    finally:
        if mounted:
            subprocess.run(["umount", "--lazy", path], check=True)


def all_close(a, b, relative):
    return abs(a - b) <= relative * max(abs(a), abs(b), 1e-300)


@check
def main_job(bed):
    """Counts of both programs at unseen N and p are predicted exactly, and the predicted time has an
    interval."""
    for n in (32, 41, 48, 64):
        for p in (1, 2, 3, 4):
            bed.parcast("record", "-q", "-o", f"g-{n}-{p}.recording", "--", *bed.mpirun(p, "gauss", n))
    bed.parcast(
        "model", "-o", "gauss.model.json", *sorted(path.name for path in bed.work.glob("g-*.recording"))
    )
    bed.parcast("record", "-q", "-o", "truth.recording", "--", *bed.mpirun(6, "gauss", 90))
    truth = bed.json("show", "truth.recording", "--counts")
    guess = bed.json("predict", "gauss.model.json", "-p", 6, "-s", "N=90", "--counts")
    for want, have in zip(truth["ranks"], guess["ranks"], strict=True):
        for name, count in want["calls"].items():
            assert have["calls"][name]["value"] == count, (want["rank"], name, count, have["calls"][name])
            assert have["calls"][name]["origin"] == "exact", (name, have["calls"][name])
        assert have["collective_bytes"]["value"] == want["collective_bytes"], (want, have)


@check
def prediction(bed):
    bed.parcast("calibrate", "-o", "here.machine.toml", "--budget", "5s", "--processes", "1,2")
    bed.parcast("machine", "check", "here")
    # Every repeat is in the store, as many of each point as the machine has samples, of all launches
    # together.
    stored = {entry["kind"]: entry["digest"] for entry in bed.json("store", "list", "-m", "here")["entries"]}
    repeats = list(
        csv.DictReader(bed.parcast("store", "show", stored["calibration"], "--csv").stdout.splitlines())
    )
    counted = collections.Counter(
        (row["table"], row["processes"], row["bytes"]) for row in repeats if row["use"] == "fit"
    )
    points = [
        row
        for row in csv.DictReader(
            bed.parcast("store", "show", stored["machine"], "--csv").stdout.splitlines()
        )
        if row["table"] == "allreduce"
    ]
    assert points and all(
        counted["allreduce", row["processes"], row["bytes"]] == int(row["samples"]) for row in points
    ), (points, counted)
    assert all(float(row["measured"]) > 0 for row in repeats if row["use"] != "value")
    answer = bed.json("predict", "gauss.model.json", "-m", "here", "-p", 2, "-s", "N=128")
    seconds = answer["seconds"]
    assert answer["schema"] == "parcast.prediction/1"
    assert 0 < seconds["low"] <= seconds["value"] <= seconds["high"], seconds
    assert all_close(sum(part["value"] for part in answer["parts"].values()), seconds["value"], 1e-9), answer[
        "parts"
    ]
    assert all_close(sum(region["seconds"]["value"] for region in answer["regions"]), seconds["value"], 1e-9)
    assert all_close(sum(answer["coverage"].values()), 1, 1e-9), answer["coverage"]
    memory = answer["memory_per_node"]
    assert memory["unit"] == "B" and memory["origin"] == "fitted", memory
    assert 1e6 < memory["low"] <= memory["value"] <= memory["high"], memory  # no MPI process needs less
    assert any(warning["code"] == "beyond-data" for warning in answer["warnings"]), answer["warnings"]
    # Recordings and machine name their MPI library in the same words; another one leads to a warning.
    library = bed.json("machine", "show", "here")["environment"]["mpi"]
    sources = json.loads((bed.work / "gauss.model.json").read_text())["sources"]
    assert {source["mpi_library"] for source in sources} == {library}, (library, sources)
    assert not any(warning["code"] == "other-library" for warning in answer["warnings"]), answer["warnings"]
    measured = (bed.work / "here.machine.toml").read_text()
    assert f'"mpi" = "{library}"' in measured, measured
    (bed.work / "other.machine.toml").write_text(
        measured.replace(f'"mpi" = "{library}"', '"mpi" = "Other MPI v9"')
    )
    other = bed.json("predict", "gauss.model.json", "-m", "other", "-p", 2, "-s", "N=128", "--no-store")
    said = [warning["text"] for warning in other["warnings"] if warning["code"] == "other-library"]
    assert len(said) == 1 and said[0].startswith(
        f"recorded with {library}, but other is measured with Other MPI v9: "
    ), said
    sweep = bed.json("sweep", "gauss.model.json", "-m", "here", "--vary", "p=1,2,4", "-s", "N=128")
    assert [point["parameters"]["p"] for point in sweep["points"]] == [1, 2, 4]
    assert all_close(sweep["points"][1]["seconds"]["value"], seconds["value"], 1e-9)
    several = bed.json(
        "sweep", "gauss.model.json", "-m", "here", "-m", "ideal", "--vary", "p=1,2,4", "-s", "N=128"
    )
    assert (
        [point["machine"] for point in several["points"]] == ["here", "ideal"] * 3
        and several["schema"] == sweep["schema"]
        and "errors" not in sweep
    )
    for alone, (here, ideal) in zip(
        sweep["points"], zip(several["points"][::2], several["points"][1::2]), strict=True
    ):
        assert (
            here["seconds"] == alone["seconds"]
            and here["parameters"] == ideal["parameters"] == alone["parameters"]
        )
        assert all_close(here["probability_best"] + ideal["probability_best"], 1, 1e-9)
        assert min(here["slower"], ideal["slower"]) == 1 and all_close(
            max(here["slower"], ideal["slower"]) * min(here["seconds"]["value"], ideal["seconds"]["value"]),
            max(here["seconds"]["value"], ideal["seconds"]["value"]), 1e-9,
        )
    assert (
        "here is named twice"
        in bed.parcast(
            "sweep", "gauss.model.json", "-m", "here", "-m", "here", "--vary", "p=1,2", "-s", "N=128", code=2
        ).stderr
    )
    bed.parcast(
        "sweep", "gauss.model.json", "-m", "here", "-m", "ideal", "--vary", "p=1,2,4", "--vary",
        "N=64..256*2", "--contour", "-o", "field.svg",
    )
    field = (bed.work / "field.svg").read_text()
    assert (
        "gauss on here" in field
        and "gauss on ideal" in field
        and field.count("<circle") == 19
        and 'class="level"' in field
    ), field
    explanation = bed.json("explain", "gauss.model.json", "-m", "here", "-p", 2, "-s", "N=128")
    # What predict answers by default is explained: the closed form, or its parts scaled to the run that was
    # followed rank by rank.
    assert all_close(
        sum(row["seconds"]["value"] for row in explanation["contributions"]),
        explanation["prediction"]["seconds"]["value"], 1e-9,
    )
    explained = explanation["prediction"]
    assert explained["engine"] == answer["engine"], (explained["engine"], answer["engine"])
    assert all_close(explained["seconds"]["value"], seconds["value"], 1e-9), (explained["seconds"], seconds)


@check
def validation_needs_the_prediction_first(bed):
    bed.parcast("predict", "gauss.model.json", "-m", "here", "-p", 2, "-s", "N=100", "--store", "v.db")
    measured = next(
        line.split()[1]
        for line in bed.run(*bed.mpirun(2, "gauss", 100)).stdout.splitlines()
        if line.startswith("seconds")
    )
    header = "program,N,p,seconds,measured_at\n"
    (bed.work / "later.csv").write_text(f"{header}gauss,100,2,{measured},2999-01-01T00:00:00Z\n")
    (bed.work / "earlier.csv").write_text(f"{header}gauss,100,2,{measured},2001-01-01T00:00:00Z\n")
    result = bed.json("validate", "later.csv", "--store", "v.db")
    assert len(result["points"]) == 1, result
    refused = bed.parcast("validate", "earlier.csv", "--store", "v.db", code=1)
    assert "earlier.csv:2" in refused.stderr and "2001" in refused.stderr, refused.stderr
    bed.parcast("validate", "earlier.csv", "--published", "--store", "v.db")


@check
def the_host_is_undisturbed(bed):
    """Output and exit code are the same with and without the recorder. A crash keeps the recorded data. A
    failed run leaves no file with the final name."""
    plain = bed.run(*bed.mpirun(2, "shallow_water", 32, 20)).stdout.splitlines()[:-1]
    recorded = bed.parcast("record", "-o", "s.recording", "--", *bed.mpirun(2, "shallow_water", 32, 20))
    assert recorded.stdout.splitlines()[:-1] == plain
    assert "2 processes" in recorded.stderr, recorded.stderr
    usage = bed.parcast("record", "-o", "u.recording", "--", *bed.mpirun(2, "shallow_water"), code=None)
    assert usage.returncode == bed.run(*bed.mpirun(2, "shallow_water"), code=None).returncode != 0
    missing = bed.parcast("record", "-o", "none.recording", "--", "/no/such/program", code=127)
    assert "/no/such/program" in missing.stderr
    assert not (bed.work / "none.recording").exists()
    bed.has_no_working_folders()


@check
def nothing_recorded_is_told_by_its_cause_and_is_no_success(bed):
    def refused(code, wanted, *words):
        done = bed.parcast("record", *words, code=code)
        assert wanted in done.stderr, (words, done.stderr)
        bed.has_no_working_folders()

    endings = bed.programs / "endings"
    refused(1, "the program does not use MPI", "-o", "none.recording", "--", "true")
    refused(37, "ended with exit code 37 before any process was recorded", "--", "sh", "-c", "exit 37")
    launcher = bed.mpirun(2, "/no/such/program")
    refused(bed.run(*launcher, code=None).returncode, "before any process was recorded", "--", *launcher)
    refused(1, "no region was recorded", "--classes", "user", "--", *bed.mpirun(1, endings, "return"))
    assert not list(bed.work.glob("endings-*.recording")) and not (bed.work / "none.recording").exists()
    with small_disk(bed.work / "disk", "16k") as disk:
        if disk:
            refused(
                1, f"no space is left on the file system of {disk}", "-o", disk / "full.recording",
                "--no-store", "--", *bed.mpirun(1, endings, "return"),
            )
            assert not list(disk.iterdir()), "left-over working folders"


@check
def recordings_made_at_once_get_a_number_each(bed):
    words = ["parcast", "record", "-q", "--name", "twin", "--", *bed.mpirun(1, "gauss", 16)]
    jobs = [
        subprocess.Popen(list(map(str, words)), cwd=bed.work, stdout=subprocess.DEVNULL) for _ in range(4)
    ]
    assert [job.wait() for job in jobs] == [0] * 4
    names = [f"twin-{i}.recording" for i in (1, 2, 3, 4)]
    assert sorted(path.name for path in bed.work.glob("twin-*")) == names
    stored = {pathlib.Path(entry["path"]).name for entry in bed.json("store", "list")["entries"]
              if pathlib.Path(entry.get("path") or "").name.startswith("twin-")}
    assert stored == set(names), stored
    bed.has_no_working_folders()


@check
def what_record_refuses_is_not_run(bed):
    def refused(wanted, *flags):
        done = bed.parcast("record", *flags, "--", "touch", "ran", code=2)
        assert wanted in done.stderr, (flags, done.stderr)
        assert not (bed.work / "ran").exists(), flags

    refused("may not be named p", "--param", "p=7")
    refused("may not be named r", "--param", "r=7")
    refused("may not be named g2_0", "--param", "g2_0=7")
    refused("there is no event class", "--classes", "foo")
    refused("did you mean user?", "--classes", "mpi,usr")
    refused("holds a /", "--name", "../../evil")
    refused("holds a /", "--name", "a/b")
    refused("is empty", "--name", "")
    refused("begins with -", "--name=-x")
    refused("begins with .", "--name", ".x")


@check
def record_says_how_the_program_ended_and_where_it_lies(bed):
    endings = bed.programs / "endings"
    well = bed.parcast("record", "-o", "well.recording", "--", *bed.mpirun(1, endings, "return"))
    assert "next: parcast model well.recording" in well.stderr, well.stderr
    ill = bed.parcast("record", "-o", "ill.recording", "--", *bed.mpirun(1, endings, "_exit"), code=6)
    assert "the program ended with exit code 6" in ill.stderr and "next:" not in ill.stderr, ill.stderr
    assert " ill.recording/rank-0.rec: " in ill.stderr and ".ill.recording" not in ill.stderr, ill.stderr
    answer = bed.parcast(
        "record", "-o", "json.recording", "--json", "--param", "n=5", "--", *bed.mpirun(2, endings, "exit"),
        code=3
    )
    summary = json.loads(answer.stderr.splitlines()[-1])
    assert summary["schema"] == "parcast.record/1" and summary["path"] == "json.recording", summary
    assert (summary["processes"], summary["exit_code"], summary["parameters"]) == (2, 3, {"n": 5}), summary
    assert "exit-code" in [warning["code"] for warning in summary["warnings"]], summary
    named = bed.parcast(
        "record", "-o", "named.recording", "--", *bed.mpirun(1, endings, "return"),
        env={**os.environ, "PARCAST_PARAM": "p=7"}
    )
    assert "a parameter p = 7" in named.stderr and "next:" not in named.stderr, named.stderr


@check
def bad_input_is_answered_with_a_sentence(bed):
    def refused(code, wanted, *words):
        done = bed.parcast(*words, code=code)
        assert wanted in done.stderr, (words, done.stderr)

    refused(1, "missing.recording", "model", "missing.recording")
    refused(1, "different programs", "model", "s.recording", "truth.recording")
    refused(2, "p", "predict", "gauss.model.json", "-m", "here", "-p", 0, "-s", "N=10")
    refused(2, "did you mean N?", "predict", "gauss.model.json", "-m", "here", "-p", 2, "-s", "n=10")
    refused(2, "is not given", "predict", "gauss.model.json", "-m", "here", "-p", 2)
    refused(1, "no file nowhere", "predict", "gauss.model.json", "-m", "nowhere", "-p", 2, "-s", "N=10")
    refused(
        2, "--limit concerns times", "predict", "gauss.model.json", "-p", 2, "-s", "N=10", "--counts",
        "--limit", "1h",
    )
    refused(2, "did you mean predict?", "predct")
    refused(2, "did you mean --launcher?", "calibrate", "--launchr", "x")
    machine = (bed.work / "here.machine.toml").read_text()
    (bed.work / "bad.machine.toml").write_text(machine.replace("\ngap_per_byte = ", "\ngap_per_bite = ", 1))
    refused(1, "bad.machine.toml:", "machine", "check", "bad")
    shutil.copytree(bed.work / "truth.recording", bed.work / "cut.recording")
    file = bed.work / "cut.recording" / "rank-3.rec"
    os.truncate(file, file.stat().st_size // 2)
    cut = bed.parcast("show", "cut.recording", code=3)
    assert "rank-3" in cut.stderr, cut.stderr


@check
def numbers_of_the_command_line_are_parameters(bed):
    bed.run("mpicc.openmpi", "-O1", "-o", "steps", pathlib.Path(__file__).resolve().parent / "steps.c")
    recordings = []
    for n in (7, 12, 20):
        recordings.append(f"steps-{n}.recording")
        bed.parcast("record", "-o", recordings[-1], "--", *bed.mpirun(2, "./steps", "-n", n))
    barriers = lambda model: [
        node["executions"]["expression"] for node in model["nodes"] if node["label"] == "MPI_Barrier"
    ]
    codes = lambda model: {notice["code"] for notice in model["notices"]}
    taken = bed.json("model", *recordings)
    assert [each["name"] for each in taken["parameters"]] == ["n"] and barriers(taken) == ["n"], taken
    assert "argument" in codes(taken) and "unlike-repeats" not in codes(taken), taken["notices"]
    plain = bed.json("model", "--no-arguments", *recordings)
    assert (
        not plain["parameters"] and "argument" not in codes(plain) and "unlike-repeats" in codes(plain)
    ), plain
    # A parameter that the program declares is not taken twice.
    assert "argument" not in codes(json.loads((bed.work / "gauss.model.json").read_text()))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", required=True)
    bed = Bed(parser.parse_args().build)
    try:
        for function in CHECKS:
            function(bed)
            print("ok", function.__name__)
    except AssertionError as problem:
        print(f"FAILED {function.__name__}: {problem}\nfiles are in {bed.work}", file=sys.stderr)
        sys.exit(1)
    shutil.rmtree(bed.work)


main()
