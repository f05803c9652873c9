#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The table of the validation suite: its formulas by hand and by the published table, the pages that the
programs touch by the system's counts, and a quick end-to-end run of the command. The test does not judge the
predictions: the runs are short and share the machine.

    tests/suite/table1.py --build BUILD"""
import argparse
import csv
import math
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

ACCURACY = pathlib.Path(__file__).resolve().parent.parent.parent / "bench/accuracy"
sys.path.insert(0, str(ACCURACY))
import costs  # noqa: E402
import errors  # noqa: E402

MACHINE = """name = "assumed"
nodes = 1
cores_per_node = 2

[links.core]
latency = "1us"
gap_per_byte = "0.1ns/B"
"""
PROGRAMS = ["matmul_rows", "gauss", "ocean", "shallow_water", "sharks"]


def near(a, b, relative=1e-12):
    return abs(a - b) <= relative * abs(b)


def by_hand():
    """Differences 1, 0, -1, 2: their squares sum to 6, and 4 - 3 = 1."""
    row = errors.row("hand", [3, 2, 1, 4], [2, 2, 2, 2])
    assert near(row.sigma, math.sqrt(6)) and near(row.variation, math.sqrt(6) / 2) and row.mean == 2, row
    assert row.average_error == 0.5 and row.below_40 == 0.25 and row.worst == 1, row
    assert math.isnan(errors.row("three runs", [1, 2, 3], [1, 2, 3]).sigma)


def as_published():
    """Table 1 of the paper, and the numbers of its text, which are its rows' sum over 246."""
    rows = [
        errors.Row("nCUBE 3200", 115, 8.87, 105, 0.12, 1, 0),
        errors.Row("Meiko CS-2", 63, 0.55, 6.36, 0.20, 1, 0),
        errors.Row("iPSC/860", 46, 5.4, 12.7, 0.23, 1, 0),
    ]
    # the paper prints the second one as 0.087
    assert [round(row.variation, 3) for row in rows] == [0.084, 0.086, 0.425], rows
    together = errors.weighted("all", rows)
    assert (
        together.runs == 224 and round(together.sigma, 1) == 5.8 and round(together.mean, 1) == 58.3
    ), together
    assert (
        round(together.sigma * 224 / 246, 1) == 5.3 and round(together.mean * 224 / 246, 1) == 53.1
    ), together


