#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Figures 9 and 10 of Mohr, Shanmugam, Malony: Speedy, 1995, from one core of this machine.

    bench/accuracy/collections_figures.py --build build/release [--matmul 128] [--poisson 511] [--mflops 5]

Records collections_matmul and collections_poisson with 1 to 32 virtual processors on one thread, and
simulates them on the bundled machine cm-5 in ExtraP's model, with processors of --mflops million operations a
second (assumed: a SPARC without vector units). MipsRatio is that of this core, measured by the
multiplication."""
import time

from common import Bench

COUNTS = (1, 2, 4, 8, 16, 32)
REPEATS = 3


def recorded(bench, program, size, word, p):
    """Returns the recording of the run with the least computing: others were disturbed."""
    best = None
    for repeat in range(REPEATS):
        name = f"{program}-{word}-{p}-{repeat}.recording"
        bench.record(
            name, {},
            [bench.example(f"collections_{program}"), str(size), word, "--collections", f"cooperative:{p}"],
        )
        shown = bench.answer("show", name)
        compute = sum(rank["compute_seconds"] for rank in shown["ranks"])
        best = min(best or (compute, name), (compute, name))
    return best


def table(title, heads, rows):
    print(f"\n{title}\n" + "".join(f"{head:>14}" for head in heads))
    for row in rows:
        print("".join(f"{value:>14.4g}" if isinstance(value, float) else f"{value:>14}" for value in row))


def main():
    numbers = [
        (["--matmul"], {"type": int, "default": 128, "help": "N of the matrices"}),
        (["--poisson"], {"type": int, "default": 511, "help": "N of the grid, 2^k - 1"}),
        (
            ["--mflops"],
            {"type": float, "default": 5.0, "help": "million operations a second of the predicted processor"},
        ),
    ]
    bench = Bench(__doc__.splitlines()[0], numbers)
    begin = time.monotonic()
    n = bench.options.matmul
    runs = {(word, p): recorded(bench, "matmul", n, word, p) for word in ("block", "whole") for p in COUNTS}
    here = 2e-6 * n**3 / runs["whole", 1][0]
    ratio = here / bench.options.mflops
    print(
        f"this core does {here:.0f} million operations a second in the multiplication: MipsRatio {ratio:.0f}"
    )

    def seconds(run):
        return bench.answer("simulate", run[1], "-m", "cm-5", "--set", f"MipsRatio={ratio:.4g}")["seconds"]

    matmul = {key: seconds(run) for key, run in runs.items()}
    table(
        f"matmul, N = {n}: seconds, figure 9", ["p", "(Block, Block)", "(Block, Whole)"],
        [[p, matmul["block", p], matmul["whole", p]] for p in COUNTS],
    )
    ahead = [p for p in COUNTS if p > 1 and matmul["block", p] < matmul["whole", p]]
    print("(Block, Block) is ahead at p =", ", ".join(map(str, ahead)) or "none")

    words = ("transforms", "reduction", "all")
    poisson = {
        (word, p): seconds(recorded(bench, "poisson", bench.options.poisson, word, p))
        for word in words
        for p in COUNTS
    }
    table(
        f"poisson, N = {bench.options.poisson}: speed-up, figure 10", ["p", *words],
        [[p, *(poisson[word, 1] / poisson[word, p] for word in words)] for p in COUNTS],
    )
    spent = time.monotonic() - begin
    predicted = sum(matmul.values()) + sum(poisson.values())
    print(f"\n{spent:.0f} s here for runs that take {predicted:.0f} s there")


if __name__ == "__main__":
    main()
