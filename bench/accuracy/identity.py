#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Does a model give back the time of runs like those it was made from, and does the replay of a recording
give back its run? Models each example from recordings, predicts the recorded size on this machine, simulates
each recording on it (the median counts; on a cluster it is also interpreted, which counts shares of a core),
and compares with fresh runs made without the recorder. Recordings (with every event's own times) and fresh
runs alternate, so that both see the same machine; none of the fresh runs is in the model. What the recorded
runs themselves took, by their own clock, is printed as well: how far they are from the fresh ones is the
recorder's doing (or the machine's), how far the replay is from them the model's. At p = 2 on this machine
also Debian's hpcc, entirely and by its parts, and lammps, where they are installed: these are simulated only.
With --launcher on a cluster, at the processes asked for.

    bench/accuracy/identity.py [--build build/release] [--machine FILE] [--runs 20] [--only NAME]
    bench/accuracy/identity.py --launcher 'srun -n {p}' --processes 8,16 --machine cluster.machine.toml
    --ranks-per-node 1 [--runs 20]"""
import contextlib
import os
import pathlib
import re
import shlex
import shutil
import statistics
import subprocess

from common import Bench, percent, table

HERE = pathlib.Path(__file__).resolve().parent
EXAMPLES = {  # program, sizes: the first two cache-resident, the last memory-bound
    "shallow_water 256": ("shallow_water", {"N": 256, "steps": 2500}),
    "gauss 1600": ("gauss", {"N": 1600}),
    "shallow_water 2048 (memory-bound)": ("shallow_water", {"N": 2048, "steps": 40}),
}
ON_A_CLUSTER = {
    "shallow_water 192": ("shallow_water", {"N": 192, "steps": 400}),
    "gauss 400": ("gauss", {"N": 400}),
}


def quartiles(seconds):
    ordered = sorted(seconds)
    return ordered[int(0.25 * len(ordered))], statistics.median(ordered), ordered[int(0.75 * len(ordered))]


def seconds_of(text):
    """Seconds that a program prints, and parts.c: of the run and of each part."""
    return {
        "": float(re.search(r"^seconds (\S+)", text, re.M).group(1)),
        **{name: float(seconds) for name, seconds in re.findall(r"^part (\S+) (\S+)", text, re.M)},
    }


def beside_neighbours(simulated, fresh):
    """Returns the median of simulated / fresh - 1 over recordings. Each recording is compared with the fresh
    runs before and after it, so that changes of the machine's speed during the check cancel."""
    return statistics.median(
        s / statistics.mean(fresh[max(0, 2 * i - 1) : 2 * i + 1]) - 1 for i, s in enumerate(simulated)
    )


@contextlib.contextmanager
def preloaded(library):
    os.environ["LD_PRELOAD"] = str(library)
    yield
    del os.environ["LD_PRELOAD"]


