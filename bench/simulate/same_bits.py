#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The same results to the bit from every compiler and at every level of optimisation: builds same_bits.cpp
with the simulator by g++ and clang++ in turn, runs each and compares what they print. A compiler that is not
installed is left out, which is printed.

    bench/simulate/same_bits.py [--cases 20000] [--work out/same_bits]"""
import argparse
import concurrent.futures
import os
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SOURCES = ["src/base", "src/machine", "src/trace", "src/predict/simulate", "src/predict/simulate/network"]
KEPT = (
    "test_random_trace.cpp", "test_random_network.cpp", "test_mistakes.cpp", "test_generator.cpp",
    "test_program.cpp",
)
BUILDS = {
    "g++ -O0": ["g++", "-O0"], "g++ -O2": ["g++", "-O2"],
    "g++ -O3 -march=native -flto": ["g++", "-O3", "-march=native", "-flto"],
    "clang++ -O2": ["clang++-19", "-O2"], "clang++ -O3 -march=native": ["clang++-19", "-O3", "-march=native"],
}
CONTRACT = ["-std=c++20", "-ffp-contract=off"]  # as the project is built (docs/decisions/0012)


def sources():
    for folder in SOURCES:
        for path in sorted((ROOT / folder).glob("*.cpp")):
            name = path.name
            helper = name.startswith("test_") and name not in KEPT
            if not name.endswith("_test.cpp") and not helper and "_file" not in name and "json" not in name:
                yield path
    yield ROOT / "src/predict/dependence/core_share.cpp"  # both engines share this rule
    yield ROOT / "bench/simulate/same_bits.cpp"


def build(name, command, work):
    folder = work / "".join(c if c.isalnum() else "_" for c in name)
    folder.mkdir(parents=True, exist_ok=True)
    flags = [*CONTRACT, "-g0", "-I", ROOT / "src", "-ffunction-sections"]

    def compiled(path):
        target = folder / f"{path.parent.name}-{path.stem}.o"
        subprocess.run([*command, *flags, "-c", path, "-o", target], check=True)
        return target

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        objects = list(pool.map(compiled, sources()))
    program = folder / "same_bits"
    subprocess.run(
        [*command, "-Wl,--gc-sections", "-o", program, *objects, "-lgtest", "-lcrypto", "-lpthread"],
        check=True,
    )
    return program


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--cases", type=int, default=20000)
    parser.add_argument("--work", default=str(ROOT / "out/same_bits"))
    options = parser.parse_args()
    printed = {}
    for name, command in BUILDS.items():
        if not shutil.which(command[0]):
            print(f"{name} is left out: {command[0]} is not installed")
            continue
        program = build(name, command, pathlib.Path(options.work))
        printed[name] = subprocess.run(
            [program, str(options.cases)], capture_output=True, text=True, check=True
        ).stdout.strip()
        print(f"{name:32} {printed[name]}", flush=True)
    if len(set(printed.values())) != 1:
        sys.exit("the results differ")
    print(f"{len(printed)} builds, {options.cases} cases of each kind: the same bits")


main()
