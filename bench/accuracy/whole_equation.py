#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Do other systems get from a model's whole equation what Parcast gets? `parcast explain --as` writes it in
Maple's language, in JavaScript and in C++, with all its machine costs as variables and, last, the values as
asked. Giac (in Maple's mode, 20 digits), Duktape and the C++ compiler evaluate that, against `parcast predict
--json` of the same question.

    bench/accuracy/whole_equation.py M.model.json --machine X -p 2 -p 16 -s N=512 -s steps=200 [--build
    build/release] [--tolerance 1e-12]

Every -p is evaluated separately. The exit code is 1 if a relative difference exceeds the tolerance, or a
system returns no number."""
import argparse
import json
import math
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile


def by_giac(text, call, folder):
    """The sum of the equation's terms, each by itself: Giac 1.9 crashes on the largest equations in one
    piece."""
    names = re.search(r"^total := \((.*?)\) ->", text, re.M).group(1).split(", ")
    values = dict(zip(names, call.removeprefix("total(").removesuffix(")").split(", "), strict=True))
    terms = []
    for name, arguments, definition in re.findall(r"^(term_\d+) := \((.*?)\) -> (.*):$", text, re.M):
        if not arguments:  # a number
            terms.append(float(definition))
            continue
        source = folder / f"{name}.mpl"
        source.write_text(
            f"maple_mode(1);\nDigits := 20:\n{name} := ({arguments}) -> {definition}:\n"
            f"evalf({name}({', '.join(values[each] for each in arguments.split(', '))}), 20);\n"
        )
        terms.append(
            last_number(
                subprocess.run(
                    ["giac", source], stdin=subprocess.DEVNULL, capture_output=True, text=True
                ).stdout
            )
        )
    return f"{math.fsum(terms):.17g}"


def by_duktape(text, call, folder):
    source = folder / "equation.js"
    source.write_text(f"{text}\nprint({call});\n")
    return subprocess.run(["duk", source], capture_output=True, text=True).stdout


def by_compiler(text, call, folder):
    source = folder / "equation.cpp"
    source.write_text(f'#include <cstdio>\n{text}\nint main() {{ std::printf("%.17g\\n", {call}); }}\n')
    subprocess.run(["c++", "-std=c++17", "-O0", "-o", folder / "equation", source], check=True)
    return subprocess.run([folder / "equation"], capture_output=True, text=True).stdout


SYSTEMS = {"maple": ("giac", by_giac), "javascript": ("duk", by_duktape), "c++": ("c++", by_compiler)}


def said(command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(done.stderr.strip())
    return done.stdout


def last_number(output):
    for line in reversed(output.splitlines()):
        try:
            return float(line.replace(".-0", ".0"))  # Giac prints zero as 0.-00
        except ValueError:
            continue
    return float("nan")


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("model", type=pathlib.Path)
    parser.add_argument("--machine", required=True)
    parser.add_argument("-p", dest="processes", action="append", required=True)
    parser.add_argument("-s", dest="values", action="append", default=[])
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path("build/release"))
    parser.add_argument("--tolerance", type=float, default=1e-12)
    args = parser.parse_args()
    parcast = args.build / "bin/parcast"
    for program, _ in SYSTEMS.values():
        if not shutil.which(program):
            sys.exit(f"{program} is missing; tools/setup installs it")
    worst = 0.0
    for processes in args.processes:
        question = [args.model, "-m", args.machine, "-p", processes] + [
            word for value in args.values for word in ("-s", value)
        ]
        predicted = json.loads(said([parcast, "predict", *question, "--engine", "equation", "--json"]))[
            "seconds"
        ]["value"]
        for language, (program, evaluate) in SYSTEMS.items():
            text = said([parcast, "explain", *question, "--as", language])
            call = re.search(r"as asked: (total\(.*\)) = \S+", text).group(1)
            with tempfile.TemporaryDirectory() as folder:
                value = last_number(evaluate(text, call, pathlib.Path(folder)))
            difference = abs(value / predicted - 1)
            worst = max(worst, difference) if difference == difference else float("inf")
            print(
                f"p = {processes}: {program:4} {value:.15g} s, parcast {predicted:.15g} s, they differ by"
                f" {difference:.1e}; {len(text)} characters, {call.count(',') + 1} variables"
            )
    print(f"largest relative difference {worst:.1e}")
    return int(not worst <= args.tolerance)


if __name__ == "__main__":
    sys.exit(main())
