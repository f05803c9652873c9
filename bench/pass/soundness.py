#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Thousands of generated programs against the compiler pass (tests/pass/generated.py): few counters against
one in each block, and facts of loops and branches against what was counted. Prints each difference with its
program's seed, and the shares that could be checked.
bench/pass/soundness.py --plugin build/release/lib/parcast-pass.so --work FOLDER [--programs 2000] [--first
SEED] [--jobs 2]"""
import argparse
import multiprocessing
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent.parent / "tests/pass"))
from equal import Builder
from generated import Examined, examine, print_totals, share


def examined(task):
    builder, seed = task
    return examine(builder, seed)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--plugin", required=True)
    parser.add_argument("--work", required=True, type=pathlib.Path)
    parser.add_argument("--programs", type=int, default=2000)
    parser.add_argument("--first", type=int, default=1, help="seed of the first program")
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    builder, made = Builder(options.plugin, options.work.resolve()), Examined()
    seeds = range(options.first, options.first + options.programs)
    with multiprocessing.Pool(options.jobs) as pool:
        for one in pool.imap(examined, [(builder, seed) for seed in seeds]):
            print(*one.wrong, sep="\n", end="\n" if one.wrong else "", flush=True)
            made.add(one)
            if made.programs % 200 == 0 and made.programs < options.programs:
                print_totals(made)
    print_totals(made)
    for form, provable in sorted({(form, provable) for form, provable, _ in made.forms}):
        known, unknown = (made.forms[form, provable, rounds] for rounds in (True, False))
        print(f"  {form}{', provable' if provable else ''}: rounds of {share(known, known + unknown)}")
    sys.exit(1 if made.wrong else 0)


if __name__ == "__main__":
    main()
