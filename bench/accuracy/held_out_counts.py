#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares predicted counts of recorded programs with those of recordings that the model was not made of. For
each folder of recordings of one program, the largest process count, and the largest value of each parameter,
is left out in turn. The model of the rest predicts calls, messages and bytes of every rank at these points.
Prints the share that is right by origin; a wrong count that is called exact fails.

    bench/accuracy/held_out_counts.py [--build build/release] FOLDER...     # FOLDER/*.recording"""
import collections
import json
import pathlib
import subprocess

from common import Bench, table

TOTALS = ("messages_sent", "bytes_sent", "collective_bytes")


def point_of(recording):
    meta = json.loads((recording / "meta.json").read_text())
    return {"p": meta["processes"], **meta["parameters"]}


def with_arguments(point, model, recording):
    """Returns the point with the model's parameters that are words of the recorded command: -i 2, i=2."""
    command = json.loads((recording / "meta.json").read_text())["command"]
    point = dict(point)
    for name in (parameter["name"] for parameter in json.loads(model.read_text())["parameters"]):
        for word, following in zip(command, [*command[1:], ""]):
            if name not in point and word.lstrip("-") == name and word.startswith("-"):
                point[name] = float(following)
            elif name not in point and word.startswith(f"{name}="):
                point[name] = float(word.split("=", 1)[1])
    return point


def splits(points):
    """Yields (what is left out, recordings left out, the others); three points at least remain."""
    for name in sorted({name for point in points.values() for name in point}):
        values = sorted({point.get(name) for point in points.values()} - {None})
        if len(values) < 2:
            continue
        out = [recording for recording, point in points.items() if point.get(name) == values[-1]]
        rest = [recording for recording in points if recording not in out]
        if len(rest) >= 3:
            yield f"{name} = {values[-1]:g}", out, rest


def compared(guess, truth):
    """Yields (count, origin, predicted, recorded) of a rank."""
    for name in sorted({*guess["calls"], *truth["calls"]}):
        guessed = guess["calls"].get(name)
        yield name, guessed["origin"] if guessed else "missing", guessed and guessed["value"], truth[
            "calls"
        ].get(name, 0)
    for name in TOTALS:
        yield name, guess[name]["origin"], guess[name]["value"], truth[name]


def main():
    bench = Bench(__doc__, [(["folders"], {"nargs": "+", "type": pathlib.Path})])
    rows, false_exact = [], []
    for folder in bench.options.folders:
        folder = (bench.began_in / folder).resolve()
        points = {recording: point_of(recording) for recording in sorted(folder.glob("*.recording"))}
        for left_out, out, rest in splits(points):
            model = bench.work / f"{folder.name}.model.json"
            try:
                bench.parcast("model", "--no-store", "-q", "-o", model, *rest)
            except SystemExit as error:
                print(f"{folder.name} without {left_out}: {error}")
                continue
            right, all_of = collections.Counter(), collections.Counter()
            seen = []
            for recording in out:
                point = with_arguments(points[recording], model, recording)
                if point in seen:
                    continue
                seen.append(point)
                flags = [
                    word
                    for name, value in point.items()
                    if name != "p"
                    for word in ("-s", f"{name}={value:g}")
                ]
                words = [
                    "parcast", "predict", str(model), "-p", str(point["p"]), *flags, "--counts", "--no-store",
                    "--json",
                ]
                done = subprocess.run(words, capture_output=True, text=True)
                if done.returncode not in (0, 3):
                    print(f"{folder.name} {point}: {done.stderr.strip()[:200]}")
                    continue
                truth = bench.answer("show", recording, "--counts")["ranks"]
                for guess, of_rank in zip(json.loads(done.stdout)["ranks"], truth, strict=True):
                    if not of_rank["calls"].get("MPI_Finalize"):
                        continue  # the process did not reach its end
                    for name, origin, value, recorded in compared(guess, of_rank):
                        all_of[origin] += 1
                        right[origin] += value == recorded
                        if origin in ("exact", "symbolic") and value != recorded:
                            false_exact.append(
                                f"{folder.name} {point} rank {of_rank['rank']} {name}: {value}, recorded"
                                f" {recorded}"
                            )
            rows += [
                [
                    folder.name, left_out, origin, all_of[origin],
                    f"{100 * right[origin] / all_of[origin]:.1f} %",
                ]
                for origin in sorted(all_of)
            ]
    table(["program", "left out", "found", "counts", "right"], rows)
    print(f"{len(false_exact)} wrong counts are called exact or symbolic", *false_exact[:20], sep="\n")
    raise SystemExit(1 if false_exact else 0)


main()
