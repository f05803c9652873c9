#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Predicts larger runs of programs from small ones, measures them afterwards, and writes one table and one
page.

LIST is a TOML file. Sources of the programs stay where they are:

    launcher = "mpirun --oversubscribe -n {p}"     # how processes are started
    machine = "here.machine.toml"                  # optional; without it the script calibrates through the
                                                   launcher
    calibrate = ["--processes", "1,2,4"]           # optional words for that calibration

    [[program]]
    name = "gauss"
    command = "/path/to/gauss {N}"                 # {p} and parameters are replaced
    setup = "sed s/SIZE/{N}/ input.in > run.in"    # optional, run in the program's folder before each run
    record = [{p = [1, 2, 4], N = [300, 400, 600]}]   # every combination is recorded
    ask = [{p = [8, 16], N = [1200]}]              # every combination is predicted, then measured
    shape = ["rows", "columns"]                    # optional: parameters that only arrange the processes
    model = ["--same-program"]                     # optional words for `parcast model`

Each result is kept in the work folder as soon as it is there; the same command continues after an
interruption. All predictions of a program are stored before its first measurement. Five plain forecasts of
the same recorded totals are printed with each prediction: the last point, perfect scaling, a power law,
Amdahl's law and a + b/p + c log2 p. In all but the first, sizes enter as powers fitted to the recorded
totals."""
import itertools
import json
import math
import pathlib
import shlex
import statistics
import subprocess
import sys
import time
import tomllib

from common import Bench, now, percent, table

LEVEL = 0.9
ENGINES = ["equation", "interpret", "simulate"]


def combinations(groups):
    """Returns every combination of each group's values, as a list of {name: value}."""
    points = []
    for group in groups:
        lists = [values if isinstance(values, list) else [values] for values in group.values()]
        points += [dict(zip(group, chosen)) for chosen in itertools.product(*lists)]
    return points


def name_segment(model, segment):
    """Returns the call at a segment's end, with its place."""
    if segment["to"] < 0:
        return "computing after the last call"
    node = model["nodes"][segment["to"]]
    return f"computing before {node['label']} {node.get('where', '')}".strip()


def name_point(point):
    return ",".join(f"{name}={value}" for name, value in point.items())


class Journal:
    """Results by key, one JSON line each, appended as they come."""

    def __init__(self, path):
        self.path, self.kept = path, {}
        if path.exists():
            for line in path.read_text().splitlines():
                key, value = json.loads(line)
                self.kept[key] = value

    def once(self, key, work):
        """Returns the kept result of `key`, or of work(), which is then kept."""
        if key not in self.kept:
            self.kept[key] = work()
            with self.path.open("a") as file:
                file.write(json.dumps([key, self.kept[key]]) + "\n")
        return self.kept[key]


# Plain forecasts of recorded totals


def solve(rows, values):
    """Returns the least-squares solution of rows * x = values (normal equations), or None where they are
    singular."""
    n = len(rows[0])
    a = [
        [sum(r[i] * r[j] for r in rows) for j in range(n)] + [sum(r[i] * v for r, v in zip(rows, values))]
        for i in range(n)
    ]
    for i in range(n):
        pivot = max(range(i, n), key=lambda k: abs(a[k][i]))
        if abs(a[pivot][i]) < 1e-12 * max(1.0, abs(a[i][i])):
            return None
        a[i], a[pivot] = a[pivot], a[i]
        for k in range(n):
            if k != i:
                factor = a[k][i] / a[i][i]
                a[k] = [x - factor * y for x, y in zip(a[k], a[i])]
    return [a[i][n] / a[i][i] for i in range(n)]


def forecast(recorded, point, shape):
    """Returns {name of the plain forecast: seconds} at `point` from [(point, seconds)]."""
    varied = [
        name
        for name in point
        if name != "p" and name not in shape and len({r[name] for r, _ in recorded}) > 1
    ]
    logs = [math.log(seconds) for _, seconds in recorded]
    several_p = len({r["p"] for r, _ in recorded}) > 1
    power = solve(
        [
            [1.0, *([math.log(r["p"])] if several_p else []), *(math.log(r[n]) for n in varied)]
            for r, _ in recorded
        ],
        logs,
    )
    last, last_seconds = max(recorded, key=lambda pair: (sum(math.log(pair[0][n]) for n in pair[0])))
    answers = {"last point": last_seconds}
    if power is None:
        return answers
    exponents = dict(zip(varied, power[2 if several_p else 1:]))

    def work(at):
        return math.prod(at[n] ** exponents[n] for n in varied)

    answers["perfect"] = last_seconds * work(point) / work(last) * last["p"] / point["p"]
    answers["power law"] = math.exp(power[0]) * (point["p"] ** power[1] if several_p else 1.0) * work(point)
    for name, terms in (
        ("Amdahl", lambda p: [1.0, 1 / p]), ("a+b/p+c log p", lambda p: [1.0, 1 / p, math.log2(p)]),
    ):
        # relative errors are fitted
        rows = [[t * work(r) / seconds for t in terms(r["p"])] for r, seconds in recorded]
        found = solve(rows, [1.0] * len(rows)) if several_p else None
        if found:
            value = work(point) * sum(c * t for c, t in zip(found, terms(point["p"])))
            if value > 0:
                answers[name] = value
    return answers


