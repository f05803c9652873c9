#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Is a change of the program predicted as it happens? Records each program unchanged, simulates it with a
processor that spends more on each message, on each byte, or in one region, and then lets the programs run
with exactly that added to them (injected.c). Compares predicted and actual change of the run's time, and the
slope of the line through the origin; and how often the unchanged program would be called changed: each series
of runs has runs of the unchanged program before and after every run, and a 99 % interval of the differences
that leaves out 0 flags a change.

    bench/accuracy/injected.py [--build build/release] [--machine FILE] [--rounds 7] [--only gauss,ocean]

Files under --work: predicted.csv (before the runs), injected.csv."""
import collections
import itertools
import os
import pathlib
import statistics
import subprocess

from common import Bench, percent, table
from costs import write_table

HERE = pathlib.Path(__file__).resolve().parent
CALLED = pathlib.Path.cwd()
# Parameters, further command-line arguments, the slowed region. The data stay in the second cache. Data
# beyond it also get slower the longer a run lasts, because other processes use the shared cache. The
# exception is gauss, whose runs would take only hundredths of a second.
PROGRAMS = {
    "matmul_rows": ({"N": 500}, ["unchecked"], "pass_on"),
    "gauss": ({"N": 1200}, [], "eliminate"),
    "ocean": ({"N": 400, "rows": 64, "steps": 600}, [], "currents"),
    "shallow_water": ({"N": 96, "steps": 6000}, [], "fluxes"),
    "sharks": ({"N": 160, "steps": 400}, [], "fish"),
}
# messages and bytes: part of the run's time, in total; a region: ratio of its time
PARTS = {"message": [0.1, 0.3, 1.0], "byte": [0.1, 0.3, 1.0], "region": [1.2, 1.5, 2.5]}
FEWEST = 100  # a program with fewer messages is not tested with slower messages
# Student's 0.995 quantile by the number of differences
T_99 = {
    2: 63.66, 3: 9.925, 4: 5.841, 5: 4.604, 6: 4.032, 7: 3.707, 8: 3.499, 9: 3.355, 10: 3.250, 15: 2.977,
    20: 2.861,
}


def sent(answer):
    """Returns the largest numbers of messages and bytes of a rank, in calls that send to one partner."""
    calls = [
        [call for call in rank["calls"] if call["call"] in ("MPI_Send", "MPI_Isend", "MPI_Sendrecv")]
        for rank in answer["profile"]["ranks"]
    ]
    return max(sum(call["calls"] for call in of) for of in calls), max(
        sum(call["bytes"] for call in of) for of in calls
    )


class Case:
    """A change of one program, and its predicted effect relative to the run's time."""

    def __init__(self, program, kind, environment, flags, text, seconds):
        self.program, self.kind, self.environment, self.flags, self.text = (
            program, kind, environment, flags, text,
        )
        self.seconds = seconds  # simulated seconds of the unchanged program
        self.predicted, self.differences = None, []

    def unchanged(self):
        """The shim's settings where it changes nothing: it goes the same ways there, and reads the clock as
        often."""
        return {
            "message": {"INJECT_MESSAGE": "0"}, "byte": {"INJECT_BYTE": "0"},
            "region": {"INJECT_REGION": self.environment.get("INJECT_REGION")},
        }[self.kind]

    def add(self, changed, unchanged, alone):
        """Seconds of a run, of unchanged ones in turn with it, and of the program without readings of the
        clock. Messages and bytes take so many seconds more however fast the machine is just now, a slower
        region so many times as long."""
        self.differences.append((changed - unchanged) / (alone if self.kind == "region" else self.seconds))


def cases_of(program, base, link, region):
    messages, volume = sent(base)
    # The processor handles only the bytes of eager messages (docs/models/message_passing.md).
    eager = messages >= FEWEST and volume / messages <= link["eager_limit"]["value"]
    out = []
    for kind, often in (("message", messages), ("byte", volume)):
        for part in PARTS[kind] if messages >= FEWEST and (kind == "message" or eager) else []:
            seconds = part * base["seconds"] / often
            name = "send_overhead" if kind == "message" else "send_overhead_per_byte"
            key = f"links.core.{name}={link.get(name, {}).get('value', 0) + seconds!r}" + (
                "s" if kind == "message" else "s/B"
            )
            out.append(
                Case(
                    program, kind, {f"INJECT_{kind.upper()}": repr(seconds)}, ["--set", key],
                    f"{1e6 * seconds:.3g} us" if kind == "message" else f"{1e9 * seconds:.3g} ns",
                    base["seconds"],
                )
            )
    out += [
        Case(
            program, "region", {"INJECT_REGION": region, "INJECT_RATIO": str(ratio)},
            ["--region-ratio", f"{region}={ratio}"], f"{region} x {ratio}", base["seconds"],
        )
        for ratio in PARTS["region"]
    ]
    return out


