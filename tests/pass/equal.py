#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every block of the programs beside this file counts the same by few counters as by one in each block, and the programs print the same
bytes and end the same way as without counters. The first comment of a program lists what it is run with."""
import argparse
import os
import pathlib
import re
import subprocess
import sys

from counted import executions

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
        subprocess.run([*command, "-c", *map(str, sources), "-o", str(target)], check=True, env={**os.environ, **(env or {})})

    def build(self, source, level, how, more=()):
        """how: none, planned or in-place."""
        compiler = "clang++-19" if source.suffix == ".cpp" else "clang-19"
        target = self.work / f"{source.stem}{level}-{how}"
        plugin = [] if how == "none" else [f"-fpass-plugin={self.plugin}"]
        self.compile([source], f"{target}.o", [compiler, level, "-g", *more, *plugin], {"PARCAST_COUNTING": how})
        subprocess.run([compiler, f"{target}.o", *([] if how == "none" else [str(self.printer)]), "-o", str(target), "-lm", "-lpthread"], check=True)
        return target

    def run(self, binary, words):
        """(exit status, output), executions"""
        for old in self.work.glob(f"{binary.name}.counters.*"):
            old.unlink()
        done = subprocess.run([str(binary), *words], capture_output=True, cwd=self.work, timeout=120,
                              env={**os.environ, "COUNTERS": str(self.work / f"{binary.name}.counters")})
        files = sorted(self.work.glob(f"{binary.name}.counters.*"))
        return (done.returncode, done.stdout), executions(binary, files) if files else None


def differences(planned, in_place):
    if planned.keys() != in_place.keys():
        yield f"functions differ: {sorted(planned.keys() ^ in_place.keys())}"
    for key in planned.keys() & in_place.keys():
        for block, (few, each) in enumerate(zip(planned[key], in_place[key], strict=True)):
            if few != each:
                yield f"{key[1]} block {block}: {few} by few counters, {each} by one each"


def check(builder, source, words_of_runs, levels=("-O1", "-O2", "-O3")):
    """Blocks that were compared, and what differed."""
    blocks, wrong = 0, []
    for level in levels:
        plain, planned, in_place = (builder.build(source, level, how) for how in ("none", "planned", "in-place"))
        for words in words_of_runs:
            (expected, _), (seen, few), (_, each) = builder.run(plain, words), builder.run(planned, words), builder.run(in_place, words)
            where = f"{source.name} {level} {' '.join(words)}"
            if seen != expected:
                wrong.append(f"{where}: ended with {seen[0]} instead of {expected[0]}, or printed something else")
            blocks += sum(map(len, each.values()))
            wrong += [f"{where}: {text}" for text in differences(few, each)]
    return blocks, wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--plugin", required=True)
    parser.add_argument("--work", required=True, type=pathlib.Path)
    options = parser.parse_args()
    builder = Builder(options.plugin, options.work.resolve())
    blocks, wrong = 0, []
    for source in sorted((HERE / "programs").iterdir()):
        runs = re.search(r"run with: (.*)", source.read_text()).group(1)
        compared, differing = check(builder, source, [words.split() for words in runs.split(";")])
        blocks += compared
        wrong += differing
    print(f"{blocks} blocks compared")
    if wrong or not blocks:
        sys.exit("\n".join(wrong or ["nothing was compared"]))


if __name__ == "__main__":
    main()
