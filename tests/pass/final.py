#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Facts of the final code of the programs in final/, against the expectations in their source (lines of
FileCheck, of the text of dump.py --final), and against the compiler's own remarks: each loop that it reports
as vectorised has that width and interleaving in the facts, and no other loop has a width beyond 1. The first
lines of a source give its compilation: `BUILD PREFIX = OPTIONS`."""
import collections
import json
import pathlib
import re
import shutil
import subprocess
import sys

from counted import COMPILERS, facts_of, options_of

HERE = pathlib.Path(__file__).resolve().parent
REMARK = re.compile(
    r"([^/\s:]+):(\d+):\d+: remark: vectorized loop \(vectorization width: (\d+), interleaved count: (\d+)\)"
)


def remarked(text):
    """(file, line) -> (width, interleave) of the loops there, as often as the compiler reports them."""
    loops = collections.defaultdict(set)
    for file, line, width, interleave in REMARK.findall(text):
        loops[file, int(line)].add((int(width), int(interleave)))
    return loops


def loops_of(target):
    loops = collections.defaultdict(set)
    for module in facts_of(target).values():
        for f, l, width, interleave in module.get("final", {}).get("loops", []):
            at = module["functions"][f]["loops"][l]["at"]
            if width > 1 and at:
                file, line = at[0]
                loops[pathlib.PurePath(file).name, line].add((width, interleave))
    return loops


def differences(remarks, facts):
    for at in sorted(remarks.keys() | facts.keys()):
        said, seen = remarks.get(at, set()), facts.get(at, set())
        if {width for width, _ in said} != {width for width, _ in seen} or any(
            pair not in said for pair in seen if pair[1] is not None
        ):
            yield f"{at[0]}:{at[1]}: the compiler says {sorted(said)}, the facts {sorted(seen, key=str)}"


def check(source, prefix, words, options):
    compiler = next(filter(shutil.which, COMPILERS[source.suffix]))
    target = options.work / f"{source.name}-{prefix}.o"
    done = subprocess.run(
        [
            compiler, f"-fpass-plugin={options.plugin}", "-gline-tables-only", "-Rpass=loop-vectorize",
            *words, "-c", source, "-o", target,
        ],
        capture_output=True, text=True,
    )
    if done.returncode:
        yield f"{source.name} {prefix} is not compiled\n{done.stderr}"
        return
    text = subprocess.run(
        [sys.executable, HERE / "dump.py", "--final", target], check=True, capture_output=True
    ).stdout
    (options.work / f"{source.name}-{prefix}.txt").write_bytes(text)
    (options.work / f"{source.name}-{prefix}.remarks").write_text(done.stderr)
    found = subprocess.run(
        [
            options.filecheck, "--match-full-lines", "--dump-input=fail", f"--check-prefixes=CHECK,{prefix}",
            "--allow-unused-prefixes", source,
        ],
        input=text, capture_output=True,
    )
    if found.returncode:
        yield f"{source.name} {prefix}\n{found.stderr.decode()}"
    yield from differences(remarked(done.stderr), loops_of(target))


def check_later(options):
    """Code that a linker goes on with has no facts and no marks; pragmas of a loop hold; the same source
    gives the same bytes."""
    source = HERE / "final" / "vectors.c"
    for kind in ("-flto", "-flto=thin"):
        target = options.work / f"vectors{kind}.ll"
        subprocess.run(
            [
                "clang-19", f"-fpass-plugin={options.plugin}", "-O2", "-gline-tables-only", kind, "-S",
                "-emit-llvm", source, "-o", target,
            ],
            check=True,
        )
        text = target.read_text()
        if "parcast.loop" in text:
            yield f"{kind}: marks of loops are left"
        if '\\22final\\22' in text:
            yield f"{kind}: facts describe code that is not final"
    target = options.work / "searched.s"
    subprocess.run(
        ["clang-19", f"-fpass-plugin={options.plugin}", "-O2", "-S", source, "-o", target], check=True
    )
    looked = len(
        re.findall(
            r"\b(?:cmp|test)l\b",
            re.search(r"^searched:.*?cfi_endproc", target.read_text(), re.MULTILINE | re.DOTALL).group(),
        )
    )
    if looked > 6:  # four in a round, and one before the first
        yield f"a loop that is to be unrolled four times has {looked} comparisons"
    made = []
    for number in range(2):
        target = options.work / f"again-{number}.o"
        subprocess.run(
            [
                "clang-19", f"-fpass-plugin={options.plugin}", "-O2", "-gline-tables-only", "-c", source,
                "-o", target,
            ],
            check=True,
        )
        made.append(target.read_bytes())
    if made[0] != made[1]:
        yield "the same source gives other bytes"
    for identity, module in facts_of(options.work / "again-0.o").items():
        if not module.get("final", {}).get("loops"):
            yield f"{identity}: no facts describe {json.dumps(module['source'])}"


def main():
    options = options_of(__doc__)
    wrong, checked = list(check_later(options)), 0
    for source in sorted((HERE / "final").iterdir()):
        if not any(map(shutil.which, COMPILERS[source.suffix])):
            print(f"{source.name}: not checked, {COMPILERS[source.suffix][0]} was not found")
            continue
        for prefix, words in re.findall(r"^\S+ BUILD (\w+) = (.*)$", source.read_text(), re.MULTILINE):
            wrong += check(source, prefix, words.split(), options)
            checked += 1
    print(f"{checked} builds checked")
    if wrong or not checked:
        sys.exit("\n".join(wrong or ["nothing was checked"]))


if __name__ == "__main__":
    main()