def rows_of(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


class Counting:
    """The part of a bench that costs.counts_of needs."""

    def __init__(self, build, work):
        self.build, self.work = build, work

    def parcast(self, *words):
        subprocess.run(
            [self.build / "bin/parcast", *map(str, words)], check=True, capture_output=True, text=True
        )


def touched(line):
    """Returns the pages that the system mapped for a process that reads none from a disk."""
    process = subprocess.Popen(
        list(map(str, line)), stdout=subprocess.DEVNULL,
        env={**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"},
    )
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, line
    return usage.ru_minflt


def pages_as_the_system_counts_them(build, work):
    """Compares the growth between two sizes, so that the pages of MPI and the program itself cancel. Systems
    that always use large pages have other counts."""
    enabled = pathlib.Path("/sys/kernel/mm/transparent_hugepage/enabled")
    if os.sysconf("SC_PAGE_SIZE") != 4096 or (enabled.exists() and "[always]" in enabled.read_text()):
        print("pages are not those of 4096 bytes: their counts are not checked")
        return
    cases = {
        "matmul_rows": (128, 400, {}, ["unchecked"]), "gauss": (200, 600, {}, []),
        "ocean": (64, 500, {"rows": 128, "steps": 1}, [128, 1]),
        "shallow_water": (96, 256, {"steps": 1}, [1]), "sharks": (64, 640, {"steps": 1}, [1]),
    }
    asked = [(program, {"N": n, **more}, 1) for program, (*sizes, more, _) in cases.items() for n in sizes]
    counted = [each["pages"] for each in costs.counts_of(Counting(build, work), asked)]
    for (program, (small, large, _, words)), low, high in zip(cases.items(), counted[::2], counted[1::2]):
        seen = [
            min(touched([build / "examples" / program, n, *words]) for _ in range(2)) for n in (small, large)
        ]
        assert near(seen[1] - seen[0], high - low, 0.03), (
            f"{program}: {seen[1] - seen[0]} pages more at N = {large} than at {small}, {high - low:.1f} by"
            " operations.csv"
        )
        print(
            f"{program}: {seen[1] - seen[0]} pages more at N = {large} than at {small}, {high - low:.1f} by"
            " operations.csv"
        )


def quick_run(build, work):
    # not calibrated, since that takes too long on a busy machine
    machine = work.parent / "assumed.machine.toml"
    machine.write_text(MACHINE)
    done = subprocess.run(
        [ACCURACY / "table1.py", "--quick", "--machine", machine, "--build", build, "--work", work],
        capture_output=True, text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    runs, table = rows_of(work / "runs.csv"), {row["program"]: row for row in rows_of(work / "table1.csv")}
    assert list(table) == [*PROGRAMS, "all runs", "weighted by runs"], table
    for program in [*PROGRAMS, "all runs"]:
        own = [
            (float(run["predicted"]), float(run["seconds"]))
            for run in runs
            if program in (run["program"], "all runs")
        ]
        assert len(own) == int(table[program]["runs"]) == (30 if program == "all runs" else 6), (
            program, len(own),
        )
        off = [predicted - actual for predicted, actual in own]
        assert near(
            float(table[program]["sigma"]),
            math.sqrt(statistics.fmean(each * each for each in off) * len(own) / (len(own) - 3)), 1e-9,
        ), program
        assert near(
            float(table[program]["average_error"]),
            statistics.fmean(abs(each) / actual for each, (_, actual) in zip(off, own)), 1e-9,
        ), program
    recorded = {
        (program, n)
        for program, n in (
            (path.name.split("-")[0], path.name.split("-n")[1].split("-")[0])
            for path in work.glob("*-p[12]-n*.recording")
        )
    }
    assert recorded and not any(
        (run["program"], run["N"]) in recorded for run in runs
    ), "a run was predicted at a size that was recorded"
    assert "predictions stored before 30 runs" in done.stdout, done.stdout
    return done.stdout


def the_pictures_show_what_is_known(work):
    for name in ("errors", "broadcast", "startup"):
        root = xml.etree.ElementTree.parse(work / f"{name}.svg").getroot()
        assert root.tag.endswith("svg") and len(list(root.iter())) > 30, name
    # a binomial broadcast of each pivot row and of each unknown, and an allreduce: the messages in sequence
    for row in rows_of(work / "startup.csv"):
        n, p = int(row["N"]), int(row["p"])
        assert near(float(row["seconds"]), 1e-5 * (2 * n + 1) * math.ceil(math.log2(p)), 1e-9), row
    # 20 us and 1 ns a byte: the k-th pivot row has N + 1 - k elements
    for row in rows_of(work / "broadcast.csv"):
        n, p = int(row["N"]), int(row["p"])
        assert near(
            float(row["broadcasts"]), math.ceil(math.log2(p)) * (20e-6 * n + 1e-9 * 8 * n * (n + 3) / 2), 1e-9
        ), row
        assert (
            near(float(row["share"]), float(row["broadcasts"]) / float(row["seconds"]))
            and float(row["share"]) < 1
        ), row


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--build", required=True)
    build = pathlib.Path(parser.parse_args().build).resolve()
    by_hand()
    as_published()
    work = pathlib.Path(tempfile.mkdtemp(prefix="parcast-table1-"))
    pages_as_the_system_counts_them(build, work)
    print(quick_run(build, work / "out"))
    the_pictures_show_what_is_known(work / "out")
    shutil.rmtree(work)


main()
