#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs verbs on valid inputs in which a few numbers are extreme (1e-320, 1e-200, 0, 1e160, ...).

    tests/fuzz/extreme_numbers.py --bin build/ci/bin [--runs 1000] [--seed 1] [--keep FOLDER] [KIND...]

A run passes if the verb ends normally with an exit code from 0 to 4, reports no internal error, and no answer
(exit code 0 or 3) contains nan or inf, or in JSON null in place of a number. Prints one line per failure with
the command that repeats it, then a table of exit codes by kind. The exit code is 1 if a run failed. The same
seed makes the same runs. --keep FOLDER writes the input of each failure."""
import argparse
import collections
import json
import math
import os
import random
import re
import resource
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

CASES = Path(__file__).resolve().parents[1] / "golden"
OUTSIDE = [
    "1e-200", "1e160", "1e-320", "5e-324", "1e308", "1.7976931348623157e308", "2.2250738585072014e-308",
    "1e-308", "1e400", "1e-400", "-1e200", "-1e-200", "1e-31", "1e31", "1e100", "1e-100",
]
INSIDE = [
    "0", "-0", "-1", "1e-30", "1e30", "1e-29", "1e29", "1e19", "9223372036854775807", "18446744073709551616",
    "1e18", "1e15", "1e25", "1e-20", "1e-12", "1e12", "-1e30", "1",
]
NUMBER = re.compile(r"(?<![\w.+-])\d+(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.])")
QUANTITY = re.compile(r"(?<=\")\d+(?:\.\d+)?(?:[eE][+-]?\d+)?(?=[a-zA-Z/]+\")")
NOT_A_NUMBER = re.compile(r"(?<![\w.'\"/-])-?(?:nan|inf|infinity)(?![\w'\"-])", re.IGNORECASE)
SECONDS = 60
MEMORY = 4 << 30  # address space; enough for every valid input many times over

HAND = """name = "hand"
nodes = 64
cores_per_node = 4
sockets_per_node = 2
core_speed = 1e9
cache_line = "64B"
memory_per_node = "16GiB"
noise = 0.02
working_sets = [[1, 4096.0, 1e-9, 1e10], [1, 1e9, 1e-7, 5e9]]
covariance = [["links.network.latency", "links.network.gap", 1e-14]]

[[memory]]
name = "L1"
capacity = "32KiB"
bandwidth = "100GB/s"
shared_by = 1

[links.node]
latency = "1us"
send_overhead = "200ns"
receive_overhead = "300ns"
gap = "400ns"
gap_per_byte = "0.1ns/B"

