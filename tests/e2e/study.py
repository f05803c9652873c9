#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`parcast study` from end to end, with a program that reads an input file (input.c): the whole way, again,
killed at random moments, with runs that fail, and with what users mistype.

    tests/e2e/study.py --build BUILD
    tests/e2e/study.py --build BUILD --kills 50      # only the kills, as many"""
import argparse
import contextlib
import json
import os
import pathlib
import random
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
LAUNCH = ["--", "mpirun", "--oversubscribe", "-n", "{p}", "./input", "in.txt"]
DESIGN = [
    "--template", "in.txt", "--vary", "p=1,2", "--vary", "n=120,181,250", "--oversubscribe", "--calibration",
    "2s", "--no-store",
]
ASK = ["--ask", "p=4,n=500"]
MEASURED = ("here.machine.toml", "logs", "lock")  # times of their own


class Bed:
    def __init__(self, build):
        self.build = pathlib.Path(build).resolve()
        self.work = pathlib.Path(tempfile.mkdtemp(prefix="parcast-study-"))
        os.environ["PATH"] = f"{self.build / 'bin'}:{self.build / 'examples'}:{os.environ['PATH']}"
        self.run("mpicc", "-O1", "-o", "input", HERE / "input.c")
        (self.work / "in.txt").write_text("size {n}\nsteps 20\n")

    def run(self, *words, code=0, **options):
        done = subprocess.run(list(map(str, words)), capture_output=True, text=True, cwd=self.work, **options)
        assert (
            code is None or done.returncode == code
        ), f"{words}: exit {done.returncode}\n{done.stdout}{done.stderr}"
        return done

    def study(self, *words, **options):
        return self.run("parcast", "study", *words, **options)

    def json(self, *words, **options):
        return json.loads(self.study("--json", *words, **options).stdout)

    def start(self, *words):
        with open(self.work / "started.log", "w") as log:
            return subprocess.Popen(
                ["parcast", "study", *words], cwd=self.work, stdin=subprocess.DEVNULL, stdout=log, stderr=log
            )

    def contents(self, study):
        """Content by name of the files that are not measured."""
        root = self.work / study
        files = sorted(path for path in root.rglob("*") if path.is_file())
        return {
            str(path.relative_to(root)): path.read_bytes()
            for path in files
            if path.relative_to(root).parts[0] not in MEASURED
        }


def names(contents):
    return sorted(name for name in contents if not name.startswith("failed/"))


def whole(bed):
    """Six runs, a calibration, a model, an answer, a measured run and a graph; and files with the same
    numbers."""
    answer = bed.json("-o", "a.study", *DESIGN, *ASK, "--check", "p=2,n=300", "--graph", "p=1..8*2", *LAUNCH)
    assert answer["schema"] == "parcast.study/1" and answer["program"] == "input", answer
    assert [(run["parameters"]["p"], run["parameters"]["n"], run["processes"]) for run in answer["runs"]] == [
        (p, n, p) for n in (120, 181, 250) for p in (1, 2)
    ], answer["runs"]
    assert not answer["failed"] and answer["stop"]["code"] == "not-asked" and answer["not_made"] == 0
    seconds = answer["answer"]["seconds"]
    assert 0 < seconds["low"] <= seconds["value"] <= seconds["high"], seconds
    assert answer["answer"]["parameters"] == {"p": 4, "n": 500}
    assert (
        abs(answer["precision_percent"] - 50 * (seconds["high"] - seconds["low"]) / seconds["value"])
        < 1e-9 * answer["precision_percent"]
    )
    [check] = answer["checks"]
    assert (
        check["run"]["done"]
        and check["run"]["kind"] == "check"
        and check["run"]["parameters"] == {"p": 2, "n": 300}
    )
    assert abs(check["error"] - (check["predicted"]["value"] / check["run"]["seconds"]["value"] - 1)) < 1e-12
    assert all(run["parameters"] != {"p": 2, "n": 300} for run in answer["runs"])  # no model is made from it
    assert [point["parameters"]["p"] for point in answer["graph"]["points"]] == [1, 2, 4, 8]
    folder = bed.work / "a.study"
    assert (
        json.loads((folder / "answer.json").read_text())["answer"]
        == answer["answer"]
        == json.loads((folder / "prediction.json").read_text())
    )
    assert (
        len((folder / "graph.csv").read_text().splitlines()) == 5
        and "<svg" in (folder / "graph.svg").read_text()
    )
    again = json.loads(
        bed.run(
            "parcast", "predict", "a.study/input.model.json", "-m", "a.study/here.machine.toml", "-p", 4,
            "-s", "n=500", "--json", "--no-store",
        ).stdout
    )
    assert again["seconds"] == seconds
    recorded = json.loads(
        next((folder / "runs").glob("p2-n250.*.recording")).joinpath("meta.json").read_text()
    )
    assert recorded["parameters"] == {"n": 250} and recorded["command"][-1].endswith(
        "inputs/in.txt"
    ), recorded


