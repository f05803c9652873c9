#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Damaged inputs to complete verbs: mutants of seed files, each read by `parcast` under limits of memory and
time.

    tests/fuzz/mutants.py --bin build/ci/bin --count 5000 --jobs 2
    tests/fuzz/mutants.py --bin build/ci/bin --count 400 --only model,goal
    tests/fuzz/mutants.py --bin build/ci/bin --replay model:1234 --keep /tmp/case

A mutant is identified by its kind and number: the same numbers give the same bytes wherever the seeds are the
same. Seeds that a build makes (recordings, models, archives, a store) are made anew for each campaign in
--work. Found is, and makes the exit code 1:

    crash       the verb ended by a signal
    internal    "internal error", or memory exhausted, on stderr
    number      nan or inf among the results of a verb that answered (exit code 0 or 3), also in a repeated
                text of the input: check each
    memory      more than 64 MiB + 16 times the input resident, in the verb or a child process
    control     a byte on stdout or stderr that controls a terminal, or that is not UTF-8 (stdout of --csv is
                data, and passes)
    time        more than 60 s of processor time, or ten minutes
    code        an exit code that is not in the help text"""
import argparse
import collections
import concurrent.futures
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile

import mutant_seeds

UNDER_LIMITS = str(pathlib.Path(__file__).resolve().parent / "under_limits.py")
WALL_SECONDS = 600
LOOKED_AT = 4 << 20  # bytes of output
ALLOWED_BYTES, ALLOWED_PER_BYTE = 64 << 20, 16
NUMBER = re.compile(rb"(?<![\w./'\"<>=\\-])[-+]?(nan|inf)(?![\w./'\"=-]|, which is left out)", re.I)
CONTROL = re.compile(
    rb"[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]|\xe2\x80[\x8b-\x8f\xa8-\xae]|\xe2\x81[\xa0-\xaf]|\xef\xbb\xbf"
)
CODES = {0, 1, 2, 3, 4}

Run = collections.namedtuple("Run", "code out err peak seconds")


def run(command, folder):
    """Runs a command with output to files, since a verb may print more than a pipe holds. Only the first
    megabytes are checked."""
    temporary = tempfile.TemporaryFile
    with temporary() as out, temporary() as err, tempfile.NamedTemporaryFile() as report:
        child = subprocess.Popen(
            [sys.executable, "-SE", UNDER_LIMITS, report.name] + command, cwd=folder,
            stdin=subprocess.DEVNULL, stdout=out, stderr=err, start_new_session=True,
            env={**os.environ, "LC_ALL": "C.UTF-8", "NO_COLOR": "1", "PARCAST_STORE": "none.db"},
        )
        try:
            child.wait(WALL_SECONDS)
        except subprocess.TimeoutExpired:
            os.killpg(child.pid, signal.SIGKILL)
            child.wait()
        for stream in out, err:
            stream.seek(0)
        code, peak, seconds = (report.read().split() or [-signal.SIGKILL, 0, 0])[:3]
        return Run(int(code), out.read(LOOKED_AT), err.read(LOOKED_AT), int(peak), float(seconds))


def is_utf8(text):
    """Returns whether the text is UTF-8, except a character cut at the end of the checked part."""
    try:
        text.decode()
        return True
    except UnicodeDecodeError as broken:
        return len(text) == LOOKED_AT and broken.start >= LOOKED_AT - 3


def faults(result, command, size, baseline):
    if result.code in (-signal.SIGXCPU, -signal.SIGKILL):
        return ["time"]
    found = []
    if result.code < 0 or result.code >= 128:
        found.append(f"crash {result.code}")
    elif result.code not in CODES:
        found.append(f"code {result.code}")
    if b"internal error" in result.err or b"memory is exhausted" in result.err:
        found.append("internal")
    if result.code in (0, 3) and NUMBER.search(result.out):
        found.append("number")
    if result.peak > max(ALLOWED_BYTES, baseline) + ALLOWED_PER_BYTE * size:
        found.append(f"memory {result.peak >> 20} MiB")
    texts = [result.err] if "--csv" in command else [result.out, result.err]
    if any(CONTROL.search(text) or not is_utf8(text) for text in texts):
        found.append("control")
    return found


class Campaign:
    def __init__(self, options, kinds):
        self.options, self.kinds = options, kinds
        self.parcast = str(pathlib.Path(options.bin).resolve() / "parcast")
        self.baseline = run([self.parcast, "--version"], ".").peak

    def one(self, kind, number, keep=None):
        """Returns the faults of a mutant, its command and the result."""
        rng = random.Random(f"{self.options.seed}:{kind.name}:{number}")
        folder = pathlib.Path(keep or tempfile.mkdtemp(prefix="mutant-", dir=self.options.work))
        try:
            seed = rng.choice(kind.seeds)
            size, changes = seed.place(rng, folder)
            command = [self.parcast] + seed.words(rng.choice(kind.commands), self.options.shared)
            result = run(command, folder)
            wrong = faults(result, command, size, self.baseline)
            return wrong, command[1:], result if keep else result._replace(out=b"", err=b""), changes
        finally:
            if not keep:
                shutil.rmtree(folder, ignore_errors=True)

    def all(self):
        """Alternates the kinds, so that an interrupted campaign has tried all of them."""
        share = -(-self.options.count // len(self.kinds))
        jobs = [
            (kind, number)
            for number in range(self.options.first, self.options.first + share)
            for kind in self.kinds
        ]
        answered, found = collections.Counter(), []
        with concurrent.futures.ThreadPoolExecutor(self.options.jobs) as pool:
            for (kind, number), (wrong, command, result, changes) in zip(
                jobs, pool.map(lambda job: self.one(*job), jobs)
            ):
                answered[kind.name, {1: "refused", 2: "usage"}.get(result.code, "answered")] += 1
                for fault in wrong:
                    found.append((kind.name, number, fault))
                    print(f"{kind.name}:{number}  {fault}  {' '.join(command)}  [{changes}]", flush=True)
        return answered, found


def tell(campaign, answered, found):
    print(
        f"\npeak of `parcast --version`: {campaign.baseline >> 20} MiB; allowed: {ALLOWED_BYTES >> 20} MiB +"
        f" {ALLOWED_PER_BYTE} x input"
    )
    for kind in campaign.kinds:
        print(
            f"  {kind.name:<12} {answered[kind.name, 'answered']:6} answered"
            f" {answered[kind.name, 'refused']:6} refused {answered[kind.name, 'usage']:5} usage"
            f" {sum(each[0] == kind.name for each in found):4} found"
        )
    print(f"{sum(answered.values())} mutants, {len(found)} found")


def replay(campaign, which):
    name, number = which.split(":")
    kind = next(each for each in campaign.kinds if each.name == name)
    folder = pathlib.Path(campaign.options.keep or tempfile.mkdtemp(prefix="mutant-"))
    folder.mkdir(parents=True, exist_ok=True)
    wrong, command, result, changes = campaign.one(kind, int(number), folder)
    print(
        f"in {folder}: parcast {' '.join(command)}\n[{changes}]\nexit {result.code}, {result.peak >> 20} MiB,"
        f" {result.seconds:.1f} s; {', '.join(wrong) or 'nothing found'}"
    )
    sys.stdout.flush()
    sys.stdout.buffer.write(
        result.out[:3000].replace(b"\x1b", b"<ESC>") + b"\n" + result.err[:3000].replace(b"\x1b", b"<ESC>")
    )
    return 1 if wrong else 0


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--bin", required=True, help="folder of parcast")
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--first", type=int, default=0, help="number of the first mutant of each kind")
    parser.add_argument("--seed", default="1")
    parser.add_argument("--only", default="", help="kinds, with commas")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument(
        "--work", default=None, help="folder for seeds and mutants (default: a temporary one)"
    )
    parser.add_argument("--replay", help="KIND:NUMBER")
    parser.add_argument("--keep", help="with --replay: where the mutant is put")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="mutants-") as temporary:
        options.work = str(pathlib.Path(options.work or temporary).resolve())
        pathlib.Path(options.work).mkdir(parents=True, exist_ok=True)
        kinds, options.shared = mutant_seeds.prepare(
            pathlib.Path(options.bin).resolve(), pathlib.Path(options.work)
        )
        wanted = [name for name in options.only.split(",") if name]
        unknown = set(wanted) - {kind.name for kind in kinds}
        if unknown:
            sys.exit(
                f"mutants: error: no seeds of {', '.join(sorted(unknown))}; there are"
                f" {', '.join(kind.name for kind in kinds)}"
            )
        campaign = Campaign(options, [kind for kind in kinds if not wanted or kind.name in wanted])
        if options.replay:
            sys.exit(replay(campaign, options.replay))
        answered, found = campaign.all()
        tell(campaign, answered, found)
        sys.exit(1 if found else 0)


main()
