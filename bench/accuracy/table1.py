#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Table 1 of the validation suite, and pictures of its models' predictions. Records each of the five programs
at four small sizes, calibrates this machine, models, stores predictions for more than 200 runs at sizes that
were not recorded, only then makes these runs, in turn through all programs, and prints the table of
errors.py: per program, over all runs, and weighted by runs. Below it the same of predictions that know
nothing of the program but its counts (operations.csv, or with --compiled what the compiler counted): costs by
`parcast regress` from the recorded sizes of the other four, measured once more without the recorder.

    bench/accuracy/table1.py [--build build/release] [--machine FILE] [--repeats 1] [--launcher 'mpirun
    --oversubscribe -n {p}'] [--processes 1,2]
    bench/accuracy/table1.py --compiled    programs compiled by parcast cc and cxx; counts of the second table
                                           are those of their models, priced by the machine
    bench/accuracy/table1.py --quick       a few minutes' worth in some seconds: too small to judge anything
                                           by

Files under --work (default out/table1): runs.csv, a row per run with what was predicted for it; table1.csv,
the table; from_others.csv, the second one, and from_others_predicted.csv, written before the runs;
errors.svg, |error| over N and p (the paper's figure 5); and of Gaussian elimination on an assumed cluster,
unless --no-pictures: broadcast.svg, the share of time in broadcasts of pivot rows (figure 6), startup.svg,
seconds for each 10 us that a message's startup takes longer (figure 7), isoefficiency.svg, the size at which
p processes are as efficient as asked; each with a table as CSV."""
import os
import pathlib
import shlex
import statistics
import subprocess

import errors
import pictures
from common import ROOT, Bench, now, table
from costs import BY_CLASS, Regression, write_table
from from_others import FromOthers

HERE = pathlib.Path.cwd()  # the working folder before the bench changes it

# Recorded sizes, smallest and largest predicted size, further command-line arguments. Counts of messages
# depend on N and p alone in all five programs; operations grow with N^3, N^3, N, N^2 and N^2.
PROGRAMS = {
    "matmul_rows": {
        "recorded": [128, 192, 288, 400], "predicted": (100, 1000), "arguments": lambda n: [n, "unchecked"],
        "more": {},
    },
    "gauss": {
        "recorded": [200, 300, 450, 600], "predicted": (150, 1500), "arguments": lambda n: [n], "more": {},
    },
    "ocean": {
        "recorded": [64, 96, 144, 200], "predicted": (48, 800), "arguments": lambda n: [n, 128, 200],
        "more": {"rows": 128, "steps": 200},
    },
    "shallow_water": {
        "recorded": [96, 128, 192, 256], "predicted": (80, 800), "arguments": lambda n: [n, 100],
        "more": {"steps": 100},
    },
    "sharks": {
        "recorded": [64, 96, 144, 200], "predicted": (48, 640), "arguments": lambda n: [n, 60],
        "more": {"steps": 60},
    },
}
SOURCES = {
    "matmul_rows": ["matmul_rows.cpp"], "gauss": ["gauss.c"],
    "ocean": ["ocean.cpp", "basin.cpp", "known_flows.cpp"], "shallow_water": ["shallow_water.cpp"],
    "sharks": ["sharks.cpp", "sea.cpp"],
}
SIZES = 21  # predicted sizes per program and process count: 210 runs on one and two processes
QUICK = {"sizes": 3, "largest": 0.2}  # relative to the largest of these

# The cluster of the pictures: only its core is measured. Broadcasts are binomial trees of messages there.
CLUSTER = """name = "assumed"
description = "one core as that of the recordings on each node, 20 us and 1 GB/s between nodes"
nodes = 1024
cores_per_node = 1

[links.network]
latency = "20us"
gap_per_byte = "1ns/B"
"""
PICTURED = {"sizes": [100, 200, 400, 800, 1600], "processes": [2, 4, 8, 16, 32, 64]}
# recorded for the pictures, besides the table's: more processes than cores do not change counts
COUNTED = {"sizes": [60, 90, 131], "processes": [3, 4, 6, 8]}
EFFICIENCIES = [0.5, 0.7, 0.9]


def spread(lowest, highest, count, without):
    """Returns about `count` integers in equal ratios, none of `without`."""
    out = []
    for i in range(count):
        value = round(lowest * (highest / lowest) ** (i / max(1, count - 1)))
        while value in without or value in out:
            value += 1
        out.append(value)
    return out


class Suite:
    def __init__(self, bench):
        options = bench.options
        self.bench, self.quick = bench, options.quick
        self.launcher = options.launcher
        self.processes = [int(word) for word in options.processes.split(",")]
        self.store = bench.work / "parcast.db"
        self.machine = options.machine
        if self.machine and (HERE / self.machine).exists():
            self.machine = HERE / self.machine
        if self.machine is None:
            self.machine = bench.work / "here.machine.toml"
            more = ["--launcher", self.launcher, "--processes", options.processes] if self.launcher else []
            bench.calibrate(self.machine, "--budget", "10s" if self.quick else options.budget, *more)
        self.models = {}  # models of the table's programs
        if options.compiled:
            for program in PROGRAMS:
                self.compile(program)

    def compile(self, program):
        """Compiles as examples/CMakeLists.txt does, but with parcast's compilers."""
        library, c = self.bench.build / "src/record", SOURCES[program][0].endswith(".c")
        subprocess.run(
            [
                "mpicc" if c else "mpicxx", "-std=gnu11" if c else "-std=c++20", "-O2", "-g", "-DNDEBUG",
                "-DOMPI_SKIP_MPICXX", "-DMPICH_SKIP_MPICXX", "-I", ROOT / "include", "-o",
                self.bench.work / program, *(ROOT / "examples" / program / name for name in SOURCES[program]),
                "-L", library, "-lparcast", f"-Wl,-rpath,{library}", "-lm",
            ],
            check=True,
            env={
                **os.environ,
                **{
                    f"{family}_{language}": f"parcast-{compiler}"
                    for family in ("OMPI", "MPICH")
                    for language, compiler in (("CC", "cc"), ("CXX", "cxx"))
                },
            },
        )

    def program(self, name):
        return str(self.bench.work / name) if self.bench.options.compiled else self.bench.example(name)

    def regression(self):
        """Returns the regression over the small runs, measured here."""
        if self.bench.options.compiled:
            return Regression(self.bench, self.small_runs(), models=self.models.values(), prices=self.machine)
        return Regression(self.bench, self.small_runs(), BY_CLASS)

    def launch(self, p):
        return shlex.split(self.launcher.replace("{p}", str(p))) if self.launcher else self.bench.launch(p)

    def line(self, program, n, p):
        return [*self.launch(p), self.program(program), *PROGRAMS[program]["arguments"](n)]

    def record(self, program, sizes, processes, again):
        return [
            self.bench.record(
                self.bench.work / f"{program}-p{p}-n{n}-{again}.recording",
                {"N": n, **PROGRAMS[program]["more"]}, self.line(program, n, p),
            )
            for p in processes
            for n in sizes
        ]

    def rounds(self):
        return range(1 if self.quick else self.bench.options.recordings)

    def recordings(self):
        """Recordings of each program, in rounds through all of them, so that a slow phase of some minutes
        affects all alike and not on all runs of one."""
        out = {program: [] for program in PROGRAMS}
        for again in self.rounds():
            for program, case in PROGRAMS.items():
                out[program] += self.record(
                    program, case["recorded"][:3] if self.quick else case["recorded"], self.processes, again
                )
        return out

    def model(self, name, recordings):
        path = self.bench.work / f"{name}.model.json"
        self.bench.parcast("model", "--store", self.store, "-o", path, *recordings)
        return path

    def questions(self):
        """Returns (program, N, p, answer) of all runs to come. The answers are in the store when this
        returns."""
        out, recordings = [], self.recordings()
        for program, case in PROGRAMS.items():
            sizes = case["recorded"][:3] if self.quick else case["recorded"]
            model = self.models[program] = self.model(program, recordings[program])
            lowest, highest = case["predicted"]
            targets = spread(
                lowest, round(highest * self.bench.options.largest), self.bench.options.sizes, sizes
            )
            for n in targets:
                values = {"N": n, **case["more"]}
                flags = [word for name, value in values.items() for word in ("-s", f"{name}={value}")]
                for p in self.processes:
                    placed = ["--ranks-per-node", 1] if self.launcher else []
                    placed += ["--engine", self.bench.options.engine if p > 1 else "equation"]
                    out.append(
                        (
                            program, n, p,
                            self.bench.answer(
                                "predict", model, "-m", self.machine, "-p", p, *placed, *flags, "--store",
                                self.store
                            )["seconds"],
                        )
                    )
            print(
                (
                    f"{program}: predicted at {len(targets)} sizes from {targets[0]} to {targets[-1]},"
                    f" recorded at {', '.join(map(str, sizes))}"
                ),
                flush=True,
            )
        return out

    def small_runs(self):
        """Returns (program, values, p, seconds) of the recorded sizes without the recorder."""
        out = []
        for _ in self.rounds():
            for program, case in PROGRAMS.items():
                for n in case["recorded"][:3] if self.quick else case["recorded"]:
                    out += [
                        (program, {"N": n, **case["more"]}, p, self.bench.measure(self.line(program, n, p)))
                        for p in self.processes
                    ]
        return out

    def measured(self, questions):
        """Seconds of each question's runs, and when the first of them began, in rounds through all, sizes
        mixed, so that a slow phase affects all alike."""
        seconds, begun = [[] for _ in questions], [""] * len(questions)
        # a prime: visits every question once
        step = next(each for each in (37, 41, 43, 47) if len(questions) % each)
        for _ in range(self.bench.options.repeats):
            for i in range(len(questions)):
                which = i * step % len(questions)
                program, n, p, _ = questions[which]
                begun[which] = begun[which] or now()
                seconds[which].append(self.bench.measure(self.line(program, n, p)))
        return seconds, begun


def write_runs(bench, questions, seconds, begun):
    """Writes the runs with the columns that `parcast validate` requires, and the predictions."""
    rows = []
    for (program, n, p, answer), runs, when in zip(questions, seconds, begun):
        more = PROGRAMS[program]["more"]
        rows += [
            [program, n, more.get("rows", ""), more.get("steps", ""), p, repr(run), when] for run in runs
        ]
    write_table(
        bench.work / "measured.csv", ["program", "N", "rows", "steps", "p", "seconds", "measured_at"], rows
    )
    rows = [
        [
            program, n, p, repr(answer["value"]), repr(answer["low"]), repr(answer["high"]), repr(run),
            repr(answer["value"] / run - 1),
        ]
        for (program, n, p, answer), runs in zip(questions, seconds)
        for run in runs
    ]
    write_table(
        bench.work / "runs.csv", ["program", "N", "p", "predicted", "low", "high", "seconds", "error"], rows
    )


def print_table(bench, questions, seconds):
    runs = [
        (program, answer, run) for (program, _, _, answer), each in zip(questions, seconds) for run in each
    ]
    rows = []
    for program in PROGRAMS:
        own = [(answer["value"], run) for name, answer, run in runs if name == program]
        rows.append(errors.row(program, *zip(*own)))
    together = errors.row("all runs", [answer["value"] for _, answer, _ in runs], [run for *_, run in runs])
    rows += [together, errors.weighted("weighted by runs", rows)]
    print()
    table(errors.HEADER, [errors.cells(each) for each in rows])
    hits = sum(answer["low"] <= run <= answer["high"] for _, answer, run in runs)
    print(f"90 % intervals held {hits} of {len(runs)} runs ({100 * hits / len(runs):.1f} %)")
    write_table(
        bench.work / "table1.csv",
        ["program", "runs", "sigma", "mean", "variation", "average_error", "below_40", "worst"],
        [
            [
                each.name, each.runs, each.sigma, each.mean, each.variation, each.average_error,
                each.below_40, each.worst,
            ]
            for each in rows
        ],
    )


def print_floor(questions, seconds):
    """What this machine does from one round to the next: each run as a prediction of the same in the next
    round. No model of a run can predict another one better."""
    pairs = [
        (program, each[i], each[i + 1])
        for (program, *_), each in zip(questions, seconds)
        for i in range(len(each) - 1)
    ]
    rows = [
        errors.row(program, *zip(*[(before, run) for name, before, run in pairs if name == program]))
        for program in PROGRAMS
    ]
    print("\neach run by the same one of the round before: what the machine itself does")
    table(
        errors.HEADER,
        [errors.cells(each) for each in [*rows, errors.row("all runs", *zip(*[pair[1:] for pair in pairs]))]],
    )


def picture_errors(bench, questions, seconds):
    panels = {}
    for (program, n, p, answer), runs in zip(questions, seconds):
        panels.setdefault(program, {})[n, p] = abs(answer["value"] / statistics.median(runs) - 1)
    limits = [0.05, 0.1, 0.2, 0.4, 0.6]
    (bench.work / "errors.svg").write_text(
        pictures.bands(
            "|predicted - measured| / measured", "N", "p", panels, limits,
            lambda limit: f"below {100 * limit:.0f} %",
        )
    )


class Pictures:
    """Pictures of Gaussian elimination, on the assumed cluster."""

    def __init__(self, suite):
        self.bench = suite.bench
        self.cluster = self.bench.work / "assumed.machine.toml"
        self.cluster.write_text(CLUSTER)
        timed = sorted(self.bench.work.glob("gauss-p*.recording"))
        processes = [p for p in COUNTED["processes"] if p not in suite.processes]
        more = [
            each
            for again in suite.rounds()
            for each in suite.record(
                "gauss", COUNTED["sizes"], processes[:2] if suite.quick else processes, again
            )
        ]
        self.model = suite.model("gauss-pictured", [*timed, *more])
        self.sizes, self.processes = (
            PICTURED[key][:3] if suite.quick else PICTURED[key] for key in ("sizes", "processes")
        )

    def question(self, n, p):
        return [self.model, "-m", self.cluster, "-p", p, "--ranks-per-node", 1, "-s", f"N={n}"]

    def draw(self):
        shares, startups, rows = {}, {}, []
        for n in self.sizes:
            for p in self.processes:
                answer = self.bench.answer("explain", *self.question(n, p))
                seconds = answer["prediction"]["seconds"]["value"]
                pivots = [
                    each["parts"]
                    for each in answer["prediction"]["regions"]
                    if each["path"].startswith("eliminate/") and each["path"].endswith("/MPI_Bcast")
                ]
                broadcasts = sum(
                    parts[part]["value"] for parts in pivots for part in ("message_startup", "transfer")
                )
                shares[n, p] = broadcasts / seconds
                startups[n, p] = 1e-5 * sum(
                    each["derivative"]
                    for each in answer["sensitivities"]
                    if each["parameter"] == "links.network.latency"
                )
                rows.append([n, p, repr(broadcasts), repr(seconds), repr(shares[n, p])])
        write_table(self.bench.work / "broadcast.csv", ["N", "p", "broadcasts", "seconds", "share"], rows)
        write_table(
            self.bench.work / "startup.csv", ["N", "p", "seconds"],
            [[n, p, repr(value)] for (n, p), value in startups.items()],
        )
        self.keep(
            "broadcast", "share of time in broadcasts of pivot rows", "share", shares,
            lambda share: f"{100 * share:.3g} %", share=True,
        )
        self.keep(
            "startup", "seconds for each 10 us that a message's startup takes longer", "seconds", startups,
            lambda seconds: f"{seconds:.3g} s",
        )
        self.isoefficiency()

    def keep(self, name, title, y_name, values, y_text, share=False):
        series = {f"N = {n}": [(p, values[n, p]) for p in self.processes] for n in self.sizes}
        (self.bench.work / f"{name}.svg").write_text(
            pictures.curves(f"gauss: {title}", "processes", y_name, series, y_text, share)
        )

    def efficiencies(self):
        """Returns p -> [(N, T(N, 1) / (p T(N, p))), ...], the sizes ascending."""
        sizes = sorted({round(10 * 1.05**i) for i in range(190)})  # up to 100,000
        points = self.bench.answer(
            "sweep", self.model, "-m", self.cluster, "--ranks-per-node", 1, "--vary",
            f"p={','.join(map(str, [1, *self.processes]))}", "--vary", f"N={','.join(map(str, sizes))}",
        )["points"]
        seconds = {
            (point["parameters"]["N"], point["parameters"]["p"]): point["seconds"]["value"]
            for point in points
        }
        return {p: [(n, seconds[n, 1] / (p * seconds[n, p])) for n in sizes] for p in self.processes}

    @staticmethod
    def size_at(efficiency, curve):
        """Interpolates between the two enclosing sizes, linearly in ln N; returns None if no two sizes
        enclose the value."""
        for (n, low), (m, high) in zip(curve, curve[1:]):
            if low < efficiency <= high:
                return round(n * (m / n) ** ((efficiency - low) / (high - low)))
        return None

    def isoefficiency(self):
        series, rows, none, of = {}, [], [], self.efficiencies()
        for efficiency in EFFICIENCIES:
            for p in self.processes:
                n = self.size_at(efficiency, of[p])
                rows.append([efficiency, p, n or ""])
                (
                    series.setdefault(f"efficiency {efficiency:g}", []).append((p, n))
                    if n
                    else none.append(f"{efficiency:g} on {p} processes")
                )
        write_table(self.bench.work / "isoefficiency.csv", ["efficiency", "p", "N"], rows)
        if none:
            print(f"gauss: no size from 10 to 100000 is predicted to have the efficiency {', '.join(none)}")
        if series:
            (self.bench.work / "isoefficiency.svg").write_text(
                pictures.curves("gauss: problem size at equal efficiency", "processes", "N", series)
            )


def main():
    bench = Bench(
        __doc__,
        [
            (["--machine"], {"default": None}), (["--repeats"], {"type": int, "default": 1}),
            (["--recordings"], {"type": int, "default": 3, "help": "per point"}),
            (["--launcher"], {"default": None}), (["--processes"], {"default": "1,2"}),
            (["--budget"], {"default": "40s"}),
            (
                ["--engine"],
                {
                    "default": "equation",
                    "help": (
                        "of predictions on several processes: interpret where these have shares of a core"
                    ),
                },
            ),
            (
                ["--sizes"],
                {"type": int, "default": SIZES, "help": "predicted, per program and process count"},
            ),
            (
                ["--largest"],
                {
                    "type": float, "default": 1,
                    "help": "size that is predicted, beside the largest of the suite: less on a slow machine",
                },
            ),
            (["--compiled"], {"action": "store_true"}), (["--quick"], {"action": "store_true"}),
            (["--no-pictures"], {"action": "store_true"}),
        ],
    )
    if bench.options.quick:
        bench.options.sizes, bench.options.largest = QUICK["sizes"], QUICK["largest"]
    suite = Suite(bench)
    questions = suite.questions()
    others = FromOthers(
        bench, suite.regression(),
        [(program, {"N": n, **PROGRAMS[program]["more"]}, p) for program, n, p, _ in questions],
    )
    seconds, begun = suite.measured(questions)
    write_runs(bench, questions, seconds, begun)
    print_table(bench, questions, seconds)
    if bench.options.repeats > 1:
        print_floor(questions, seconds)
    others.print(PROGRAMS, seconds)
    picture_errors(bench, questions, seconds)
    print(bench.parcast("validate", "measured.csv", "--store", suite.store))
    if not bench.options.no_pictures:
        Pictures(suite).draw()
    print(f"runs, tables and pictures are in {bench.work}")


if __name__ == "__main__":
    main()
