#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the answers of Parcast for recorded programs with what they must agree with. For each folder of
recordings of one program, a model is made; its check against its own recordings (given back) and against the
left-out largest runs (forward) is printed, and the total by each engine at two points: the largest recorded
one, and the same parameters at --processes. Totals that differ by more than --within from that of `auto`
follow below the table, each with the part of time that differs most, and so do the engine's own warnings.

    bench/accuracy/agreement.py --machine FILE [--build build/release] [--processes 64] FOLDER...

A model file may take the place of a folder. agreement.csv has every number."""
import csv
import json
import pathlib
import subprocess
import time

from common import Bench, table

ENGINES = ("auto", "equation", "interpret", "simulate")
PARTS = {
    "compute": "computing",
    "memory": "data beyond a cache",
    "message_startup": "startup",
    "transfer": "transfer",
    "wait": "waiting",
}


def modelled(bench, given):
    """Returns the model file of a folder and the seconds that making it took; None for a given model."""
    given = bench.began_in / given
    if given.is_file():
        return given, None
    model = bench.work / f"{given.name}.model.json"
    began = time.monotonic()
    recordings = sorted(str(each) for each in given.glob("*.recording"))
    done = subprocess.run(
        [
            "parcast",
            "model",
            "--quiet",
            "--no-store",
            "-m",
            bench.options.machine,
            "-o",
            str(model),
            *recordings,
        ],
        capture_output=True,
        text=True,
    )
    if done.returncode not in (0, 3):
        raise SystemExit(f"{given}: {done.stderr.strip()}")
    return model, time.monotonic() - began


def largest_point(model):
    """Returns the recorded point of the most processes, and of the largest parameters among these."""
    points = [{"p": each["p"], **each["parameters"]} for each in model["checks"]["given_back"]]
    return max(points, key=lambda point: tuple(point.values()))


def predicted(bench, model, point, engine):
    """Returns the answer, or the sentence of the refusal, and the seconds it took."""
    line = [
        "parcast",
        "predict",
        str(model),
        "-m",
        bench.options.machine,
        "--json",
        "--engine",
        engine,
        "-p",
        str(int(point["p"])),
    ]
    for name, value in point.items():
        if name != "p":
            line += ["-s", f"{name}={value:.17g}"]
    began = time.monotonic()
    try:
        done = subprocess.run(line, capture_output=True, text=True, timeout=bench.options.limit)
    except subprocess.TimeoutExpired:
        return {"what": f"no answer within {bench.options.limit} s"}, float(bench.options.limit)
    return json.loads(done.stdout or "{}"), time.monotonic() - began


def difference(one, other):
    """Returns the name of the part that differs most, with its seconds in both answers."""

    def size(part):
        return abs(one["parts"][part]["value"] - other["parts"][part]["value"])

    most = max(PARTS, key=size)
    return f"{PARTS[most]} {one['parts'][most]['value']:.3g} s for {other['parts'][most]['value']:.3g} s"


def errors(runs):
    """Returns the median and worst relative error of the computing that the model gives these runs."""
    sizes = sorted(
        abs(each["computing"]["given"] / each["computing"]["recorded"] - 1)
        for each in runs
        if each["computing"]["recorded"] > 0
    )
    return (
        tuple(f"{100 * each:.0f} %" for each in (sizes[len(sizes) // 2], sizes[-1])) if sizes else ("-", "-")
    )


def main():
    bench = Bench(
        __doc__,
        [
            (["folders"], {"nargs": "+"}),
            (["--machine"], {"required": True}),
            (["--processes"], {"type": int, "default": 64}),
            (["--within"], {"type": float, "default": 0.1}),
            (["--limit"], {"type": int, "default": 120, "help": "seconds for one answer"}),
        ],
    )
    bench.options.machine = str((bench.began_in / bench.options.machine).resolve())
    rows, notes, numbers, by_equation, answered = [], [], [], 0, 0
    for given in bench.options.folders:
        path, took = modelled(bench, pathlib.Path(given))
        model = json.loads(path.read_text())
        name = path.name.removesuffix(".model.json")
        median, worst = errors(model["checks"]["given_back"])
        forward = errors([run for each in model["checks"].get("forward", []) for run in each["runs"]])
        largest = largest_point(model)
        for point in (largest, {**largest, "p": bench.options.processes}):
            answers = {engine: predicted(bench, path, point, engine) for engine in ENGINES}
            auto, seconds = answers["auto"]
            cells = []
            for engine in ENGINES:
                answer = answers[engine][0]
                value = answer.get("seconds", {}).get("value") if "seconds" in answer else None
                cells.append("hangs" if answer.get("hang") else "-" if value is None else f"{value:.4g}")
                if value is None and not answer.get("hang"):
                    notes.append(f"{name}, p = {point['p']}, {engine}: {answer.get('what', 'no answer')}")
                elif (
                    None not in (value, (auto.get("seconds") or {}).get("value"))
                    and abs(value / auto["seconds"]["value"] - 1) > bench.options.within
                ):
                    notes.append(
                        f"{name}, p = {point['p']}, {engine}: {value:.4g} s, "
                        f"auto {auto['seconds']['value']:.4g} s: {difference(answer, auto)}"
                    )
                numbers.append([name, point["p"], engine, value, answers[engine][1]])
            answered += "seconds" in auto
            by_equation += auto.get("engine") == "equation"
            for warning in auto.get("warnings", []):
                if warning["code"] in ("waits-unchecked", "closed-form-differs", "recordings-missed"):
                    notes.append(f"{name}, p = {point['p']}, auto: {warning['text']}")
            rows.append(
                [
                    name,
                    len(model["checks"]["given_back"]),
                    median,
                    worst,
                    *forward,
                    point["p"],
                    auto.get("engine", "-"),
                    *cells,
                    f"{seconds:.2f}",
                    "-" if took is None else f"{took:.0f}",
                ]
            )
    table(
        [
            "program",
            "runs",
            "given back",
            "worst",
            "forward",
            "worst",
            "p",
            "answered by",
            *ENGINES,
            "predict s",
            "model s",
        ],
        rows,
    )
    print(f"\nthe equation answered {by_equation} of {answered} points\n")
    print("\n".join(notes))
    with open("agreement.csv", "w", newline="") as out:
        csv.writer(out).writerows([["program", "p", "engine", "seconds", "took"], *numbers])


main()
