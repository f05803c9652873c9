#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The five programs' final code by the compiler's scheduling model, on one process each: instructions of the
program itself (callgrind), cycles by llvm-mca, mispredicted branches by callgrind's predictor, pages that the
system mapped. Nothing is timed, so a busy machine does no harm.

    bench/accuracy/scheduled.py [--build build/release] [--cpu znver4,skylake-avx512] [--seconds
    matmul_rows=0.0288,...] [--quick]

The cycles are those of WINDOWS pieces of LENGTH instructions each. A piece begins at an instruction drawn in
proportion to its executions. It follows branches alternately, each direction as often as callgrind counted
it. So loops have their actual number of rounds, consecutive rounds overlap, and calls are followed. Cache
misses and mispredicted branches are not included. With --seconds, prints cycles per nanosecond. Needs
valgrind, objdump and llvm-mca-19. Files under --work: scheduled.csv, and NAME.s, the input of llvm-mca."""
import bisect
import collections
import os
import random
import re
import shutil
import subprocess

from common import Bench, table
from costs import write_table
from table1 import PROGRAMS

WINDOWS, LENGTH = 60, 600
CALLGRIND = [
    "valgrind", "--tool=callgrind", "--dump-instr=yes", "--dump-line=no", "--compress-pos=no",
    "--compress-strings=no", "--collect-jumps=yes", "--branch-sim=yes",
]


class Profile:
    """Executions of a program's instructions and the directions of its branches, from callgrind's file
    (valgrind's manual, Callgrind Format Specification)."""

    def __init__(self, path, program):
        self.executions, self.mispredicted = collections.Counter(), 0
        self.conditional, self.jumps, self.calls = (
            {}, collections.defaultdict(collections.Counter), collections.defaultdict(collections.Counter),
        )
        events, inside, callee_inside, pending = [], False, None, None
        for line in map(str.strip, open(path)):
            key, _, rest = line.partition("=")
            if line.startswith("events:"):
                events = line.split()[1:]
            elif key == "ob":
                inside = rest.endswith(program)
            elif key == "cob":
                callee_inside = rest.endswith(program)
            elif key == "calls":
                often, target = rest.split()[:2]
                pending = "call", int(often), int(target, 16) if callee_inside in (None, True) else None
                callee_inside = None
            elif key in ("jump", "jcnd"):
                pending = key, *rest.split()[:2]
            elif line.startswith("0x"):
                place, *costs = line.split()
                at = int(place, 16)
                if inside and pending:
                    self.way(at, *pending)
                elif inside:
                    self.executions[at] += int(costs[0])
                    self.mispredicted += sum(
                        int(cost) for event, cost in zip(events, costs) if event in ("Bcm", "Bim")
                    )
                pending = None

    def way(self, at, kind, often, target):
        if kind == "call":
            self.calls[at][target] += often
            return
        to = at if target == "*" else int(target, 16)
        if kind == "jump":
            self.jumps[at][to] += int(often)
        else:
            taken, executed = map(int, often.split("/"))
            before = self.conditional.get(at, (0, 0, to))
            self.conditional[at] = before[0] + taken, before[1] + executed, to


def code_of(program):
    """Returns address -> instruction, in the assembler's syntax."""
    listing = subprocess.run(
        ["objdump", "-d", "--no-show-raw-insn", "-j", ".text", program], capture_output=True, text=True,
        check=True,
    ).stdout
    out = {}
    for line in listing.splitlines():
        if found := re.match(r"\s+([0-9a-f]+):\t(.*)", line):
            out[int(found[1], 16)] = re.sub(r"\s*#.*", "", re.sub(r"\s*<.*?>", "", found[2])).strip()
    return out


class Walk:
    def __init__(self, profile, code):
        self.profile, self.code, self.random = profile, code, random.Random(1)
        places = sorted(code)
        self.behind = dict(zip(places, places[1:]))
        self.callers = collections.defaultdict(collections.Counter)
        for at, targets in profile.calls.items():
            for target, often in targets.items():
                if target is not None:
                    self.callers[target][at] += often
        self.entries = sorted(self.callers)

    def drawn(self, counts):
        return self.random.choices(list(counts), list(counts.values()))[0]

    def piece(self, at):
        out, stack, turns = [], [], collections.defaultdict(self.random.random)
        while at in self.code and len(out) < LENGTH:
            text, to = self.code[at], self.behind.get(at)
            word = text.split()[0]
            if at in self.profile.conditional:
                taken, executed, target = self.profile.conditional[at]
                turns[at] += taken / executed
                if turns[at] >= 1:
                    turns[at], to = turns[at] - 1, target
                text = "jne .+2"
            elif word.startswith("j") or word == "notrack":
                if self.profile.jumps[at]:
                    to = self.drawn(self.profile.jumps[at])
                text = "jmp .+2"
            elif word == "call":
                if targets := {
                    target: often for target, often in self.profile.calls[at].items() if target is not None
                }:
                    stack.append(to)
                    to = self.drawn(targets)
                text = "jmp .+2"
            elif word in ("ret", "repz"):
                entry = (
                    self.entries[max(bisect.bisect_right(self.entries, at) - 1, 0)] if self.entries else None
                )
                to = (
                    stack.pop()
                    if stack
                    else self.behind[self.drawn(self.callers[entry])] if entry is not None else None
                )
                text = "jmp .+2"
            out.append(text)
            at = to
        return out

    def pieces(self):
        places = [at for at in sorted(self.code) if self.profile.executions[at]]
        sums, total = [], 0
        for at in places:
            total += self.profile.executions[at]
            sums.append(total)
        out = []
        for window in range(WINDOWS):
            out += self.piece(
                places[
                    min(
                        bisect.bisect_left(sums, (window + self.random.random()) * total / WINDOWS),
                        len(places) - 1,
                    )
                ]
            )
        return out, total


def cycles(file, instructions, cpu):
    said = subprocess.run(
        ["llvm-mca-19", f"-mcpu={cpu}", "-iterations=1", "-instruction-info=0", "-resource-pressure=0", file],
        capture_output=True, text=True, check=True,
    ).stdout
    return int(re.search(r"Total Cycles:\s+(\d+)", said)[1]) / instructions


def pages(line):
    process = subprocess.Popen(line, stdout=subprocess.DEVNULL)
    usage = os.wait4(process.pid, 0)[2]
    process.returncode = 0
    return usage.ru_minflt


def main():
    bench = Bench(
        __doc__,
        [
            (["--cpu"], {"default": "znver4,skylake-avx512"}), (["--seconds"], {"default": ""}),
            (["--quick"], {"action": "store_true"}),
        ],
    )
    cpus = bench.options.cpu.split(",")
    seconds = {
        name: float(value)
        for name, value in (word.split("=") for word in bench.options.seconds.split(",") if word)
    }
    rows = []
    for name, case in PROGRAMS.items():
        size = case["recorded"][0 if bench.options.quick else -1]
        program = bench.work / name
        shutil.copy(bench.example(name), program)
        subprocess.run(["strip", "-g", program], check=True)  # valgrind 3.19 cannot read all of DWARF 5
        line = [str(program), *map(str, case["arguments"](size))]
        subprocess.run(
            [*CALLGRIND, f"--callgrind-out-file={name}.callgrind", *line], check=True, capture_output=True
        )
        profile = Profile(f"{name}.callgrind", f"/{name}")
        text, total = Walk(profile, code_of(program)).pieces()
        (bench.work / f"{name}.s").write_text("\n".join(text) + "\n")
        rows.append(
            [
                name, size, total, *(round(total * cycles(f"{name}.s", len(text), cpu)) for cpu in cpus),
                profile.mispredicted, pages(line),
            ]
        )
    write_table("scheduled.csv", ["program", "N", "instructions", *cpus, "mispredicted", "pages"], rows)
    cells = lambda row: [
        f"{count / seconds[row[0]] / 1e9:.2f}" if row[0] in seconds else ""
        for count in row[3 : 3 + len(cpus)]
    ]
    table(
        [
            "program", "N", "instructions", *(f"cycles, {cpu}" for cpu in cpus), "mispredicted", "pages",
            *(f"{cpu} per ns" for cpu in cpus),
        ],
        [[*row, *cells(row)] for row in rows],
    )


if __name__ == "__main__":
    main()
