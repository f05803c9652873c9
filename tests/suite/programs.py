#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Programs of the validation suite under examples/, compared with known results: matrix multiplication in
stripes of rows with the definition, the ocean with flows in closed form, sharks world with worlds worked out
by hand and the rules executed cell by cell below. No result may depend on the number of processes.

    tests/suite/programs.py --build BUILD --mpi open_mpi|mpich"""
import argparse
import concurrent.futures
import json
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
COMPILERS = {"open_mpi": ["mpicxx.openmpi", "mpicxx"], "mpich": ["mpicxx.mpich"]}
LAUNCHERS = {
    "open_mpi": [["mpirun.openmpi", "--oversubscribe"], ["mpirun", "--oversubscribe"]],
    "mpich": [["mpirun.mpich"]],
}
SOURCES = {
    "matmul_rows": ["matmul_rows.cpp"], "ocean": ["ocean.cpp", "basin.cpp", "known_flows.cpp"],
    "sharks": ["sharks.cpp", "sea.cpp"],
}


class Bed:
    def __init__(self, build, mpi):
        self.build = pathlib.Path(build).resolve()
        self.work = pathlib.Path(tempfile.mkdtemp(prefix="parcast-suite-"))
        compiler = next((each for each in COMPILERS[mpi] if shutil.which(each)), None)
        self.launcher = next((each for each in LAUNCHERS[mpi] if shutil.which(each[0])), None)
        if not compiler or not self.launcher:
            print(f"no compiler or launcher of {mpi}")
            sys.exit(77)
        libraries = self.build / "src/record"
        for name, files in SOURCES.items():
            paths = [ROOT / "examples" / name / each for each in files]
            subprocess.run(
                [
                    compiler, "-std=c++20", "-O2", "-Wall", "-Wextra", "-DOMPI_SKIP_MPICXX",
                    "-DMPICH_SKIP_MPICXX", "-I", ROOT / "include", "-o", self.work / name, *paths, "-L",
                    libraries, "-lparcast", f"-Wl,-rpath,{libraries}",
                ],
                check=True,
            )

    def run(self, p, *words, code=0):
        done = subprocess.run(
            [*self.launcher, "-n", str(p), f"./{words[0]}", *map(str, words[1:])], capture_output=True,
            text=True, cwd=self.work,
        )
        assert (
            done.returncode == code
        ), f"{words} on {p}: exit {done.returncode}, not {code}\n{done.stdout}{done.stderr}"
        return done

    def answer(self, p, *words):
        """Returns the lines by their first word."""
        return {line.split()[0]: line.split()[1:] for line in self.run(p, *words).stdout.splitlines()}

    def refuses(self, text, p, *words):
        error = self.run(p, *words, code=2).stderr
        assert text in error, error

    def world(self, *rows):
        """In a folder of its own, because tests run at the same time."""
        folder = pathlib.Path(tempfile.mkdtemp(prefix="world-", dir=self.work))
        (folder / "world.txt").write_text("".join(row + "\n" for row in rows))
        return folder.name + "/world.txt"


def products_are_those_of_the_definition(bed):
    for n, p in [(1, 1), (1, 3), (5, 7), (300, 1), (97, 2), (97, 3), (64, 4), (71, 6)]:
        assert bed.answer(p, "matmul_rows", n)["wrong"] == ["0"], (n, p)
    assert "wrong" not in bed.answer(2, "matmul_rows", 50, "unchecked")
    for words in [[], ["0"], ["-3"], ["4x"], ["40001"], ["5", "fast"], ["5", "unchecked", "6"]]:
        bed.refuses("usage: matmul_rows N [unchecked]", 2, "matmul_rows", *words)


def stripes_go_round_the_ring_once(bed):
    """All processes together send every stripe p - 1 times."""
    for n, p in [(50, 2), (50, 3), (49, 5)]:
        name = f"rows-{n}-{p}.recording"
        subprocess.run(
            [
                bed.build / "bin/parcast", "record", "-q", "--no-store", "-o", name, "--", *bed.launcher,
                "-n", str(p), "./matmul_rows", str(n),
            ],
            cwd=bed.work, check=True, capture_output=True,
        )
        shown = subprocess.run(
            [bed.build / "bin/parcast", "show", name, "--counts", "--json"], cwd=bed.work, check=True,
            capture_output=True, text=True,
        )
        ranks = json.loads(shown.stdout)["ranks"]
        assert sum(rank["messages_sent"] for rank in ranks) == p * (p - 1), ranks
        assert sum(rank["bytes_sent"] for rank in ranks) == 8 * n * n * (p - 1), ranks


def the_wave_is_that_of_the_difference_equations(bed):
    """Over several periods, with segments and rows that are different and do not divide evenly."""
    for segments, rows, steps in [(32, 32, 20000), (37, 11, 20000), (5, 2, 3000)]:
        assert float(bed.answer(1, "ocean", segments, rows, steps, "seiche")["off"][0]) < 1e-9, (
            segments, rows,
        )


def the_lake_tilts_until_it_holds_the_wind(bed):
    assert float(bed.answer(1, "ocean", 32, 4, 20000, "setup")["off"][0]) < 1e-5
    early = float(bed.answer(1, "ocean", 32, 4, 20, "setup")["off"][0])
    assert 0.5 < early < 2, early


def the_gyre_becomes_stommels(bed):
    """The error of second-order differences falls by 4 when the cells' sides are halved."""
    coarse, fine = (
        float(bed.answer(1, "ocean", n, n, steps)["off"][0]) for n, steps in [(16, 20000), (32, 40000)]
    )
    assert fine < 0.05 and 3 < coarse / fine < 5, (coarse, fine)


