#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Figures 9 and 10 of Mohr, Shanmugam, Malony: Speedy, 1995, from one core of this machine.

    bench/accuracy/collections_figures.py --build build/release [--matmul 128] [--poisson 511] [--mflops 5]

Records collections_matmul and collections_poisson with 1 to 32 virtual processors on one thread, by
parcast study, and simulates them on the bundled machine cm-5 in ExtraP's model, with processors of
--mflops million operations a second (assumed: a SPARC without vector units). MipsRatio is that of this
core, measured by the multiplication."""
import json
import time

from common import Bench

COUNTS = (1, 2, 4, 8, 9, 16, 20, 25, 32)  # 4, 9, 16, 25: where (Block, Block) has a step


def rate(bench, n):
    """Returns the million operations a second of this core in the multiplication, the best of three runs."""
    line = [bench.example("collections_matmul"), str(n), "whole", "--collections", "cooperative:1"]
    least = None
    for repeat in range(3):
        name = f"matmul-alone-{repeat}.recording"
        bench.record(name, {}, line)
        compute = sum(rank["compute_seconds"] for rank in bench.answer("show", name)["ranks"])
        least = min(least or compute, compute)
    return 2e-6 * n**3 / least


def curve(bench, program, size, word, ratio):
    """Returns seconds by the number of processors, by one study: each run is recorded three times."""
    answer = bench.parcast(
        "study", "--json", "-q", "--no-store", "-o", f"{program}-{word}.study", "-m", "cm-5", "--set",
        f"MipsRatio={ratio:.4g}", "--vary", "p=4", "--vary", f"N={size}", "--ask", f"p={COUNTS[-1]},N={size}",
        "--graph", "p=" + ",".join(map(str, COUNTS)), "--", bench.example(f"collections_{program}"), "{N}",
        word, "--collections", "cooperative:{p}",
    )
    points = json.loads(answer)["graph"]["points"]
    return {point["parameters"]["p"]: point["seconds"]["value"] for point in points}


def table(title, heads, rows):
    print(f"\n{title}\n" + "".join(f"{head:>15}" for head in heads))
    for row in rows:
        print("".join(f"{value:>15.4g}" if isinstance(value, float) else f"{value:>15}" for value in row))


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
    n, m = bench.options.matmul, bench.options.poisson
    here = rate(bench, n)
    ratio = here / bench.options.mflops
    print(
        f"this core does {here:.0f} million operations a second in the multiplication: MipsRatio {ratio:.0f}"
    )
    block, whole = (curve(bench, "matmul", n, word, ratio) for word in ("block", "whole"))
    table(
        f"matmul, N = {n}: seconds, figure 9", ["p", "(Block, Block)", "(Block, Whole)"],
        [[p, block[p], whole[p]] for p in COUNTS],
    )
    ahead = [p for p in COUNTS if p > 1 and block[p] < whole[p]]
    print("(Block, Block) is ahead at p =", ", ".join(map(str, ahead)) or "none")

    poisson = {word: curve(bench, "poisson", m, word, ratio) for word in ("transforms", "reduction", "all")}
    table(
        f"poisson, N = {m}: speed-up, figure 10", ["p", *poisson],
        [[p, *(seconds[1] / seconds[p] for seconds in poisson.values())] for p in COUNTS],
    )
    spent = time.monotonic() - begin
    predicted = sum(sum(curve.values()) for curve in (block, whole, *poisson.values()))
    print(f"\n{spent:.0f} s here for runs that take {predicted:.0f} s there")


if __name__ == "__main__":
    main()