# The protocol of one program


class Program:
    def __init__(self, bench, listed, described, machine):
        self.bench, self.launcher, self.machine = bench, listed["launcher"], machine
        self.name, self.described = described["name"], described
        self.folder = bench.work / self.name
        self.folder.mkdir(exist_ok=True)
        self.journal = Journal(self.folder / "journal.jsonl")
        self.recorded = combinations(described["record"])
        self.asked = combinations(described["ask"])
        self.flags = described.get("predict", [])

    def prepare(self, point):
        """Runs the program's setup command; returns the launch line of `point`."""
        def fill(text):
            for name, value in point.items():
                text = text.replace("{" + name + "}", str(value))
            return text

        if "setup" in self.described:
            subprocess.run(fill(self.described["setup"]), shell=True, check=True, cwd=self.folder)
        return shlex.split(fill(self.launcher)) + shlex.split(fill(self.described["command"]))

    def run(self, words, at):
        done = subprocess.run(list(map(str, words)), capture_output=True, text=True, cwd=self.folder)
        if done.returncode not in (0, 3):
            raise RuntimeError(
                f"{self.name} at {at}: {shlex.join(map(str, words))} ended with {done.returncode}:"
                f" {done.stderr[-400:]}"
            )
        return done.stdout

    def record(self, index, point):
        target = self.folder / f"r{index}.recording"

        def work():
            flags = [word for n, v in point.items() if n != "p" for word in ("--param", f"{n}={v}")]
            began = time.time()
            self.run(
                [
                    "parcast", "record", "-q", "--no-store", "--name", self.name, "-o", target, *flags, "--",
                    *self.prepare(point),
                ],
                name_point(point),
            )
            shown = json.loads(self.run(["parcast", "show", target, "--json"], name_point(point)))
            return {"total": max(rank["seconds"] for rank in shown["ranks"]), "taken": time.time() - began}

        return target, self.journal.once(f"record {name_point(point)}", work)

    def model(self, recordings):
        target = self.folder / "program.model.json"

        def work():
            began = time.time()
            words = [*self.described.get("model", []), "-m", self.machine, "-o", target, *recordings]
            self.run(["parcast", "model", "-q", "--no-store", *words], "model")
            model = json.loads(target.read_text())
            segments = [name_segment(model, each) for each in model["segments"]]
            return {"taken": time.time() - began, "checks": model.get("checks", {}), "segments": segments}

        return target, self.journal.once("model", work)

    def predict(self, model, point):
        def work():
            flags = [word for n, v in point.items() if n != "p" for word in ("-s", f"{n}={v}")]
            began = time.time()
            words = [
                "parcast", "predict", model, "-m", self.machine, "-p", point["p"], *flags, *self.flags,
                "--no-store", "--json",
            ]
            try:
                answer = json.loads(self.run(words, name_point(point)))
            except RuntimeError as refusal:
                return {"refused": str(refusal), "stored": now()}
            keep = {
                key: answer.get(key)
                for key in ("seconds", "engine", "second", "coverage", "parts", "warnings")
            }
            return {**keep, "taken": time.time() - began, "stored": now()}

        return self.journal.once(f"predict {name_point(point)}", work)

    def compare_engines(self, model):
        """Returns each engine's seconds, or "refused", at the largest recorded point and on 64 processes of
        its size."""
        largest = max(self.recorded, key=lambda point: (point["p"], *(point[name] for name in point)))

        def work(point):
            flags = [word for n, v in point.items() if n != "p" for word in ("-s", f"{n}={v}")]
            found = {}
            for engine in ENGINES:
                words = [
                    "parcast", "predict", model, "-m", self.machine, "-p", point["p"], *flags, "--engine",
                    engine, "--no-store", "--json",
                ]
                try:
                    found[engine] = json.loads(self.run(words, name_point(point)))["seconds"]["value"]
                except RuntimeError:
                    found[engine] = "refused"
            return found

        points = [largest, {**largest, "p": 64}]
        return [
            (point, self.journal.once(f"engines {name_point(point)}", lambda at=point: work(at)))
            for point in points
        ]

    def measure(self, point, repeat):
        def work():
            return {"seconds": self.bench.measure(self.prepare(point), folder=self.folder)}

        return self.journal.once(f"measure {name_point(point)} #{repeat}", work)["seconds"]

    def fit(self, recorded, point):
        """Returns the total that `parcast fit` finds for `point` from the recorded totals alone."""
        def work():
            names = [name for name in point if name not in self.described.get("shape", [])]
            csv = self.folder / "totals.csv"
            csv.write_text(
                "\n".join(
                    [
                        ",".join([*names, "seconds"]),
                        *(",".join(map(str, [*(r[n] for n in names), s])) for r, s in recorded),
                    ]
                )
            )
            at = ",".join(f"{n}={point[n]}" for n in names)
            try:
                answer = json.loads(self.run(["parcast", "fit", csv, "--predict", at, "--json"], at))
                return answer["kernels"][0]["predictions"][0]["value"]
            except (RuntimeError, KeyError, IndexError, TypeError) as problem:
                return {"refused": str(problem)}

        return self.journal.once(f"fit {name_point(point)}", work)