[links.network]
latency = { value = "10us", standard_error = "1us", samples = 12 }
send_overhead = "2us"
receive_overhead = "3us"
gap = "4us"
gap_per_byte = "1ns/B"
eager_limit = "64KiB"
"""


def golden(case, name):
    return (CASES / case / name).read_text()


def measurements():
    """Values of one metric at points of two parameters."""
    lines = ["p,n,seconds"]
    lines += [f"{p},{n},{0.01 + 1e-4 * n / p:.6g}" for p in (1, 2, 4, 8, 16) for n in (100, 200, 400, 800)]
    return "\n".join(lines) + "\n"


def repeated():
    lines = ["p,repetition,time,visits"]
    lines += [f"{p},{r},{1 / p + 0.01 * r:.6g},{8 * p}" for p in (1, 2, 4, 8, 16, 32) for r in (1, 2, 3)]
    return "\n".join(lines) + "\n"


def extrap_text():
    data = "".join(f"DATA {1 + 0.1 * p:.4g} {1.1 + 0.1 * p:.4g}\n" for p in (2, 4, 8, 16, 32))
    return "PARAMETER p\nPOINTS ( 2 ) ( 4 ) ( 8 ) ( 16 ) ( 32 )\nREGION main\nMETRIC time\n" + data


def extrap_json():
    points = [{"point": [p], "values": [0.5 + 0.25 * p, 0.6 + 0.25 * p]} for p in (2, 4, 8, 16, 32)]
    return json.dumps({"parameters": ["p"], "measurements": {"main": {"time": points}}}, indent=1)


def extrap_lines():
    return "".join(
        json.dumps({"params": {"p": p, "n": n}, "callpath": "main", "metric": "time", "value": 0.5 + n / p})
        + "\n"
        for p in (2, 4, 8, 16)
        for n in (10, 20, 40, 80)
    )


def validation_runs():
    return "program,machine,p,N,times,seconds,measured_at\n" + "".join(
        f"trapezoid,hand,{p},{n},20,{1e-3 * n / p:.4g},2030-01-01T00:00:00Z\n"
        for p in (2, 4)
        for n in (1000, 2000)
    )


def store_runs():
    return golden("store", "runs.csv")


PROGRAM = golden("program_predict", "trapezoid.program")


class Kind:
    """Files of a run, the files that may have extreme numbers, and command lines; in one of these a flag's
    number may be extreme."""

    def __init__(self, name, files, changed, commands, before=()):
        self.name, self.files, self.changed, self.commands, self.before = (
            name, files, changed, commands, before,
        )


PREDICT = [
    "predict", "trapezoid.program", "-m", "hand.machine.toml", "-p", "@4", "-s", "times=20", "-s", "N=@1000",
]
BOTH = {"trapezoid.program": PROGRAM, "hand.machine.toml": HAND}
KINDS = [
    Kind(
        "fit", {"t.csv": measurements()}, ["t.csv"],
        [
            ["fit", "t.csv"], ["fit", "t.csv", "--predict", "p=@64,n=@1600"], ["fit", "t.csv", "--json"],
            ["fit", "t.csv", "--csv"],
        ],
    ),
    Kind(
        "fit repeated", {"t.csv": repeated()}, ["t.csv"],
        [
            ["fit", "t.csv"], ["fit", "t.csv", "--predict", "p=@64", "--json"],
            ["fit", "t.csv", "--of", "min", "--level", "@0.9"],
        ],
    ),
    Kind(
        "fit Extra-P text", {"t.txt": extrap_text()}, ["t.txt"],
        [["fit", "t.txt"], ["fit", "t.txt", "--predict", "p=@64", "--json"]],
    ),
    Kind(
        "fit Extra-P JSON", {"t.json": extrap_json()}, ["t.json"],
        [["fit", "t.json"], ["fit", "t.json", "--json"]],
    ),
    Kind(
        "fit Extra-P lines", {"t.jsonl": extrap_lines()}, ["t.jsonl"],
        [["fit", "t.jsonl"], ["fit", "t.jsonl", "--json"]],
    ),
    Kind(
        "plan", {"t.csv": measurements()}, ["t.csv"],
        [
            ["plan", "--next", "t.csv", "--at", "p=@64,n=@1600"],
            ["plan", "--next", "t.csv", "--at", "p=@64,n=@1600", "--json"],
            ["plan", "--next", "t.csv", "--at", "p=64,n=1600", "--allow", "p=@2,@4,@8", "--budget", "@1h"],
        ],
    ),
    Kind(
        "regress", {"runs.csv": golden("regress", "runs.csv")}, ["runs.csv"],
        [
            ["regress", "runs.csv", "--parameters", "n", "--quick"],
            ["regress", "runs.csv", "--parameters", "n", "--quick", "--json"],
            ["regress", "runs.csv", "--parameters", "n", "--quick", "--robust", "--nonnegative", "--csv"],
            ["regress", "runs.csv", "--parameters", "n", "--plain", "--quick", "-o", "out.machine.toml"],
        ],
    ),
    Kind(
        "regress formulas",
        {"times.csv": golden("regress", "times.csv"), "counts.csv": golden("regress", "counts.csv")},
        ["times.csv", "counts.csv"],
        [
            [
                "regress", "times.csv", "--formulas", "counts.csv", "--quick", "--predict",
                "program=ocean,n=@1024,p=@16",
            ],
            ["regress", "times.csv", "--formulas", "counts.csv", "--quick", "--json"],
        ],
    ),
    Kind(
        "regress linearise",
        {
            "runs.csv": golden("regress_linearise", "runs.csv"),
            "cluster.machine.toml": golden("regress_linearise", "cluster.machine.toml"),
        },
        ["runs.csv", "cluster.machine.toml"],
        [
            ["regress", "runs.csv", "--parameters", "n", "--linearise", "cluster.machine.toml", "--quick"],
            [
                "regress", "runs.csv", "--parameters", "n", "--linearise", "cluster.machine.toml",
                "--linearise-by", "curve", "--quick", "--json",
            ],
        ],
    ),
    Kind(
        "machine show", {"hand.machine.toml": HAND}, ["hand.machine.toml"],
        [["machine", "show", "hand.machine.toml"], ["machine", "show", "hand.machine.toml", "--json"]],
    ),
    Kind(
        "machine set", BOTH, ["hand.machine.toml"],
        [
            ["machine", "set", "hand.machine.toml", "L=@2us", "-o", "new.machine.toml"],
            ["machine", "set", "hand.machine.toml", "noise*@2", "-o", "new.machine.toml"],
            ["machine", "diff", "hand.machine.toml", "cm-5"],
            ["machine", "diff", "hand.machine.toml", "cm-5", "--json"],
        ],
    ),
    Kind(
        "machine system", {"here.machine.toml": golden("machine_system", "here.machine.toml")},
        ["here.machine.toml"],
        [
            ["machine", "show", "here", "--system"], ["machine", "show", "here", "--system", "--json"],
            ["machine", "check", "here"],
        ],
    ),
    Kind(
        "SimGrid platform",
        {"cluster.xml": (Path(__file__).parent / "seeds/simgrid_platform/cluster.xml").read_text()},
        ["cluster.xml"], [["import", "cluster.xml"], ["import", "cluster.xml", "--json"]],
    ),
    Kind(
        "topology", {"node.xml": golden("machine_topology", "node.xml")}, ["node.xml"],
        [
            [
                "machine", "new", "--topology", "node.xml", "nodes=16", "links.network.latency=@2us",
                "links.network.gap_per_byte=@1ns/B", "-o", "cluster.machine.toml",
            ]
        ],
    ),
    Kind(
        "GOAL",
        {
            "two.goal": golden("simulate_memory_bound", "two.goal"),
            "ring.goal": golden("interpret", "ring.goal"),
        },
        ["two.goal", "ring.goal"],
        [
            ["simulate", "two.goal", "--set", "L=@1us", "--set", "G=@1ns/B"],
            ["simulate", "ring.goal", "--set", "L=1us", "--set", "G=@1ns/B", "--json"],
            ["interpret", "ring.goal", "--with", "L=@1us", "--with", "G=@1ns/B"],
            ["interpret", "ring.goal", "--with", "L=1us", "--with", "G=1ns/B", "--json"],
        ],
    ),
    Kind(
        "compare", {**BOTH, "other.program": PROGRAM.replace("program trapezoid", "program other")},
        ["other.program", "hand.machine.toml"],
        [
            [
                "compare", "trapezoid.program", "other.program", "-m", "hand.machine.toml", "-p", "4", "-s",
                "times=20", "-s", "N=@1000",
            ]
        ],
    ),
    Kind(
        "store JSON", {"runs.csv": store_runs()}, ["runs.json"],
        [["store", "import", "runs.json", "--store", "t.db"]],
        before=[
            ["store", "import", "runs.csv", "--store", "s.db"],
            ["store", "export", "--store", "s.db", "-o", "runs.json"],
        ],
    ),
    Kind(
        "predict", BOTH, ["trapezoid.program", "hand.machine.toml"],
        [
            PREDICT, PREDICT + ["--json"], PREDICT + ["--engine", "equation"], PREDICT + ["--limit", "@1h"],
            [
                "sweep", "trapezoid.program", "-m", "hand.machine.toml", "-s", "times=20", "-s", "N=@1000",
                "--vary", "p=2,4,@8",
            ],
        ],
    ),
    Kind(
        "simulate", BOTH, ["trapezoid.program", "hand.machine.toml"],
        [
            [
                "simulate", "trapezoid.program", "-m", "hand.machine.toml", "-p", "4", "-s", "times=20", "-s",
                "N=@1000",
            ],
            [
                "simulate", "trapezoid.program", "-m", "hand.machine.toml", "-p", "4", "-s", "times=20", "-s",
                "N=1000", "--noise", "@1", "--json",
            ],
        ],
    ),
    Kind(
        "explain", BOTH, ["trapezoid.program", "hand.machine.toml"],
        [
            [
                "explain", "trapezoid.program", "-m", "hand.machine.toml", "-p", "4", "-s", "times=20", "-s",
                "N=@1000",
            ],
            [
                "explain", "trapezoid.program", "-m", "hand.machine.toml", "-p", "4", "-s", "times=20", "-s",
                "N=@1000", "--json",
            ],
            [
                "explain", "trapezoid.program", "-m", "hand.machine.toml", "-p", "4", "-s", "times=20", "-s",
                "N=1000", "--as", "latex",
            ],
        ],
    ),
    Kind(
        "explain --why",
        {"phases.csv": golden("explain_why", "phases.csv"), "two.csv": golden("explain_why", "two.csv")},
        ["phases.csv", "two.csv"],
        [
            ["explain", "--why", "phases.csv", "-p", "4", "-s", "n=7000"], ["explain", "--why", "two.csv"],
            ["explain", "--why", "two.csv", "--json"], ["explain", "--why", "phases.csv", "--json"],
        ],
    ),
    Kind(
        "validate", {**BOTH, "runs.csv": validation_runs()}, ["runs.csv"],
        [["validate", "runs.csv", "--store", "s.db"], ["validate", "runs.csv", "--store", "s.db", "--json"]],
        before=[
            [
                "predict", "trapezoid.program", "-m", "hand.machine.toml", "-p", str(p), "-s", "times=20",
                "-s", f"N={n}", "--store", "s.db",
            ]
            for p in (2, 4)
            for n in (1000, 2000)
        ],
    ),
    Kind(
        "store", {"runs.csv": store_runs()}, ["runs.csv"],
        [
            ["store", "import", "runs.csv", "--store", "s.db"],
            ["fit", "--program", "wave", "--store", "s.db"], ["store", "runs", "--store", "s.db"],
        ],
        before=[["store", "import", "runs.csv", "--store", "s.db"]],
    ),
]


def extreme_number(draw):
    return draw.choice(OUTSIDE if draw.random() < 0.4 else INSIDE)


def changed_text(text, draw, count):
    places = [m.span() for pattern in (NUMBER, QUANTITY) for m in pattern.finditer(text)]
    for begin, end in sorted(draw.sample(places, min(count, len(places))), reverse=True):
        text = text[:begin] + extreme_number(draw) + text[end:]
    return text


def words_of(command, draw, extreme):
    """@NUMBER in a command line may become extreme."""
    return [
        re.sub(
            r"@(\d+(?:\.\d+)?)", lambda m: extreme_number(draw) if extreme and draw.random() < 0.5 else m[1],
            word,
        )
        for word in command
    ]


def limit():
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def call(words, folder, parcast):
    environment = {"PATH": os.environ["PATH"], "HOME": str(folder), "LC_ALL": "C.UTF-8"}
    try:
        done = subprocess.run(
            [str(parcast)] + words, cwd=folder, env=environment, capture_output=True, timeout=SECONDS,
            preexec_fn=limit,
        )
        return done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace")
    except subprocess.TimeoutExpired:
        return "no end", "", ""


def nulls(value, path=()):
    if value is None:
        yield path
    for key, inner in (
        value.items()
        if isinstance(value, dict)
        else ((("*",), v) for v in value) if isinstance(value, list) else ()
    ):
        yield from nulls(inner, path + (key,))


# Values that may be null, whatever the numbers (docs/formats/).
OPTIONAL = {"separates", "cross_validation_error", "cooks_distance", "standard_error", "why"}


def json_of(text):
    try:
        return json.loads(text)
    except ValueError:
        return None


def problem_of(code, out, err, usual_nulls):
    if code == "no end":
        return f"runs for more than {SECONDS} s"
    if code not in (0, 1, 2, 3, 4):
        return f"ends with {code}"
    if "internal error" in err:
        return "internal error: " + err.strip().splitlines()[0][:150]
    if code in (0, 3):
        found = NOT_A_NUMBER.search(out)
        if found:
            return (
                "prints " + next(line for line in out.splitlines() if NOT_A_NUMBER.search(line)).strip()[:150]
            )
        value = json_of(out)
        unusual = {path for path in nulls(value) if path and path[-1] not in OPTIONAL} - usual_nulls
        if value is not None and unusual:
            return "null at " + str(sorted(unusual, key=str)[0])
    elif not err.strip():
        return f"exit code {code} without a sentence"
    return None


class Runner:
    def __init__(self, parcast, folder, keep):
        self.parcast, self.folder, self.keep = parcast, folder, keep
        self.usual = {}  # nulls of the unchanged input, by command

    def prepare(self, kind, files):
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir()
        for name, text in kind.files.items():
            (self.folder / name).write_text(text)
        for words in kind.before:
            call(words, self.folder, self.parcast)
        for name, text in files.items():
            (self.folder / name).write_text(text)

    def usual_nulls(self, kind, command):
        key = (kind.name, tuple(command))
        if key not in self.usual:
            self.prepare(kind, {})
            words = words_of(command, None, False)
            code, out, err = call(words, self.folder, self.parcast)
            if code != 0:
                sys.exit(f"{kind.name}: {' '.join(words)} ends with {code} on valid input: {err}")
            self.usual[key] = set(nulls(json_of(out)))
        return self.usual[key]

    def run(self, kind, seed):
        draw = random.Random(seed)
        command = draw.choice(kind.commands)
        usual = self.usual_nulls(kind, command)
        in_files = draw.random() < 0.85 or not any("@" in word for word in command)
        changed = draw.choice(kind.changed)
        if changed not in kind.files:  # created by earlier commands
            self.prepare(kind, {})
            kind.files[changed] = (self.folder / changed).read_text()
        files = (
            {changed: changed_text(kind.files[changed], draw, draw.choice([1, 1, 1, 2, 3, 8]))}
            if in_files
            else {}
        )
        words = words_of(command, draw, not in_files or draw.random() < 0.2)
        self.prepare(kind, files)
        code, out, err = call(words, self.folder, self.parcast)
        problem = problem_of(code, out, err, usual)
        if problem and self.keep:
            shutil.copytree(self.folder, self.keep / str(seed), dirs_exist_ok=True)
        return code, problem, words


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True, type=Path)
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", type=Path)
    parser.add_argument("kinds", nargs="*")
    options = parser.parse_args()
    kinds = [kind for kind in KINDS if not options.kinds or kind.name in options.kinds]
    codes = collections.defaultdict(collections.Counter)
    failures = 0
    with tempfile.TemporaryDirectory() as place:
        runner = Runner(options.bin.resolve() / "parcast", Path(place) / "run", options.keep)
        for at in range(options.runs):
            kind, seed = kinds[at % len(kinds)], options.seed * 1_000_000 + at
            code, problem, words = runner.run(kind, seed)
            codes[kind.name][str(code)] += 1
            if problem:
                failures += 1
                print(f"{seed} {kind.name}: {problem}   [{' '.join(words)}]", flush=True)
    for name, counts in codes.items():
        print(f"{name:20} " + "  ".join(f"exit {code}: {count}" for code, count in sorted(counts.items())))
    print(f"{options.runs} runs, {failures} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
