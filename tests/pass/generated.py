#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Generated programs (generate.py) count every block the same by few counters as by one in each block, print
and end as without counters, and their facts of loops and branches hold (facts_of_loops.py)."""
import argparse
import collections
import dataclasses
import pathlib
import random
import re
import subprocess
import sys

from counted import facts_of
from equal import Builder, check_run
from generate import generate
from facts_of_loops import Tally

LOOP = re.compile(r"// loop (\w+)( provable)?$")


@dataclasses.dataclass
class Examined:
    programs: int = 0
    blocks: int = 0
    tally: Tally = dataclasses.field(default_factory=Tally)
    # (form, provable, has rounds) -> loops
    forms: collections.Counter = dataclasses.field(default_factory=collections.Counter)
    wrong: list = dataclasses.field(default_factory=list)

    def add(self, other):
        self.programs += other.programs
        self.blocks += other.blocks
        self.tally.add(other.tally)
        self.forms += other.forms
        self.wrong += other.wrong


def forms_of(binary, sources):
    """Loops of the facts by the form that the generator gave their line."""
    lines = {
        (source.name, number): match
        for source in sources
        for number, line in enumerate(source.read_text().split("\n"), 1)
        if (match := LOOP.search(line))
    }
    forms = collections.Counter()
    for module in facts_of(binary).values():
        for function in module["functions"]:
            for loop in function["loops"]:
                match = loop["at"] and lines.get((pathlib.Path(loop["at"][0][0]).name, loop["at"][0][1]))
                if match:
                    forms[match.group(1), bool(match.group(2)), "rounds" in loop] += 1
    return forms


def examine(builder, seed, keep=False):
    """Tests one program, at an optimisation level chosen by its seed."""
    sources, runs = generate(seed, builder.work)
    level = random.Random(seed).choice(["-O1", "-O2", "-O3"])
    made = Examined(programs=1)
    try:
        binaries = [builder.build(sources, level, how, ["-w"]) for how in ("none", "planned", "in-place")]
        made.forms = forms_of(binaries[1], sources)
        for words in runs:
            where = f"seed {seed} {level} {' '.join(words)}"
            blocks, tally, wrong = check_run(builder, binaries, words, where)
            made.blocks += blocks
            made.tally.add(tally)
            made.wrong += wrong
    except (subprocess.CalledProcessError, subprocess.TimeoutExpired) as error:
        made.wrong.append(f"seed {seed} {level}: {error}")
    if not keep:
        for path in builder.work.glob(f"{sources[0].stem}[-_.]*"):
            path.unlink()
    return made


def share(part, whole):
    return f"{part} of {whole} ({100 * part / whole:.1f} %)" if whole else f"{part} of {whole}"


def print_totals(made):
    tally = made.tally
    provable = [
        sum(count for (_, provable, rounds), count in made.forms.items() if provable and rounds >= least)
        for least in (1, 0)
    ]
    print(f"{made.programs} programs, {made.blocks} blocks compared")
    print(f"loops entered whose rounds are known: {share(tally.known, tally.loops)}")
    print(
        f"loops entered that could be checked: {share(tally.checked, tally.loops)}; of ways back taken:"
        f" {share(tally.back_checked, tally.back)}"
    )
    print(f"branches that could be checked: {share(tally.branches_checked, tally.branches)}")
    print(f"loops provable by construction that have rounds: {share(*provable)}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--plugin", required=True)
    parser.add_argument("--work", required=True, type=pathlib.Path)
    parser.add_argument("--programs", type=int, default=40)
    parser.add_argument("--first", type=int, default=1, help="seed of the first program")
    parser.add_argument("--keep", action="store_true", help="leave programs and binaries in the work folder")
    options = parser.parse_args()
    builder = Builder(options.plugin, options.work.resolve())
    made = Examined()
    for seed in range(options.first, options.first + options.programs):
        made.add(examine(builder, seed, options.keep))
    print_totals(made)
    if made.wrong or not made.tally.checked or not made.tally.branches_checked:
        sys.exit("\n".join(made.wrong or ["nothing was checked"]))


if __name__ == "__main__":
    main()