def score(low, high, truth):
    """Returns the interval score of Gneiting and Raftery (2007), relative to the truth: width plus 2/alpha
    times the miss."""
    alpha = 1 - LEVEL
    return ((high - low) + 2 / alpha * max(low - truth, 0) + 2 / alpha * max(truth - high, 0)) / truth


def judge(program, repeats):
    recordings, recorded = [], []
    for index, point in enumerate(program.recorded, 1):
        file, kept = program.record(index, point)
        recordings.append(file)
        recorded.append((point, kept["total"]))
        print(
            f"{program.name}: recorded {name_point(point)}: {kept['total']:.3g} s", file=sys.stderr,
            flush=True,
        )
    model, made = program.model(recordings)
    rows = []
    answers = [(point, program.predict(model, point)) for point in program.asked]
    engines = program.compare_engines(model)
    for point, answer in answers:
        measured = [program.measure(point, k) for k in range(repeats)]
        row = {
            "program": program.name, "point": point, "measured": statistics.median(measured),
            "spread": (max(measured) - min(measured)) / statistics.median(measured), "answer": answer,
            "made": made, "engines": engines,
            "plain": forecast(recorded, point, program.described.get("shape", [])),
            "fit": program.fit(recorded, point),
        }
        rows.append(row)
        print(
            (
                f"{program.name}: {name_point(point)}: measured {row['measured']:.3g} s, "
                f"predicted {answer['seconds']['value'] if 'seconds' in answer else 'nothing'}"
            ),
            file=sys.stderr, flush=True,
        )
    return rows


PLAIN = ["last point", "perfect", "power law", "Amdahl", "a+b/p+c log p"]