def the_ocean_does_not_know_the_number_of_processes(bed):
    for flow in ("gyre", "setup", "seiche"):
        answers = {
            tuple(tuple(bed.answer(p, "ocean", 23, 9, 100, flow)[key]) for key in ("state", "speed"))
            for p in (1, 2, 5)
        }
        assert len(answers) == 1, (flow, answers)
    alone = bed.answer(1, "ocean", 4, 6, 40)["state"]
    assert bed.answer(4, "ocean", 4, 6, 40)["state"] == alone
    assert bed.answer(1, "ocean", 4, 6, 41)["state"] != alone
    for words in [
        [], ["10", "10"], ["10", "1", "10"], ["10", "10", "0"], ["10", "10", "10", "storm"],
        ["2", "10", "10"], ["1e3", "10", "10"],
    ]:
        bed.refuses("usage: ocean SEGMENTS ROWS STEPS", 3, "ocean", *words)


def outcome(bed, p, steps, *rows, seed=1):
    lines = bed.run(p, "sharks", bed.world(*rows), steps, seed).stdout.splitlines()
    return lines[4:-1], lines[1:3]


def worlds_by_hand(bed):
    # a fish between two cells breeds at its third move, and then there is no room
    assert outcome(bed, 1, 1, "f.")[0] == [".f"]
    assert outcome(bed, 1, 2, "f.")[0] == ["f."]
    assert outcome(bed, 1, 3, "f.") == (["ff"], ["fish 2 born 1 eaten 0", "sharks 0 born 0 starved 0"])
    assert outcome(bed, 1, 50, "f.") == (["ff"], ["fish 2 born 1 eaten 0", "sharks 0 born 0 starved 0"])
    assert outcome(bed, 2, 3, "f", ".")[0] == ["f", "f"]
    # a sea full of fish does not change
    assert outcome(bed, 3, 10, "fff", "fff", "fff") == (
        ["fff"] * 3, ["fish 9 born 0 eaten 0", "sharks 0 born 0 starved 0"],
    )
    # a shark without fish lives for two more steps
    assert outcome(bed, 2, 2, "...", ".s.", "...")[1][1] == "sharks 1 born 0 starved 0"
    assert outcome(bed, 2, 3, "...", ".s.", "...") == (
        ["..."] * 3, ["fish 0 born 0 eaten 0", "sharks 0 born 0 starved 1"],
    )
    # the fish cannot escape
    assert outcome(bed, 1, 1, "sf") == ([".s"], ["fish 0 born 0 eaten 1", "sharks 1 born 0 starved 0"])
    assert outcome(bed, 1, 3, "sf")[1][1] == "sharks 1 born 0 starved 0"
    assert outcome(bed, 1, 4, "sf")[1] == ["fish 0 born 0 eaten 1", "sharks 0 born 0 starved 1"]


def who_gets_the_cell(bed):
    """Two animals for one cell: each gets it at some seed; also across the border between processes."""
    for rows, results in [
        (("f.f",), {("ff.",), (".ff",)}), (("sfs",), {("ss.",), (".ss",)}),
        (("f", ".", "f"), {("f", "f", "."), (".", "f", "f")}),
    ]:
        seen = set()
        for seed in range(6):
            each = {tuple(outcome(bed, p, 1, *rows, seed=seed)[0]) for p in range(1, len(rows) + 1, 2)}
            assert len(each) == 1, (rows, seed, each)
            seen |= each
        assert seen == results, (rows, seen)


M64 = 2**64 - 1


def mixed(x):
    x = (x + 0x9E3779B97F4A7C15) & M64
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 & M64
    x = (x ^ x >> 27) * 0x94D049BB133111EB & M64
    return x ^ x >> 31