def again_is_the_same(bed):
    """The same command, and the folder alone, run nothing and write the same bytes."""
    before = bed.contents("a.study")
    done = bed.study("a.study", "--no-store")
    assert "6 of 6 runs are there already" in done.stderr and "run 1 of" not in done.stderr, done.stderr
    assert bed.contents("a.study") == before
    assert max(map(len, done.stdout.splitlines())) <= 80 or "next:" in max(
        done.stdout.splitlines(), key=len
    ), done.stdout
    for part in ("input, 4 processes, n = 500, on here", "what dominates", "measured run", "next: parcast "):
        assert part in done.stdout, done.stdout
    # Without model and prediction they are made again, of the same recordings: the same bytes.
    for name in ("input.model.json", "prediction.json", "answer.json"):
        (bed.work / "a.study" / name).unlink()
    bed.study("a.study", "--no-store")
    assert bed.contents("a.study") == before
    # A study that was renamed still finds its runs.
    shutil.copytree(bed.work / "a.study", bed.work / "renamed.study")
    assert "6 of 6 runs are there already" in bed.study("renamed.study", "--no-store").stderr


def more_runs(bed):
    """Further values make the missing runs only; further runs are made until a limit is reached, which is
    named."""
    shutil.copytree(bed.work / "a.study", bed.work / "more.study")
    more = bed.study("more.study", "--vary", "p=1,2", "--vary", "n=120,181,250,300", "--no-store")
    assert "6 of 8 runs are there already" in more.stderr, more.stderr
    limited = bed.json("more.study", "--precision", "0.1%", "--budget", "25s", "--no-store")
    assert limited["stop"]["code"] in ("budget", "nothing-worth", "not-known"), limited["stop"]
    assert len(limited["runs"]) >= 8 and limited["spent"]["value"] > 0
    assert (limited["stop"]["code"] != "budget") or limited["spent"]["value"] >= 25
    # no further run is made once the limits are reached
    assert bed.json("more.study", "--no-store") == limited
    wide = bed.json("more.study", "--precision", "99%", "--no-store")
    assert (wide["stop"]["code"] == "precision") == (wide["precision_percent"] <= 99), wide["stop"]
    # A budget that one run uses up: it answers with that one, or reports that it cannot.
    few = bed.study("-o", "few.study", *DESIGN, *ASK, "--budget", "1ms", *LAUNCH, code=None)
    assert few.returncode in (0, 1) and (
        few.returncode == 1 or "stopped by the budget before 5 runs" in few.stdout
    ), (few.stdout, few.stderr)


def a_changed_program_runs_again(bed):
    shutil.copytree(bed.work / "a.study", bed.work / "changed.study")
    (bed.work / "in.txt").write_text("size {n}\nsteps 21\n")
    done = bed.study("changed.study", "--no-store")
    assert "are there already" not in done.stderr and "run 6 of 6" in done.stderr, done.stderr
    (bed.work / "in.txt").write_text("size {n}\nsteps 20\n")
    done = bed.study("changed.study", "--no-store")
    assert "6 of 6 runs are there already" in done.stderr, done.stderr


def killed_at_any_moment(bed, kills):
    """Killed again and again, a study ends with the files of one that never was."""
    words = ["-o", "killed.study", *DESIGN, *ASK, "--check", "p=2,n=300", "--graph", "p=1..8*2", *LAUNCH]
    chance = random.Random(kills)
    done, moments = 0, []
    while done < kills:
        study = bed.start(*words)
        moment = chance.uniform(0.05, 6)
        with contextlib.suppress(subprocess.TimeoutExpired):
            study.wait(moment)
            assert study.returncode == 0, (bed.work / "started.log").read_text()
            # It came to its end: begin anew, so that all moments are tried.
            if done < kills:
                bed.study("--fresh", "--save", "unused.study.toml", *words)
                shutil.rmtree(bed.work / "killed.study")
            continue
        study.send_signal(signal.SIGKILL)
        study.wait()
        done += 1
        moments.append(moment)
        if (bed.work / "killed.study" / "journal.json").exists():
            json.loads((bed.work / "killed.study" / "journal.json").read_text())
    bed.study(*words)
    once, never = bed.contents("killed.study"), bed.contents("a.study")
    assert names(once) == names(never), (set(names(once)) ^ set(names(never)), moments)
    for name in ("input.model.json", "prediction.json", "journal.json", "answer.json"):
        json.loads(once[name])
    bed.study("killed.study", "--no-store")
    assert bed.contents("killed.study") == once
    print(f"   killed {kills} times")


