#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests whether predicted counts are exact. Records both examples at p in {1, 2, 3, 4, 6, 8, 9} and four
sizes. The model predicts counts, messages and bytes per rank at p = 16 and 25 and at a size that was not
recorded. The script compares these with recordings made there. It also makes models from p in {1, 2} alone,
whose counts must be reported as ambiguous.

    bench/accuracy/counts.py [--build build/release]"""
from common import Bench, table

PROCESSES = [1, 2, 3, 4, 6, 8, 9]
HELD_OUT = [16, 25]
CASES = {  # program: (sizes recorded, size held out, further arguments)
    "shallow_water": ([40, 47, 58, 75], 101, {"steps": 40}),
    "gauss": ([40, 47, 64, 90], 121, {}),
}


def words(n, more):
    return [n, *more.values()]


def model_of(bench, program, processes, name):
    sizes, _, more = CASES[program]
    recordings = []
    for p in processes:
        for n in sizes:
            target = bench.work / f"{program}-p{p}-n{n}.recording"
            if not target.exists():
                bench.record(
                    target, {"N": n, **more}, [*bench.launch(p), bench.example(program), *words(n, more)]
                )
            recordings.append(target)
    model = bench.work / f"{name}.model.json"
    bench.parcast("model", "--no-store", "-q", "-o", model, *recordings)
    return model


def predicted(bench, model, program, p):
    _, n, more = CASES[program]
    flags = [word for name, value in {"N": n, **more}.items() for word in ("-s", f"{name}={value}")]
    return bench.answer("predict", model, "-p", p, *flags, "--counts", "--no-store")["ranks"]


def recorded(bench, program, p):
    _, n, more = CASES[program]
    target = bench.work / f"{program}-held-out-p{p}.recording"
    if not target.exists():
        bench.record(target, {"N": n, **more}, [*bench.launch(p), bench.example(program), *words(n, more)])
    return bench.answer("show", target, "--counts")["ranks"]


def compare(predictions, truths):
    """Returns (values compared, values that differ, origins seen, first differences)."""
    compared, wrong, origins, examples = 0, 0, {}, []
    for guess, truth in zip(predictions, truths, strict=True):
        pairs = [
            (name, guess["calls"].get(name), truth["calls"].get(name, 0))
            for name in sorted({*guess["calls"], *truth["calls"]})
        ]
        pairs += [
            (name, guess[name], truth[name]) for name in ("messages_sent", "bytes_sent", "collective_bytes")
        ]
        for name, estimate, value in pairs:
            compared += 1
            origin = estimate["origin"] if estimate else "missing"
            origins[origin] = origins.get(origin, 0) + 1
            if not estimate or estimate["value"] != value:
                wrong += 1
                examples.append(
                    f"rank {truth['rank']} {name}: predicted {estimate and estimate['value']}, recorded"
                    f" {value}"
                )
    return compared, wrong, origins, examples


def main():
    bench = Bench(__doc__)
    rows, failed = [], False
    for program in CASES:
        for processes, wanted in ((PROCESSES, "exact"), ([1, 2], "ambiguous")):
            model = model_of(bench, program, processes, f"{program}-{wanted}")
            for p in HELD_OUT:
                compared, wrong, origins, examples = compare(
                    predicted(bench, model, program, p), recorded(bench, program, p)
                )
                rows.append([program, f"{processes[0]}..{processes[-1]}", p, compared, wrong,
                             ", ".join(f"{k} {v}" for k, v in sorted(origins.items()))])
                failed |= (
                    (wrong > 0 or set(origins) != {"exact"}) if wanted == "exact" else "exact" in origins
                )
                if wanted == "exact":
                    print(*examples[:5], sep="\n", end="\n" if examples else "")
    table(["program", "recorded p", "p", "values", "wrong", "origins"], rows)
    raise SystemExit(1 if failed else 0)


main()