def by_the_rules(world, steps, seed):
    """Executes one cell after the other, on a map from places to animals [kind, age, hunger]."""
    height, width = len(world), len(world[0])
    sea = {(i, j): [world[i][j], 0, 0] for i in range(height) for j in range(width) if world[i][j] != "."}
    fish_breed, shark_breed, starve = 3, 10, 3

    def draw(step, place, kind, purpose):
        cell = place[0] * width + place[1]
        return mixed(
            (mixed((mixed(seed) + step) & M64) + cell * 16 + (1 if kind == "f" else 2) * 4 + purpose) & M64
        )

    def neighbours(i, j):
        return [((i - 1) % height, j), ((i + 1) % height, j), (i, (j - 1) % width), (i, (j + 1) % width)]

    for step in range(steps):
        for kind in "fs":
            wishes = {}
            for place, animal in list(sea.items()):
                if animal[0] != kind:
                    continue
                around = neighbours(*place)
                prey = [each for each in around if kind == "s" and each in sea and sea[each][0] == "f"]
                ways = prey or [each for each in around if each not in sea]
                animal[1] += 1
                animal[2] += kind == "s"
                if animal[2] == starve and not prey:
                    wishes[place] = None
                elif ways:
                    wishes[place] = ways[(draw(step, place, kind, 0) >> 32) * len(ways) >> 32]
            moves = {}  # to: from
            for place, target in wishes.items():
                if target is None:
                    continue
                rank = (draw(step, place, kind, 1), place)
                if target not in moves or rank < (draw(step, moves[target], kind, 1), moves[target]):
                    moves[target] = place
            winners = {place: target for target, place in moves.items()}
            before, sea = sea, {
                place: animal for place, animal in sea.items() if animal[0] != kind and place not in moves
            }
            for place, animal in before.items():
                if animal[0] != kind or (place not in winners and animal[2] >= starve):
                    continue
                if place not in winners:
                    sea[place] = animal
                    continue
                target = winners[place]
                hunger = 0 if target in before else animal[2]
                if animal[1] >= (fish_breed if kind == "f" else shark_breed):
                    animal = [kind, 0, hunger]
                    sea[place] = [kind, 0, 0]
                sea[target] = [kind, animal[1], hunger]
    return ["".join(sea[i, j][0] if (i, j) in sea else "." for j in range(width)) for i in range(height)]


def worlds_by_the_rules(bed):
    numbers = random.Random(3)
    for height, width, steps, seed in [
        (7, 5, 1, 1), (7, 5, 40, 2), (6, 9, 25, 3), (2, 8, 30, 4), (1, 9, 30, 5), (9, 2, 30, 6),
        (12, 12, 60, 7),
    ]:
        world = ["".join(numbers.choice("..fffs") for _ in range(width)) for _ in range(height)]
        expected = by_the_rules(world, steps, seed)
        for p in {1, min(2, height), height if height < 10 else 5}:
            assert outcome(bed, p, steps, *world, seed=seed)[0] == expected, (world, steps, seed, p, expected)


def the_sea_does_not_know_the_number_of_processes(bed):
    answers = [bed.answer(p, "sharks", 41, 120) for p in (1, 2, 5)]
    assert (
        len({(tuple(each["state"]), tuple(each["fish"]), tuple(each["sharks"])) for each in answers}) == 1
    ), answers
    alive, born, eaten = (int(answers[0]["fish"][i]) for i in (0, 2, 4))
    assert alive and eaten > 41 * 41 and born > eaten - 41 * 41, answers[0]
    assert (
        bed.answer(1, "sharks", 41, 120)["state"]
        == answers[0]["state"]
        != bed.answer(1, "sharks", 41, 120, 2)["state"]
    )


def bad_worlds_are_refused(bed):
    bed.refuses("world.txt:2: this row has 2 cells, the first one 3", 2, "sharks", bed.world("fff", "ff"), 5)
    bed.refuses("world.txt:1: a cell is . f or s", 1, "sharks", bed.world("fxf"), 5)
    bed.refuses("world.txt is empty", 1, "sharks", bed.world(), 5)
    bed.refuses("no file nowhere.txt", 1, "sharks", "nowhere.txt", 5)
    bed.refuses("1 rows cannot be dealt out to 2 processes", 2, "sharks", bed.world("fff"), 5)
    bed.refuses("N is a number from 1 to 30000", 1, "sharks", 0, 5)
    for words in [[], ["10"], ["10", "-1"], ["10", "5", "x"], ["10", "5", "1", "1"]]:
        bed.refuses("usage: sharks N|WORLD.txt STEPS", 2, "sharks", *words)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--build", required=True)
    parser.add_argument("--mpi", required=True, choices=sorted(COMPILERS))
    arguments = parser.parse_args()
    bed = Bed(arguments.build, arguments.mpi)
    tests = [
        products_are_those_of_the_definition, stripes_go_round_the_ring_once,
        the_ocean_does_not_know_the_number_of_processes, the_sea_does_not_know_the_number_of_processes,
        bad_worlds_are_refused,
    ]
    if arguments.mpi == "open_mpi":  # the library does not affect the programs' computations
        tests += [
            the_wave_is_that_of_the_difference_equations, the_lake_tilts_until_it_holds_the_wind,
            the_gyre_becomes_stommels, worlds_by_hand, who_gets_the_cell, worlds_by_the_rules,
        ]
    with concurrent.futures.ThreadPoolExecutor(4) as pool:  # launchers mostly wait
        for test, _ in zip(tests, pool.map(lambda test: test(bed), tests)):
            print("passed", test.__name__, flush=True)
    shutil.rmtree(bed.work)


main()