def show(rows, page):
    header = [
        "program", "point", "measured", "+-", "predicted", "90 % interval", "error", "held", "score",
        "engine", "exact", "fit", *PLAIN,
    ]
    lines, errors, held, plain, fits, scores = [], [], [], {name: [] for name in PLAIN}, [], []
    for row in rows:
        truth, answer = row["measured"], row["answer"]
        others = []
        for name in PLAIN:
            value = row["plain"].get(name)
            others.append(percent(value / truth - 1) if value else "-")
            if value:
                plain[name].append(value / truth - 1)
        fitted = row["fit"] if isinstance(row["fit"], float) else None
        if fitted:
            fits.append(fitted / truth - 1)
        start = [row["program"], name_point(row["point"]), f"{truth:.3g}", f"{100 * row['spread']:.0f} %"]
        if "seconds" not in answer:
            lines.append(
                [
                    *start, "refused", "", "", "", "", "", "", percent(fitted / truth - 1) if fitted else "-",
                    *others,
                ]
            )
            continue
        s = answer["seconds"]
        errors.append(s["value"] / truth - 1)
        held.append(s["low"] <= truth <= s["high"])
        scores.append(score(s["low"], s["high"], truth))
        exact = sum(answer["coverage"].get(kind, 0) for kind in ("symbolic", "exact"))
        lines.append(
            [
                *start, f"{s['value']:.3g}", f"{s['low']:.3g} .. {s['high']:.3g}", percent(errors[-1]),
                "yes" if held[-1] else "no", f"{scores[-1]:.2f}", answer["engine"], f"{100 * exact:.0f} %",
                percent(fitted / truth - 1) if fitted else "-", *others,
            ]
        )
    table(header, lines)

    def middle(values):
        sizes = sorted(abs(v) for v in values)
        return f"{100 * statistics.median(sizes):.1f} %, worst {100 * sizes[-1]:.0f} %" if sizes else "none"

    ends = [
        (
            f"Parcast: median error {middle(errors)}; {sum(held)} of {len(held)} intervals held; median score"
            f" {statistics.median(scores) if scores else float('nan'):.2f};"
            f" {sum('seconds' not in r['answer'] for r in rows)} refused"
        ),
        f"parcast fit of the totals: median {middle(fits)}",
    ] + [f"{name}: median {middle(plain[name])}" for name in PLAIN]
    checks = [[
        "program", "model made in", "computing given back, median", "worst", "times given back, median",
        "worst", "forward check", "largest miss",
    ]]
    compared = [["program", "point", *ENGINES]]
    for name in dict.fromkeys(r["program"] for r in rows):
        made = next(r["made"] for r in rows if r["program"] == name)
        checks.append([name, f"{made['taken']:.1f} s", *summarise_checks(made)])
        for point, found in next(r["engines"] for r in rows if r["program"] == name):
            cells = [found[engine] for engine in ENGINES]
            compared.append(
                [name, name_point(point), *(f"{c:.3g}" if isinstance(c, float) else c for c in cells)]
            )
    for lines_of in (checks, compared):
        print()
        table(lines_of[0], lines_of[1:])
    print("\n" + "\n".join(ends))
    if page:
        def markdown(head, body):
            return "\n".join(
                "| " + " | ".join(map(str, line)) + " |" for line in [head, ["---"] * len(head), *body]
            )

        page.write_text(
            "\n\n".join(
                [
                    markdown(header, lines), markdown(checks[0], checks[1:]),
                    markdown(compared[0], compared[1:]),
                    "\n".join(f"- {end}" for end in ends),
                ]
            )
            + "\n"
        )


def summarise_checks(made):
    """Returns the median and worst errors of the computing and the times that the model gives back, the worst
    of the forward check, and the run and segment of the largest miss."""
    def errors(entries, of):
        pairs = [entry[of] for entry in entries if entry.get(of)]
        return sorted(abs(pair["given"] / pair["recorded"] - 1) for pair in pairs if pair["recorded"] > 0)

    def both(errors):
        if not errors:
            return ["-", "-"]
        return [f"{100 * statistics.median(errors):.1f} %", f"{100 * errors[-1]:.0f} %"]

    checks = made["checks"]
    given_back = checks.get("given_back") or []
    forward = errors([run for without in checks.get("forward") or [] for run in without["runs"]], "computing")
    worst = max(
        (run for run in given_back if run["computing"]["recorded"] > 0),
        key=lambda run: abs(run["computing"]["given"] / run["computing"]["recorded"] - 1), default=None,
    )
    miss = "-"
    if worst:
        miss = name_point({"p": worst["p"], **worst["parameters"]})
        if piece := worst.get("segment"):
            miss += f": {made['segments'][piece['segment']]}"
    return [
        *both(errors(given_back, "computing")), *both(errors(given_back, "total")),
        f"{100 * forward[-1]:.0f} %" if forward else "-", miss,
    ]


def main():
    bench = Bench(
        __doc__,
        [
            (["list"], {"type": pathlib.Path, "metavar": "LIST"}),
            (["--only"], {"default": "", "help": "names, with commas"}),
            (["--repeats"], {"type": int, "default": 5}), (["--page"], {"type": pathlib.Path}),
        ],
        resume=True,
    )
    listed = tomllib.loads((bench.began_in / bench.options.list).read_text())
    machine = listed.get("machine")
    if not machine:
        machine = bench.work / "scoreboard.machine.toml"
        if not machine.exists():
            bench.parcast(
                "calibrate", "-o", machine, "--no-store", "--launcher", listed["launcher"],
                *listed.get("calibrate", [])
            )
    rows, only = [], [name for name in bench.options.only.split(",") if name]
    for described in listed["program"]:
        if only and described["name"] not in only:
            continue
        try:
            rows += judge(Program(bench, listed, described, machine), bench.options.repeats)
        except RuntimeError as problem:
            print(f"{problem}", file=sys.stderr)
    if rows:
        show(rows, bench.options.page and bench.began_in / bench.options.page)


if __name__ == "__main__":
    main()
