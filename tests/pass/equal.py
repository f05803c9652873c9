#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every block of the programs in this folder counts the same by few counters as by one in each block, the
programs print the same bytes and end the same way as without counters, and their facts of loops and branches
hold. The first comment of a program lists what it is run with."""
import argparse
import os
import pathlib
import re
import subprocess
import sys

from counted import executions
from facts_of_loops import Tally, tally_of

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent


class Builder:
    def __init__(self, plugin, work):
        self.plugin, self.work = plugin, work
        work.mkdir(parents=True, exist_ok=True)
        self.printer = work / "print_counters.o"
        self.compile([HERE / "print_counters.c"], self.printer, ["clang-19", "-O1", f"-I{ROOT}/src"])

    @staticmethod
    def compile(sources, target, command, env=None):
        subprocess.run(
            [*command, "-c", *map(str, sources), "-o", str(target)], check=True, timeout=60,
            env={**os.environ, **(env or {})},
        )

    def build(self, sources, level, how, more=()):
        """Builds a program; how: none, planned or in-place."""
        compiler = "clang++-19" if sources[0].suffix == ".cpp" else "clang-19"
        target = self.work / f"{sources[0].stem}{level}-{how}"
        plugin = [] if how == "none" else [f"-fpass-plugin={self.plugin}"]
        objects = [f"{target}-{number}.o" for number in range(len(sources))]
        for source, made in zip(sources, objects, strict=True):
            self.compile(
                [source], made, [compiler, level, "-g", "-fno-crash-diagnostics", *more, *plugin],
                {"PARCAST_COUNTING": how},
            )
        subprocess.run(
            [
                compiler, *objects, *([] if how == "none" else [str(self.printer)]), "-o", str(target), "-lm",
                "-lpthread",
            ],
            check=True,
        )
        return target

    def run(self, binary, words):
        """Returns (exit status, output), files of counters."""
        for old in self.work.glob(f"{binary.name}.counters.*"):
            old.unlink()
        done = subprocess.run([str(binary), *words], capture_output=True, cwd=self.work, timeout=120,
                              env={**os.environ, "COUNTERS": str(self.work / f"{binary.name}.counters")})
        return (done.returncode, done.stdout), sorted(self.work.glob(f"{binary.name}.counters.*"))


def differences(planned, in_place):
    if planned.keys() != in_place.keys():
        yield f"functions differ: {sorted(planned.keys() ^ in_place.keys())}"
    for key in planned.keys() & in_place.keys():
        for block, (few, each) in enumerate(zip(planned[key], in_place[key], strict=True)):
            if few != each:
                yield f"{key[1]} block {block}: {few} by few counters, {each} by one each"


def check_run(builder, binaries, words, where):
    """Returns the number of compared blocks in one run, the checked facts, and a list of errors. binaries:
    none, planned, in-place."""
    (expected, _), (seen, few), (_, each) = (builder.run(binary, words) for binary in binaries)
    if seen != expected:
        return (
            0, Tally(),
            [f"{where}: ended with {seen[0]} instead of {expected[0]}, or printed something else"],
        )
    tally = Tally()
    for counters in few:
        tally.add(tally_of(binaries[1], counters))
    few, each = executions(binaries[1], few), executions(binaries[2], each)
    return (
        sum(map(len, each.values())), tally,
        [f"{where}: {text}" for text in [*differences(few, each), *tally.broken]],
    )


def check(builder, source, words_of_runs, levels=("-O1", "-O2", "-O3")):
    """Returns the number of compared blocks, the checked facts, and a list of errors."""
    blocks, tally, wrong = 0, Tally(), []
    for level in levels:
        binaries = [builder.build([source], level, how) for how in ("none", "planned", "in-place")]
        for words in words_of_runs:
            compared, checked, differing = check_run(
                builder, binaries, words, f"{source.name} {level} {' '.join(words)}"
            )
            blocks += compared
            tally.add(checked)
            wrong += differing
    return blocks, tally, wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--plugin", required=True)
    parser.add_argument("--work", required=True, type=pathlib.Path)
    options = parser.parse_args()
    builder = Builder(options.plugin, options.work.resolve())
    blocks, tally, wrong = 0, Tally(), []
    for source in sorted((HERE / "programs").iterdir()):
        runs = re.search(r"run with: (.*)", source.read_text()).group(1)
        compared, checked, differing = check(builder, source, [words.split() for words in runs.split(";")])
        blocks += compared
        tally.add(checked)
        wrong += differing
    print(
        f"{blocks} blocks compared; {tally.checked} of {tally.loops} loops and {tally.branches_checked} of"
        f" {tally.branches} branches checked"
    )
    if wrong or not blocks or not tally.checked or not tally.branches_checked:
        sys.exit("\n".join(wrong or ["nothing was compared"]))


if __name__ == "__main__":
    main()
