#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests whether overheads and POP's efficiencies of real programs are two views of the same seconds. Records
hpcc and lammps (if they are installed) and the examples with 1, 2 and 4 processes. For every run, checks
these identities of `parcast explain --why`:

    E = 1 / sum of overhead ratios          Tseq / (p Tpar), with all phases of all processes
    sum of all phases = p Tpar
    useful + imbalance + communication = p Tpar, useful = the computation phases, serialisation + transfer =
    communication

    bench/causes/identities.py [--build build/release] [--work DIR]"""
import math
import pathlib
import re
import shutil
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "accuracy"))
from common import Bench, table  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
PROCESSES = [1, 2, 4]
GOAL = 1e-12


def prepare_hpcc(p):
    """Writes the input of hpcc: 600 unknowns on a grid of 1 x p."""
    text = pathlib.Path("/usr/share/doc/hpcc/examples/_hpccinf.txt").read_text()
    for name, value in (("Ns", 600), ("Ps", 1), ("Qs", p)):
        text = re.sub(rf"^\d+(\s+{name})\b", rf"{value}\1", text, count=1, flags=re.M)
    pathlib.Path("hpccinf.txt").write_text(text)


def off(a, b):
    return abs(a - b) / max(abs(a), abs(b)) if a or b else 0.0


def checks_of(run):
    """Returns the relative error of each identity, as a fraction."""
    pop, overheads = run["efficiencies"], run["overheads"]
    total = run["processes"] * run["seconds"]
    out = {
        "POP = p T": off(
            pop["useful_seconds"] + pop["imbalance_seconds"] + pop["communication_seconds"], total
        )
    }
    if pop["transfer_seconds"] is not None:  # requires kept times
        out["parts"] = off(
            pop["serialisation_seconds"] + pop["transfer_seconds"], pop["communication_seconds"]
        )
    if overheads:
        phases = overheads["phases"]
        seconds = [value for phase in phases for value in phase["by_process"]]
        out["E"] = off(overheads["efficiency"] * math.fsum(phase["ratio"] for phase in phases), 1)
        out["E by times"] = off(overheads["efficiency"], overheads["sequential_seconds"] / total)
        out["phases = p T"] = off(math.fsum(seconds), total)
        out["useful"] = off(
            math.fsum(phase["seconds"] for phase in phases if phase["phase"]["kind"] == "computation"),
            pop["useful_seconds"],
        )
    return out


def main():
    bench = Bench(__doc__)
    cases = {
        "gauss": [bench.example("gauss"), 400], "shallow_water": [bench.example("shallow_water"), 128, 100],
        "matmul cannon": [bench.example("matmul"), 300, "cannon"],
        "matmul broadcast": [bench.example("matmul"), 300, "broadcast"],
        "lammps": [
            "lmp", "-in", HERE.parent / "accuracy" / "in.lj", "-log", "none", "-v", "n", "8", "-v", "t",
            "100",
        ],
        "hpcc": ["hpcc"],
    }
    rows, worst = [], 0.0
    for label, line in cases.items():
        if not shutil.which(str(line[0])):
            print(f"{label} is left out: {line[0]} is not installed")
            continue
        recordings = []
        for p in PROCESSES:
            if label == "hpcc":
                prepare_hpcc(p)
                pathlib.Path("hpccoutf.txt").unlink(missing_ok=True)
            recordings.append(
                bench.record(
                    bench.work / f"{label.replace(' ', '-')}-p{p}.recording", {}, [*bench.launch(p), *line]
                )
            )
        for run in bench.answer("explain", "--why", *recordings)["runs"]:
            checks = checks_of(run)
            worst = max(worst, *checks.values())
            rows.append(
                [
                    label, run["processes"], f"{run['seconds']:.3f}",
                    len((run["overheads"] or {"phases": []})["phases"]),
                    *(
                        f"{checks[name]:.1e}" if name in checks else "-"
                        for name in ("E", "E by times", "phases = p T", "useful", "POP = p T", "parts")
                    ),
                ]
            )
    table(
        [
            "program", "p", "seconds", "phases", "E", "E by times", "phases = p T", "useful", "POP = p T",
            "parts",
        ],
        rows,
    )
    print(f"largest deviation {worst:.1e} (goal {GOAL:.0e})")
    return worst > GOAL


sys.exit(main())
