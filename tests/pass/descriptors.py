#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Facts of the functions in descriptors/ and data/, against the expectations in their source (CHECK lines of
FileCheck, of the text of dump.py, of data/ with --data). They are written by hand from the source: `rounds =
?` where the pass derives nothing, never where it derives something wrong."""
import pathlib
import shutil
import subprocess
import sys

from counted import COMPILERS, options_of

HERE = pathlib.Path(__file__).resolve().parent


def main():
    options = options_of(__doc__)
    wrong, checked = [], 0
    for source in sorted([*(HERE / "descriptors").iterdir(), *(HERE / "data").iterdir()]):
        compiler = next(filter(shutil.which, COMPILERS[source.suffix]), None)
        if not compiler:
            print(f"{source.name}: not checked, {COMPILERS[source.suffix][0]} was not found")
            continue
        target = options.work / f"{source.name}.o"
        subprocess.run(
            [
                compiler, f"-fpass-plugin={options.plugin}", "-gline-tables-only", "-O2", "-c", source, "-o",
                target,
            ],
            check=True,
        )
        mode = ["--data"] if source.parent.name == "data" else []
        text = subprocess.run(
            [sys.executable, HERE / "dump.py", *mode, target], check=True, capture_output=True
        ).stdout
        (options.work / f"{source.name}.txt").write_bytes(text)
        done = subprocess.run(
            [options.filecheck, "--match-full-lines", "--dump-input=fail", source], input=text,
            capture_output=True,
        )
        checked += 1
        if done.returncode:
            wrong.append(f"{source.name}\n{done.stderr.decode()}")
    print(f"{checked} files checked")
    if wrong or not checked:
        sys.exit("\n".join(wrong or ["nothing was checked"]))


if __name__ == "__main__":
    main()