def interrupted(bed):
    """Ctrl-C keeps what is done, prints how to go on, and the same command goes on."""
    study = bed.start("-o", "ended.study", *DESIGN, *ASK, *LAUNCH)
    for _ in range(600):
        if "run 1 of 6" in (bed.work / "started.log").read_text():
            break
        time.sleep(0.05)
    study.send_signal(signal.SIGINT)
    assert study.wait(60) == 130, (bed.work / "started.log").read_text()
    assert "go on with: parcast study ended.study" in (bed.work / "started.log").read_text()
    done = bed.study("ended.study", "--no-store")
    assert "runs are there already" in done.stderr, done.stderr
    assert names(bed.contents("ended.study")) == sorted(
        set(names(bed.contents("a.study")))
        - {n for n in names(bed.contents("a.study")) if n.startswith(("graph.", "runs/check-"))}
    )


def runs_that_fail(bed):
    """A point that fails is kept and reported, and the others answer."""
    (bed.work / "bad.txt").write_text("size {n}\nsteps 20\nfail 3\n")
    words = [
        "--template", "bad.txt", "--vary", "p=1,2,3", "--vary", "n=120,181,250", "--oversubscribe", "-m",
        "a.study/here.machine.toml", "--no-store", *ASK,
    ]
    answer = bed.json(
        "-o", "bad.study", *words, "--", "mpirun", "--oversubscribe", "-n", "{p}", "./input", "bad.txt",
        code=3
    )
    assert [run["parameters"]["p"] for run in answer["failed"]] == [3, 3, 3] and len(answer["runs"]) == 6
    assert answer["failed"][0]["exit_code"] == 7 and "bad.study/logs/" in answer["failed"][0]["hint"], answer[
        "failed"
    ]
    assert (
        "this program fails with 3 processes"
        in next((bed.work / "bad.study" / "logs").glob("p3-n120.*")).read_text()
    )
    text = bed.study("bad.study", "--no-store", code=3).stdout
    assert "failed: p = 3, n = 120" in text, text
    (bed.work / "bad.txt").write_text("size 0\n# {n}\n")
    none = bed.study(
        "-o", "none.study", *words, "--", "mpirun", "--oversubscribe", "-n", "{p}", "./input", "bad.txt",
        code=1
    )
    assert "no run succeeded" in none.stderr, none.stderr
    # no run of the most processes succeeded either, so that further ones are not made
    assert "runs failed alike; the others are not made" in none.stderr, none.stderr


def descriptions(bed):
    """A description is saved, and makes the same study; a step before all others builds."""
    bed.study(
        "-o", "x.study", *DESIGN[:-1], *ASK, "--build", "touch built", "--save", "my.study.toml", *LAUNCH
    )
    assert not (bed.work / "x.study").exists() and not (bed.work / "built").exists()
    text = (bed.work / "my.study.toml").read_text()
    assert (
        "folder" not in text
        and 'launch = ["mpirun", "--oversubscribe", "-n", "{p}", "./input", "in.txt"]' in text
    ), text
    shutil.copytree(bed.work / "a.study", bed.work / "my.study")
    done = bed.study("my.study.toml", "--no-store")
    assert "6 of 6 runs are there already" in done.stderr and (bed.work / "built").exists()
    (bed.work / "my.study.toml").write_text(text.replace("touch built", "echo no compiler; exit 9"))
    failed = bed.study("my.study.toml", "--no-store", code=1)
    assert (
        "the build failed with exit code 9" in failed.stderr and "no compiler" in failed.stderr
    ), failed.stderr
    (bed.work / "my.study.toml").write_text(text + "\n[vari]\n")
    assert '"vari" is not known here' in bed.study("my.study.toml", code=2).stderr


