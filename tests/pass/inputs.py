#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How the loops of programs are found that get their size from the command line in one way each (inputs/), or
divide it by a process grid of MPI: the tier in their first lines,
 after recordings at two sizes on 4 processes; and where it is symbolic or recognised the equations give what
 is counted at a larger size on 6 processes, in every block.

Programs of misleading/ do something else at the larger size than at the recorded ones, which only their text
shows: there no block that is symbolic may have another count. So do those of bench/pass/misleading/, beyond
these; and those of bench/pass/counted_wrongly/, which have one (decision 84):
--table bench/pass/counted_wrongly/* shows them.

`words: ...`: of the command line, N the size; `loops: TIER`: of those in lines with `rounds`. Needs clang-19
and Open MPI, flang-19 for Fortran.

    tests/pass/inputs.py --bin build/release/bin --work FOLDER [--table] [PROGRAM ...]"""
import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent.parent / "bench/pass"))
from expression_values import function_of  # noqa: E402
from grids import Grids  # noqa: E402

LAUNCH = [shutil.which("mpirun.openmpi") or "mpirun", "--oversubscribe"]
SMALL, LARGE = ((40, 4), (97, 4)), (231, 6)
WRAPPERS = {".c": "mpicc", ".cpp": "mpicxx", ".f90": "mpifort"}


class Bed:
    def __init__(self, options):
        self.bin, self.work = options.bin.resolve(), options.work.resolve()
        shutil.rmtree(self.work, ignore_errors=True)
        self.work.mkdir(parents=True)
        self.environment = {
            **os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
            "OMPI_CC": f"{self.bin}/parcast-cc", "OMPI_CXX": f"{self.bin}/parcast-cxx",
            "OMPI_FC": f"{self.bin}/parcast-fc", "PARCAST_MODULES": f"{self.work}/modules",
        }
        self.grids = Grids(self.work, LAUNCH, {**self.environment, "OMPI_CC": "clang-19"})

    def run(self, words, well=(0,)):
        done = subprocess.run(
            [str(word) for word in words], capture_output=True, text=True, cwd=self.work,
            env=self.environment, timeout=120,
        )
        assert done.returncode in well, f"{' '.join(map(str, words))}\n{done.stdout}{done.stderr}"
        return done.stdout

    def compiled(self, source):
        wrapper, target = WRAPPERS[source.suffix], self.work / source.name.replace(".", "_")
        self.run(
            [
                shutil.which(f"{wrapper}.openmpi") or wrapper,
                *(["-std=c++20"] if source.suffix == ".cpp" else []), "-O2", "-g", source, "-o", target,
                *(["-lm"] if source.suffix == ".c" else []),
            ]
        )
        return target

    def recorded(self, binary, words, size, processes):
        target = self.work / f"{binary.name}-{size}-{processes}.recording"
        given = [word.replace("N", str(size)) for word in words]
        self.run(
            [
                self.bin / "parcast", "record", "-q", "--no-store", "--baton", "off", "-o", target, "--param",
                f"n={size}", "--", *LAUNCH, "-n", processes, binary, *given,
            ]
        )
        return target

    def equations(self, *recordings):
        return json.loads(
            self.run([self.bin / "parcast", "show", *recordings, "--blocks", "--json"], well=(0, 3))
        )


def said(source, what):
    return re.search(rf"^(?://|!) {what}: (.*)$", source.read_text(), re.MULTILINE).group(1)


def examine(bed, source, shown_tiers):
    """Returns (tier of its loops, errors); `shown_tiers`: tiers whose equations must give the counts."""
    binary, words = bed.compiled(source), said(source, "words").split()
    equations = bed.equations(*(bed.recorded(binary, words, *run) for run in SMALL))
    size, processes = LARGE
    seen = {
        (block["source"], block["function"], block["block"]): block["seen"]
        for block in bed.equations(bed.recorded(binary, words, size, processes))["blocks"]
    }
    symbols = [{"n": size, **bed.grids.values(processes, rank)} for rank in range(processes)]
    lines = source.read_text().split("\n")
    marked = [
        loop
        for loop in equations["loops"]
        if any(
            pathlib.Path(at["file"]).name == source.name and "rounds" in lines[at["line"] - 1]
            for at in loop["at"]
        )
    ]
    tiers = {loop["found"] for loop in marked}
    wrong = []
    for block in equations["blocks"]:
        if block["found"] not in shown_tiers:
            continue
        value = sum(function_of(block["executions"])(each) for each in symbols)
        counted = seen.get((block["source"], block["function"], block["block"]), 0)
        if value != counted:
            wrong.append(
                f"block {block['block']} of {block['function']} is {block['found']}, {block['executions']}:"
                f" {value} in place of {counted}"
            )
    return " ".join(sorted(tiers)), wrong


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--bin", required=True, type=pathlib.Path)
    parser.add_argument("--work", required=True, type=pathlib.Path)
    parser.add_argument(
        "--table", action="store_true", help="print by what each is counted, whatever it should be"
    )
    parser.add_argument(
        "programs", nargs="*", help="of both folders, all of them without; or others, by their paths"
    )
    options = parser.parse_args()
    bed, failed = Bed(options), False
    sources = [pathlib.Path(program).resolve() for program in options.programs if "/" in program] or sorted(
        (HERE / "inputs").iterdir()
    ) + sorted((HERE / "misleading").iterdir())
    asked = {pathlib.Path(program).name for program in options.programs}
    if unknown := asked - {name for source in sources for name in (source.stem, source.name)}:
        parser.error(f"no program {', '.join(sorted(unknown))} in inputs/ or misleading/")
    for source in sources:
        if asked.isdisjoint({source.stem, source.name}) and asked:
            continue
        if source.suffix == ".f90" and not (shutil.which("flang-19") or shutil.which("flang-new-19")):
            print(f"{source.name} is not tested: flang-19 was not found")
            continue
        tier, wrong = examine(
            bed, source, ("symbolic", "recognised") if source.parent.name == "inputs" else ("symbolic",)
        )
        if options.table:
            print(f"{source.name:24} {tier}", *wrong, sep="\n    " if wrong else "", flush=True)
            continue
        expected = said(source, "loops")
        if tier != expected or wrong:
            failed = True
            print(
                f"{source.name}: loops are {tier}, not {expected}" if tier != expected else source.name,
                *wrong, sep="\n    ",
            )
    sys.exit(failed)


if __name__ == "__main__":
    main()
