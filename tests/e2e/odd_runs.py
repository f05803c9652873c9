#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs that are unlike others, from end to end: a ring of six processes whose order follows no rule, of which
the model keeps copies, and a run that ended with an error, which the model leaves out.

    tests/e2e/odd_runs.py --build BUILD"""
import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROUNDS, PROCESSES = 45, 6


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--build", required=True)
    build = pathlib.Path(arguments.parse_args().build).resolve()
    os.environ["PATH"] = f"{build / 'bin'}:{os.environ['PATH']}"
    with tempfile.TemporaryDirectory(prefix="parcast-odd-") as folder:
        check(pathlib.Path(folder))
    print("odd runs: copies, and a failed run left out")


def check(work):
    def run(*words, code=0):
        done = subprocess.run(list(map(str, words)), capture_output=True, text=True, cwd=work)
        assert done.returncode == code, f"{words}: exit {done.returncode}\n{done.stdout}{done.stderr}"
        return done

    def record(name, p, *words, code=0):
        launch = ["mpirun", "--oversubscribe", "-n", p, "./ring", *words]
        run("parcast", "record", "-q", "--no-store", "-o", f"{name}.recording", "--", *launch, code=code)

    run("mpicc", "-g", "-O1", HERE / "ring.c", "-o", "ring")
    for p in (2, PROCESSES):
        for n in (10, 20, 30):
            record(f"ring-{p}-{n}", p, n, 20000)
    record("failed", PROCESSES, 40, code=2)
    recordings = sorted(path.name for path in work.glob("ring-*.recording"))

    # The failed run has one number fewer on its command line, and none of the messages.
    words = ["failed.recording", "--no-store", "-o", "ring.model.json"]
    made = run("parcast", "model", *recordings, *words, code=3)
    assert "failed.recording is left out, since its run ended with exit code 2" in made.stderr, made
    model = json.loads((work / "ring.model.json").read_text())
    assert len(model["sources"]) == len(recordings), model["sources"]
    assert any(n["code"] == "failed-run-left-out" for n in model["notices"]), model["notices"]
    words = ["failed.recording", "--with-failed", "--no-store", "-o", "all.model.json"]
    every = run("parcast", "model", *recordings, *words)
    assert len(json.loads((work / "all.model.json").read_text())["sources"]) == len(recordings) + 1, every
    alone = run("parcast", "model", "failed.recording", "--no-store", "-o", "failed.model.json")
    assert "left out" not in alone.stderr and len(alone.stdout) > 0, alone

    # No rule gives the ring of six; copies give each message of another size as the program has it.
    structure = model["structure"]
    assert structure["copied"] == PROCESSES, structure["missing"]
    assert "no rule" in structure["missing"]["what"], structure["missing"]
    assert "copies of the recorded run at p = 6" in made.stderr, made.stderr
    record("larger", PROCESSES, ROUNDS, 20000)
    for name, words in (("larger", []), ("ring", ["-p", PROCESSES, "-s", f"arg1={ROUNDS}"])):
        given = f"{name}.recording" if not words else f"{name}.model.json"
        run("parcast", "export", given, *words, "--format", "goal", "-o", f"{name}.goal")
    recorded, copied = (
        re.findall(r"send (\d+)b to (\d+)", (work / f"{name}.goal").read_text())
        for name in ("larger", "ring")
    )
    assert len(recorded) >= ROUNDS * PROCESSES, len(recorded)
    assert copied == recorded

    # Both engines that follow ranks take copies; the default engine answers with the closed form.
    cluster = ["nodes=64", "cores=2", "latency=20us", "bandwidth=10Gb/s"]
    run("parcast", "machine", "new", *cluster, "-o", "c.machine.toml")
    answers = {}
    for engine in ("auto", "interpret", "simulate"):
        asked = ["-m", "c.machine.toml", "-p", 2 * PROCESSES, "-s", f"arg1={ROUNDS}", "--engine", engine]
        answer = run("parcast", "predict", "ring.model.json", *asked, "--no-store", "--json")
        answers[engine] = json.loads(answer.stdout)
    assert answers["auto"]["engine"] == "equation", answers["auto"]["engine"]
    for engine in ("interpret", "simulate"):
        answer = answers[engine]
        assert any(w["code"] == "order-copied" for w in answer["warnings"]), answer["warnings"]
        assert answer["coverage"]["assumed"] > 0, answer["coverage"]
    ratio = answers["interpret"]["seconds"]["value"] / answers["simulate"]["seconds"]["value"]
    assert 0.9 < ratio < 1.1, ratio


if __name__ == "__main__":
    sys.exit(main())
