#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Records the examples and compares the patterns found in their segments with those of their sources.

    bench/accuracy/patterns.py --build build/release

Prints a line for each segment with a wrong pattern, and at the end the number of right ones, by pattern.
Labels are derived from the sources in examples/*, independent of the program's answers. Where few ranks make
several patterns equal, labels follow docs/models/patterns.md."""
import argparse
import collections
import json
import os
import pathlib
import subprocess
import sys
import tempfile

COUNTS = (2, 3, 4, 5, 6, 8, 9)
COLLECTIVES = {
    "MPI_Allreduce": "combine",
    "MPI_Reduce": "combine",
    "MPI_Bcast": "broadcast",
    "MPI_Barrier": "none",
    "MPI_Allgatherv": "combine",
    "MPI_Gather": "combine",
    "MPI_Gatherv": "combine",
    # all agree on the members of the new communicator
    "MPI_Comm_split": "combine",
    "MPI_Cart_create": "combine",
}


def grid(p):
    rows = max(d for d in range(1, int(p**0.5) + 1) if p % d == 0)
    return rows, p // rows


def line(p, pattern):
    """Both ways along a line or ring, or one way: with two ranks these are an exchange, and a shift."""
    return "exchange" if p == 2 and pattern == "halo" else pattern


def cannon(p):
    """Rings along rows and columns of the grid; those of two ranks are pairs."""
    rows, columns = grid(p)
    if (rows, columns) == (2, 2):
        return {"halo"}  # r xor 1 and r xor 2, sent at once
    return {"exchange" if n == 2 else "shift" for n in (rows, columns) if n > 1}


def runs(world):
    """example, its arguments, ranks, the possible patterns of messages in a region (its last name)"""
    for p in COUNTS:
        ring = {line(p, "halo")}
        yield "shallow_water", ["24", "4"], p, {"fluxes": ring, "update": ring}
        yield "gauss", ["24"], p, {}
        yield "matmul_rows", ["24"], p, {"pass_on": {"exchange" if p == 2 else "shift"}}
        yield "matmul", ["24", "cannon"], p, {"": cannon(p)}
        yield "matmul", ["24", "broadcast"], p, {}
        yield "ocean", ["24", "12", "5"], p, {"heights": {"shift"}, "currents": {"shift"}}
        yield "sharks", ["24", "5"], p, {"fish": ring, "sharks": ring}
        yield "sharks", [str(world), "3"], p, {"fish": ring, "sharks": ring}


def segments_of(build, folder, name, arguments, p):
    recording = folder / f"{name}-{arguments[-1].replace('/', '_')}-{p}.recording"
    launch = ["mpirun", "--oversubscribe", "-n", str(p), str(build / "examples" / name), *arguments]
    subprocess.run(
        [build / "bin" / "parcast", "record", "-o", recording, "--", *launch], check=True,
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
    )
    answer = subprocess.run(
        [build / "bin" / "parcast", "show", recording, "--patterns", "--json"], check=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )
    return json.loads(answer.stdout)["segments"]


def label_of(segment, messages):
    calls = {call.split()[0] for call in segment["calls"].split(", ")}
    if segment["form"] == "collective":
        labels = {COLLECTIVES.get(call) for call in calls}
        return labels if len(labels) == 1 else set()
    return messages.get(segment["region"].rsplit("/", 1)[-1], set())


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path("build/release"))
    build = parser.parse_args().build.resolve()
    os.environ.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    matrix, right, all_segments = collections.Counter(), 0, 0
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        world = folder / "world.txt"
        world.write_text("\n".join("f.s.ff..s.f." for _ in range(12)) + "\n")
        for name, arguments, p, messages in runs(world):
            for segment in segments_of(build, folder, name, arguments, p):
                labels = label_of(segment, messages)
                good = segment["pattern"] in labels
                all_segments += 1
                right += good
                matrix[("/".join(sorted(map(str, labels))), segment["pattern"])] += 1
                if not good:
                    print(
                        f"{name} {' '.join(arguments)}, {p} ranks, {segment['region'] or 'program'},"
                        f" {segment['calls']}: {sorted(map(str, labels))}, found"
                        f" {segment['pattern']} {segment['form']}"
                    )
    for (label, found), count in sorted(matrix.items()):
        print(f"{label:20} found {found:12} {count:5}")
    print(f"{right} of {all_segments} right ({100 * right / all_segments:.1f} %)")
    return 0 if right >= 0.98 * all_segments else 1


if __name__ == "__main__":
    sys.exit(main())
