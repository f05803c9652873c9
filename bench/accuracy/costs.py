# SPDX-License-Identifier: Apache-2.0
"""Times as counts x costs (Clement and Quinn 1997, t = chi beta). The counts of the five programs come from
operations.csv, the costs from measured runs of other programs or from a machine. Used by table1.py and
three_ways.py."""
import csv
import itertools
import pathlib

ONE_CLASS = {"operations": ["adds", "multiplies", "divides", "functions", "integers"]}  # as in the paper
BY_CLASS = {
    "flops": ["adds", "multiplies", "divides", "functions"], "integers": ["integers"],
    "accesses": ["accesses"],
}
BESIDE = ["pages", "messages", "bytes"]  # counts that are not operations
HERE = pathlib.Path(__file__).resolve().parent


def write_table(path, header, rows):
    with open(path, "w", newline="") as out:
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)


def write_formulas(path, classes, beside=BESIDE):
    """For `parcast regress --formulas`: a count for each of the classes, and for the other counts."""
    with open(HERE / "operations.csv", newline="") as file:
        rows = list(csv.DictReader(line for line in file if not line.startswith("#")))
    count = lambda row, names: " + ".join(f"({row[name]})" for name in names if row[name] != "0") or "0"
    write_table(
        path, ["program", *classes, *beside],
        [
            [
                row["program"], *(count(row, names) for names in classes.values()),
                *(row[name] for name in beside),
            ]
            for row in rows
        ],
    )
    return path


def write_runs(path, runs):
    """Writes `runs`: (program, {"N": 600, "steps": 100, ...}, p, seconds or None). Missing parameters become
    0."""
    names = sorted({name for _, values, _, _ in runs for name in values})
    write_table(
        path, ["program", *names, "p", "repetition", "seconds"],
        [
            [
                program, *(values.get(name, 0) for name in names), p, i,
                "" if seconds is None else repr(seconds),
            ]
            for i, (program, values, p, seconds) in enumerate(runs)
        ],
    )
    return path


class Regression:
    """Costs by `parcast regress` of measured runs, and predictions of others by them: counts by hand, in
    these classes, or by models of compiled programs, whose operations a machine prices. No model has
    pages."""

    def __init__(self, bench, runs, classes=None, models=None, prices=None):
        self.bench, self.runs = bench, runs
        formulas = (
            write_formulas(bench.work / f"formulas-{len(classes)}.csv", classes)
            if classes
            else write_formulas(bench.work / "formulas-pages.csv", {}, ["pages"])
        )
        self.counts = [
            "--formulas", formulas,
            *(["--models", ",".join(map(str, models)), "--priced-by", prices] if models else []),
        ]

    def predicted(self, name, programs, asked):
        """Returns the parcast.costs/1 answer for the runs of `programs`, with a prediction for each (program,
        values, p) of `asked`."""
        fitted = write_runs(
            self.bench.work / f"fitted-{name}.csv", [run for run in self.runs if run[0] in programs]
        )
        questions = write_runs(
            self.bench.work / f"asked-{name}.csv",
            [(program, values, p, None) for program, values, p in asked],
        )
        return self.bench.answer(
            "regress", fitted, *self.counts, "--nonnegative", "--quick", "--predict", questions
        )


def counts_of(bench, asked):
    """Returns, for each run of `asked`, the number of operations of any class, pages, messages and bytes.
    Parcast itself evaluates the formulas."""
    costs = len(ONE_CLASS) + len(BESIDE)
    repeats = -(-(costs + 1) // len(asked))  # `parcast regress` requires at least one more run than costs
    runs = write_runs(
        bench.work / "counted.csv", [(program, values, p, 1.0) for program, values, p in asked] * repeats
    )
    bench.parcast(
        "regress", runs, "--formulas", write_formulas(bench.work / "counted-formulas.csv", ONE_CLASS),
        "--plain", "--quick", "-q", "--chi", bench.work / "chi.csv",
    )
    with open(bench.work / "chi.csv", newline="") as file:
        return [
            {name: float(row[f"chi_{name}"]) for name in [*ONE_CLASS, *BESIDE]}
            for row in itertools.islice(csv.DictReader(file), len(asked))
        ]