class Identity:
    def __init__(self, bench, machine, launch, flags):
        self.bench, self.machine, self.launch, self.flags = bench, machine, launch, flags
        self.rows = []

    def add(self, label, p, fresh, recorded, simulated, predicted=None, interpreted=None):
        low, middle, high = quartiles(fresh)
        answer = statistics.median(simulated)
        self.rows.append(
            [
                label, p, f"{predicted:.4f}" if predicted else "", f"{answer:.4f}", f"{middle:.4f}",
                f"{100 * (high - low) / middle:.1f} %", percent(predicted / middle - 1) if predicted else "",
                percent(answer / middle - 1),
                percent(statistics.median(interpreted) / middle - 1) if interpreted else "",
                percent(beside_neighbours(simulated, fresh)), percent(beside_neighbours(recorded, fresh)),
                percent(statistics.median(s / r - 1 for s, r in zip(simulated, recorded))),
            ]
        )
        print("   ".join(map(str, self.rows[-1])), flush=True)

    def simulate(self, recording, *more):
        return self.bench.answer("simulate", recording, "-m", self.machine, *self.flags, *more)

    def interpret(self, recording):
        return self.bench.answer("interpret", recording, "-m", self.machine, "--depth", 0)["seconds"]

    def example(self, label, program, values, p):
        bench, line = self.bench, [*self.launch(p), self.bench.example(program), *values.values()]
        fresh, recordings, recorded = [], [], []
        for run in range(bench.options.runs):
            if run % 2 == 0:
                recordings.append(
                    bench.record(
                        bench.work / f"{label.split(' (')[0].replace(' ', '-')}-{p}-{run}.recording", values,
                        line, ["--keep-times"],
                    )
                )
                recorded.append(seconds_of(bench.printed)[""])
            fresh.append(bench.measure(line, printed=True))
        model = bench.work / f"{program}.model.json"
        bench.parcast("model", "--no-store", "-o", model, *recordings)
        flags = [word for k, v in values.items() for word in ("-s", f"{k}={v}")]
        predicted = bench.answer(
            "predict", model, "-m", self.machine, "-p", p, *flags, *self.flags, "--no-store"
        )["seconds"]["value"]
        interpreted = (
            [self.interpret(recording) for recording in recordings] if bench.options.launcher else None
        )
        self.add(
            label, p, fresh, recorded, [self.simulate(recording)["seconds"] for recording in recordings],
            predicted, interpreted,
        )

    def unmodified(self, label, line):
        """A program that does not print its time: parts.c does."""
        bench, parts = self.bench, self.bench.work / "parts.so"
        if not parts.exists():
            subprocess.run(
                ["mpicc", "-O2", "-shared", "-fPIC", "-o", parts, HERE / "parts.c", "-ldl"], check=True
            )
        line = [*self.launch(2), *line]
        fresh, recorded, simulated = {}, {}, {}
        for run in range(bench.options.runs):
            pathlib.Path("hpccoutf.txt").unlink(missing_ok=True)
            if run % 2 == 0:
                with preloaded(parts):
                    recording = bench.record(
                        bench.work / f"{label}-{run}.recording", {}, line, ["--keep-times"]
                    )
                for name, seconds in seconds_of(bench.printed).items():
                    recorded.setdefault(name, []).append(seconds)
                answer = self.simulate(recording, "--regions", "--all")
                simulated.setdefault("", []).append(answer["seconds"])
                regions = {}
                for call in answer["profile"]["ranks"][0]["calls"]:
                    regions[call["region"]] = (
                        regions.get(call["region"], 0) + call["compute"] + call["communication"]
                        + call["idle"]
                    )
                for region, seconds in regions.items():
                    simulated.setdefault(region or "(elsewhere)", []).append(seconds)
            with preloaded(parts):
                done = subprocess.run(list(map(str, line)), capture_output=True, text=True, check=True)
            for name, seconds in seconds_of(done.stdout).items():
                fresh.setdefault(name, []).append(seconds)
        self.add(label, 2, fresh[""], recorded[""], simulated[""])
        for name in fresh:
            if (
                name
                and len(simulated.get(name, [])) == len(simulated[""])
                and statistics.median(fresh[name]) > 0.01
            ):
                self.add(f"{label} {name}", 2, fresh[name], recorded[name], simulated[name])


def prepare_hpcc():
    """2,500 unknowns on a grid of 1 x 2: a few seconds."""
    text = pathlib.Path("/usr/share/doc/hpcc/examples/_hpccinf.txt").read_text()
    for name, value in (("Ns", 2500), ("Ps", 1), ("Qs", 2)):
        text = re.sub(rf"^\d+(\s+{name})\b", rf"{value}\1", text, count=1, flags=re.M)
    pathlib.Path("hpccinf.txt").write_text(text)


def main():
    bench = Bench(
        __doc__,
        [
            (["--machine"], {"default": None}), (["--runs"], {"type": int, "default": 20}),
            (["--only"], {"default": ""}), (["--launcher"], {"default": None}),
            (["--processes"], {"default": "2"}), (["--ranks-per-node"], {"default": None}),
        ],
    )
    options = bench.options
    machine = pathlib.Path(options.machine).resolve() if options.machine else None
    if machine is None:
        machine = bench.work / "here.machine.toml"
        launcher = ["--launcher", options.launcher] if options.launcher else []
        bench.calibrate(machine, "--budget", "40s", *launcher)

    def launch(p):
        return shlex.split(options.launcher.replace("{p}", str(p))) if options.launcher else bench.launch(p)

    flags = ["--ranks-per-node", options.ranks_per_node] if options.ranks_per_node else []
    identity = Identity(bench, machine, launch, flags)
    for label, (program, values) in (ON_A_CLUSTER if options.launcher else EXAMPLES).items():
        for p in map(int, options.processes.split(",")):
            if options.only in label:
                identity.example(label, program, values, p)
    if not options.launcher:
        prepare_hpcc()
        for label, line in {
            "lammps": ["lmp", "-in", HERE / "in.lj", "-log", "none", "-v", "n", "16", "-v", "t", "200"],
            "hpcc": ["hpcc"],
        }.items():
            if not shutil.which(line[0]):
                print(f"{label} is left out: {line[0]} is not installed")
            elif options.only in label:
                identity.unmodified(label, line)
    print()
    table(
        [
            "case", "p", "predicted", "simulated", "median of fresh runs", "interquartile range", "error",
            "of the simulation", "of the interpretation", "beside neighbours", "recorded beside fresh",
            "simulated beside recorded",
        ],
        identity.rows,
    )


main()