def mistakes(bed):
    """What is mistyped is an error before anything runs, and nothing is left."""
    refused = {
        "the placeholder {m} has no values": [
            "-o", "no.study", *DESIGN, "--", "mpirun", "-n", "{p}", "./input", "in.txt", "{m}",
        ],
        "{n} is neither in the launch line nor in a template": [
            "-o", "no.study", "--vary", "n=1,2", "--", "mpirun", "-n", "{p}", "./input",
        ],
        "3 parameters vary in the graph": [
            "-o", "no.study", *DESIGN, "--graph", "p=1,2", "--graph", "n=1,2", "--graph", "L=*1,*2", *LAUNCH,
        ],
        "cannot be the name of what varies": ["-o", "no.study", "--vary", "../n=1,2", *LAUNCH],
        "needs a launch line": ["--vary", "n=1,2"],
        "-- goes before the launch line": ["--vary", "n=1,2", "mpirun", "-n", "{p}", "./input"],
        "there is no study nowhere.study": ["nowhere.study"],
        "has no engine": ["-o", "no.study", *DESIGN, "--engine", "equatoin", *LAUNCH],
    }
    for sentence, words in refused.items():
        done = bed.study(*words, code=2)
        assert sentence in done.stderr or sentence == "has no engine" and "equation" in done.stderr, (
            sentence, done.stderr,
        )
    assert not (bed.work / "no.study").exists()
    taken = bed.study("-o", ".", *DESIGN, *LAUNCH, code=1)
    assert "it exists and is no study" in taken.stderr, taken.stderr


def virtual_processors(bed):
    """Answers of replays agree in the text, the graph, the page and the command that the study proposes."""
    launch = ["--", "collections_poisson", "{N}", "--collections", "cooperative:{p}"]
    flags = ["-o", "v.study", "--no-store", "-m", "cm-5", "--set", "MipsRatio=500"]
    flags += ["--vary", "p=4", "--vary", "N=31"]
    answer = bed.json(*flags, "--ask", "p=8,N=31", "--graph", "p=1..8*2", *launch)
    assert answer["answer"]["engine"] == "replay", answer["answer"]
    value = answer["answer"]["seconds"]["value"]
    points = answer["graph"]["points"]
    assert [point["parameters"]["p"] for point in points] == [1, 2, 4, 8]
    assert points[-1]["seconds"]["value"] == value
    page = (bed.work / "v.study" / "report.html").read_text()
    assert "no extrapolation" in page and 'id="explanation"' not in page  # no sliders by the closed form
    assert repr(value) in page  # of the scaling table
    # The recordings of the asked point: three, so that the shortest time of each computing counts.
    assert len(list((bed.work / "v.study" / "runs").glob("*p8-N31*"))) == 3
    words = shlex.split(answer["next"]["command"])
    assert words[:2] == ["parcast", "simulate"], words
    assert "longest" in bed.run(*words).stdout
    # A truncated recording is left out: two others are complete.
    damaged = sorted((bed.work / "v.study" / "runs").glob("*p8-N31*"))[0]
    files = [path for path in damaged.rglob("*") if path.is_file()]
    largest = max(files, key=lambda path: path.stat().st_size)
    os.truncate(largest, largest.stat().st_size // 2)
    mended = bed.json("v.study")["answer"]
    warnings = [warning["text"] for warning in mended["warnings"]]
    assert "1 of 3 recordings of this run is damaged, and left out" in warnings, warnings
    assert abs(mended["seconds"]["value"] / value - 1) < 0.5, mended["seconds"]
    refused = bed.study("v.study", "--check", "p=4,N=31", code=2)
    assert "no measured time" in refused.stderr, refused.stderr


def nowhere_to_write(bed):
    """A full disk and a folder that cannot be written are errors; what lay there stays."""
    disk = bed.work / "disk"
    disk.mkdir()
    if (
        subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", disk], capture_output=True
        ).returncode
        == 0
    ):
        try:
            full = bed.study("-o", "disk/a.study", *DESIGN, *ASK, *LAUNCH, code=None)
            assert full.returncode in (1, 3) and "error" in full.stderr, (
                full.returncode, full.stdout, full.stderr,
            )
        finally:
            subprocess.run(["umount", "--lazy", disk], check=True)
    refused = bed.study("-o", "in.txt/a.study", *DESIGN, *ASK, *LAUNCH, code=1)
    assert "in.txt/a.study" in refused.stderr and "-o" in refused.stderr, refused.stderr


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", required=True)
    parser.add_argument("--kills", type=int)
    options = parser.parse_args()
    os.environ.setdefault("OMPI_ALLOW_RUN_AS_ROOT", "1")
    os.environ.setdefault("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1")
    bed = Bed(options.build)
    checks = [
        whole, again_is_the_same, more_runs, a_changed_program_runs_again, interrupted, runs_that_fail,
        descriptions, mistakes, nowhere_to_write, virtual_processors,
    ]
    if options.kills:
        checks = [whole]
    for check in checks:
        check(bed)
        print("ok", check.__name__, flush=True)
    killed_at_any_moment(bed, options.kills or 4)
    print("ok killed_at_any_moment")
    shutil.rmtree(bed.work)


if __name__ == "__main__":
    sys.exit(main())