def slope(cases):
    """Returns the slope through the origin, and its standard error."""
    square = sum(case.predicted**2 for case in cases)
    value = sum(case.predicted * statistics.median(case.differences) for case in cases) / square
    rest = sum((statistics.median(case.differences) - value * case.predicted) ** 2 for case in cases)
    return value, (rest / max(1, len(cases) - 1) / square) ** 0.5


def flagged(differences):
    quantile = T_99[max(n for n in T_99 if n <= len(differences))]
    return (
        abs(statistics.mean(differences)) > quantile * statistics.stdev(differences) / len(differences) ** 0.5
    )


class Injected:
    def __init__(self, bench, shim):
        self.bench, self.shim = bench, shim

    def run(self, line, environment):
        """Returns the seconds of one run with the shim loaded."""
        changed = {"LD_PRELOAD": str(self.shim), **environment}
        return self.bench.measure(
            [
                *self.bench.launch(2)[:-2],
                *(word for name, value in changed.items() for word in ("-x", f"{name}={value}")), "-n", "2",
                *line,
            ],
            printed=True,
        )

    def measure(self, line, cases):
        """Runs the cases between unchanged runs, in rounds. Returns the relative differences of unchanged
        runs to the two unchanged runs around them."""
        controls = collections.defaultdict(list)
        for _ in range(self.bench.options.rounds):
            alone = self.run(line, {})
            for kind, of in itertools.groupby(cases, lambda case: case.kind):
                of = list(of)
                plain = [self.run(line, of[0].unchanged())]
                for case in of:
                    seconds = self.run(line, case.environment)
                    plain.append(self.run(line, case.unchanged()))
                    case.add(seconds, statistics.mean(plain[-2:]), alone)
                for at in range(1, len(plain) - 1, 2):
                    controls[kind, at].append(plain[at] / statistics.mean((plain[at - 1], plain[at + 1])) - 1)
        return list(controls.values())


def main():
    bench = Bench(
        __doc__,
        [
            (["--machine"], {"default": None}), (["--rounds"], {"type": int, "default": 7}),
            (["--only"], {"default": ",".join(PROGRAMS), "help": "programs"}),
        ],
    )
    machine = CALLED / bench.options.machine if bench.options.machine else bench.work / "here.machine.toml"
    if not bench.options.machine:
        bench.calibrate(machine, "--budget", "40s")
    shim = bench.work / "injected.so"
    subprocess.run(
        [os.environ.get("MPICC", "mpicc"), "-O2", "-shared", "-fPIC", "-o", shim, HERE / "injected.c"],
        check=True,
    )
    link = bench.answer("machine", "show", machine)["links"]["core"]
    injected, cases, lines = Injected(bench, shim), [], {}
    for program in bench.options.only.split(","):
        values, more, region = PROGRAMS[program]
        lines[program] = [bench.example(program), *values.values(), *more]
        recordings = [
            bench.record(bench.work / f"{program}-{i}.recording", values, [*bench.launch(2), *lines[program]])
            for i in range(3)
        ]
        simulate = lambda recording, *flags: bench.answer("simulate", recording, "-m", machine, *flags)
        base = [simulate(recording)["seconds"] for recording in recordings]
        own = cases_of(program, simulate(recordings[0], "--regions", "--all"), link, region)
        for case in own:
            case.predicted = statistics.median(
                simulate(recording, *case.flags)["seconds"] / seconds - 1
                for recording, seconds in zip(recordings, base)
            )
        cases += own
    write_table(
        bench.work / "predicted.csv", ["program", "kind", "added", "predicted"],
        [[case.program, case.kind, case.text, repr(case.predicted)] for case in cases],
    )
    controls = []
    for program, line in lines.items():
        own = [case for case in cases if case.program == program]
        controls += injected.measure(line, own)
        for case in own:
            print(
                (
                    f"{program}   {case.kind}   {case.text}   {percent(case.predicted)}  "
                    f" {percent(statistics.median(case.differences))}"
                ),
                flush=True,
            )
    rows = [
        [
            case.program, case.kind, case.text, percent(case.predicted),
            percent(statistics.median(case.differences)), "yes" if flagged(case.differences) else "no",
        ]
        for case in cases
    ]
    print()
    table(["program", "each", "takes more", "predicted", "actual", "flagged"], rows)
    for kind in [*PARTS, None]:
        own = [case for case in cases if kind in (None, case.kind)]
        if own:
            value, error = slope(own)
            print(f"slope {kind or 'of all'}: {value:.3f} +- {error:.3f}, {len(own)} changes")
    print(
        f"unchanged: {sum(map(flagged, controls))} of {len(controls)} series flagged as changed; changed:"
        f" {sum(row[-1] == 'yes' for row in rows)} of {len(rows)}; {bench.disturbed} runs were made again"
        " because the host took processor time"
    )
    write_table(
        bench.work / "injected.csv", ["program", "kind", "added", "predicted", "actual"],
        [
            [
                case.program, case.kind, case.text, repr(case.predicted),
                repr(statistics.median(case.differences)),
            ]
            for case in cases
        ],
    )


main()
