#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the commands of the manual, page by page in reading order, in one fresh folder.

    tests/manual/run.py --build BUILD [--until PAGE] [--keep] [--verbose]

Pages are those that docs/manual/README.md links to. Of a page,
    ```console            lines that begin with `$ ` are commands (a backslash continues one); the lines after
                          a command
                          are lines of its output, in order, others may be between them. Blanks count as one,
                          `...` matches anything, `[...]` marks left out lines, `[exit N]` is the expected
                          exit code (else 0)
    ```console measured   likewise, but a number, with its unit, matches any other
    ```console needs TOOL run where TOOL is in PATH
    ```console not run    printed, not run: commands that build or install Parcast, which other tests do
    ```LANGUAGE file=NAME the block is written to the file NAME
Commands in other blocks are an error, and so are links to missing files. With srun missing, `launchers/srun`
starts the processes by mpirun."""
import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
MANUAL = ROOT / "docs" / "manual"
LIMIT_SECONDS = 100
FENCE = re.compile(r"^```(.*)$")
LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")
UNIT = r"(?: ?(?:[numk]?s|min|h|node-s|node-min|node-h|[kMGT]?i?B|%|ns/B|[kMG]B/s|G operations/s)\b)?"
NUMBER = re.compile(r"[<+-]?\d[\d.,]*(?:e[-+]?\d+)?" + UNIT)
ANY_NUMBER = r"[<+-]?\d[\d.,]*(?:e[-+]?\d+)?" + UNIT


class Fault(Exception):
    """A difference between the manual and the program."""


def pages():
    """Returns the pages of the manual in reading order, without the generated reference."""
    names = LINK.findall((MANUAL / "README.md").read_text())
    found = [MANUAL / name for name in names if name.endswith(".md") and "/" not in name]
    left = set(MANUAL.glob("*.md")) - set(found) - {MANUAL / "README.md"}
    if left:
        raise Fault(
            f"docs/manual/README.md: error: has no link to {', '.join(sorted(page.name for page in left))}"
        )
    return found


def blocks(page):
    """Yields (line number, words after the fence, lines) of each fenced block."""
    info, lines, start = None, [], 0
    for number, line in enumerate(page.read_text().splitlines(), 1):
        fence = FENCE.match(line)
        if fence and info is None:
            info, lines, start = fence.group(1).strip(), [], number
        elif fence:
            yield start, info, lines
            info = None
        elif info is not None:
            lines.append(line)
    if info is not None:
        raise Fault(f"{place(page, start)}: error: the block has no end")


def commands(lines, start):
    """Yields (line number, command, expected exit code, expected lines)."""
    at = 0
    while at < len(lines):
        number, line = start + 1 + at, lines[at]
        at += 1
        if not line.startswith("$ "):
            if line.strip():
                raise Fault(f"line {number}: error: output without a command")
            continue
        command = line[2:]
        while command.endswith("\\"):
            command, at = f"{command}\n{lines[at]}", at + 1
        expected, code = [], 0
        while at < len(lines) and not lines[at].startswith("$ "):
            ending = re.fullmatch(r"\[exit (\d+)\]", lines[at].strip())
            if ending:
                code = int(ending.group(1))
            elif lines[at].strip() and lines[at].strip() != "[...]":
                expected.append(lines[at])
            at += 1
        yield number, command, code, expected


def pattern(line, measured):
    """Returns the expression that an entire output line has to match."""
    out = ""
    for part in re.split(r"( ?\.\.\. ?)", " ".join(line.split())):
        if part.strip() == "...":
            out += ".*"
        elif measured:
            at = 0
            for number in NUMBER.finditer(part):
                out += re.escape(part[at:number.start()]) + ANY_NUMBER
                at = number.end()
            out += re.escape(part[at:])
        else:
            out += re.escape(part)
    return re.compile(re.sub(r"(?:\\?#)+(?:\\ )?", "#* ?", out) if measured else out)


def first_missing(expected, output, measured):
    """Returns the first expected line that is not in the output after those before it, or None."""
    lines = iter([" ".join(line.split()) for line in output.splitlines()])
    for line in expected:
        wanted = pattern(line, measured)
        if not any(wanted.fullmatch(have) for have in lines):
            return line
    return None


def place(page, number):
    return f"{page.relative_to(ROOT)}:{number}"


class Session:
    """A fresh folder, and the programs of one build tree."""

    def __init__(self, build, verbose):
        self.work = pathlib.Path(tempfile.mkdtemp(prefix="parcast-manual-"))
        self.verbose = verbose
        self.ran = self.skipped = 0
        build = pathlib.Path(build).resolve()
        kept = {
            name: value for name, value in os.environ.items()
            if not name.startswith(("PARCAST_", "SLURM_")) and name != "COLUMNS"
        }
        path = f"{build / 'bin'}:{build / 'examples'}:{kept['PATH']}"
        if shutil.which("srun", path=path) is None:
            path += f":{pathlib.Path(__file__).resolve().parent / 'launchers'}"
        self.environment = {
            **kept, "PATH": path, "LC_ALL": "C.UTF-8", "TERM": "dumb", "NO_COLOR": "1",
            "XDG_CONFIG_HOME": "/nonexistent", "PARCAST_SOURCE": str(ROOT),
            "PARCAST_LIBRARIES": str(build / "lib"), "CPATH": str(ROOT / "include"),
            "LIBRARY_PATH": str(build / "lib"), "LD_RUN_PATH": str(build / "lib"),
            "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
        }

    def run(self, command):
        done = subprocess.run(
            ["bash", "-c", command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL, text=True, errors="replace", cwd=self.work, env=self.environment,
            timeout=LIMIT_SECONDS,
        )
        return done.returncode, done.stdout

    def check_command(self, where, command, code, expected, measured):
        begun = time.monotonic()
        try:
            have, output = self.run(command)
        except subprocess.TimeoutExpired:
            raise Fault(f"{where}: error: `{command}` took longer than {LIMIT_SECONDS} s") from None
        self.ran += 1
        if self.verbose:
            print(
                f"--- {where} $ {command}    [{time.monotonic() - begun:.1f} s, exit {have}]\n{output}",
                flush=True,
            )
        if have != code:
            raise Fault(f"{where}: error: `{command}` ended with {have}, not {code}; it printed:\n{output}")
        missing = first_missing(expected, output, measured)
        if missing is not None:
            raise Fault(
                f"{where}: error: `{command}` did not print the line\n{missing}\nIt printed:\n{output}"
            )

    def check_block(self, page, start, info, lines):
        """Returns the faults of one block; commands after a wrong one still run."""
        file = re.search(r"\bfile=(\S+)", info)
        if file:
            (self.work / file.group(1)).write_text("\n".join(lines) + "\n")
        elif info == "console not run":
            self.skipped += sum(line.startswith("$ ") for line in lines)
        elif info.startswith("console needs ") and shutil.which(info.split()[2]) is None:
            self.skipped += sum(line.startswith("$ ") for line in lines)
        elif info in {"console", "console measured"} or info.startswith("console needs "):
            faults = []
            for number, command, code, expected in commands(lines, start):
                try:
                    self.check_command(
                        place(page, number), command, code, expected, info.endswith("measured")
                    )
                except Fault as fault:
                    faults.append(str(fault))
            return faults
        else:
            return [f"{place(page, at)}: error: a command outside of a console block is not tested"
                    for at, line in enumerate(lines, start + 1) if re.match(r"\s*(?:\$ |parcast )", line)]
        return []


def broken_links(page):
    return [
        f"{place(page, number)}: error: {target} does not exist"
        for number, line in enumerate(page.read_text().splitlines(), 1)
        for target in LINK.findall(line)
        if not re.match(r"[a-z]+:", target) and not (page.parent / target).exists()
    ]


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--build", required=True)
    parser.add_argument("--until", help="the last page to run, e.g. predicting")
    parser.add_argument("--keep", action="store_true", help="do not remove the folder")
    parser.add_argument("--verbose", action="store_true", help="print every command with its output")
    arguments = parser.parse_args()
    if shutil.which("mpif90") is None or shutil.which("mpicc") is None:
        print("mpicc or mpif90 is missing")
        return 77
    session = Session(arguments.build, arguments.verbose)
    faults = []
    try:
        for page in [MANUAL / "README.md", *pages()]:
            begun = time.monotonic()
            found = broken_links(page)
            for start, info, lines in blocks(page):
                found += session.check_block(page, start, info, lines)
            print("\n".join(found), file=sys.stderr, end="\n" if found else "", flush=True)
            faults += found
            print(f"{page.name}: {time.monotonic() - begun:.1f} s", flush=True)
            if page.stem == arguments.until:
                break
        print(f"{session.ran} commands, {session.skipped} not run, {len(faults)} faults")
    except Fault as fault:
        print(fault, file=sys.stderr)
        return 1
    finally:
        if arguments.keep:
            print(session.work)
        else:
            shutil.rmtree(session.work, ignore_errors=True)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
