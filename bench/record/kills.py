#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Kills processes at random moments, each under the recorder. Tests that every file they leave can be read,
and contains every event that was complete at the end.

    bench/record/kills.py [--build build/release] [--kills 1000] [--mpicc mpicc] [--seed 1]

The program (kills.c) calls MPI without pause and keeps, outside the recording, in memory that outlives it,
how many of its calls have returned. The kernel ends it by SIGKILL after a random time. Of n calls that
returned, the file must hold at least n - 1 events after MPI_Init (the last one may have been under way), at
most n + 1, without a loss inside."""
import argparse
import collections
import json
import os
import pathlib
import random
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent


def run_once(program, recorder, folder, delay):
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    counter = folder / "counter"
    counter.write_bytes(bytes(8))
    environment = dict(
        os.environ, LD_PRELOAD=str(recorder), PARCAST_OUT=str(folder / "rec"), KILLS_COUNTER=str(counter),
        PARCAST_LIMIT="256M",
    )
    process = subprocess.Popen(
        [program], env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    while struct.unpack("Q", counter.read_bytes())[0] == 0 and process.poll() is None:
        time.sleep(0.002)  # MPI_Init has not returned
    time.sleep(delay)
    process.send_signal(signal.SIGKILL)
    process.wait()
    return struct.unpack("Q", counter.read_bytes())[0]


def events_in(parcast, folder):
    done = subprocess.run(
        [parcast, "show", folder / "rec", "--counts", "--json"], capture_output=True, text=True
    )
    if done.returncode not in (0, 3):
        return None, done.stderr
    answer = json.loads(done.stdout)
    calls = answer["ranks"][0]["calls"]
    return sum(count for name, count in calls.items() if name != "MPI_Init"), answer


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path("build/release"))
    parser.add_argument("--kills", type=int, default=1000)
    parser.add_argument("--mpicc", default="mpicc")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    build = options.build.resolve()
    draw = random.Random(options.seed)
    outcome = collections.Counter()
    least, most, calls = 0, 0, 0
    with tempfile.TemporaryDirectory(prefix="parcast-kills.") as name:
        work = pathlib.Path(name)
        subprocess.run([options.mpicc, "-O2", "-o", work / "kills", HERE / "kills.c"], check=True)
        for i in range(options.kills):
            returned = run_once(
                work / "kills", build / "lib/libparcast-record.so", work / "run", draw.uniform(0, 0.05)
            )
            events, answer = events_in(build / "bin/parcast", work / "run")
            if events is None:
                outcome["unreadable"] += 1
                print(f"kill {i}: {answer}", file=sys.stderr)
                continue
            gap = events - returned
            least, most, calls = min(least, gap), max(most, gap), calls + returned
            good = -1 <= gap <= 1
            outcome["whole" if good else "wrong"] += 1
            if not good:
                print(f"kill {i}: {returned} calls returned, {events} events", file=sys.stderr)
            if sys.stderr.isatty():
                print(f"\r{i + 1} of {options.kills}", end="", file=sys.stderr)
    print(
        f"{options.kills} kills, {calls} calls: "
        + ", ".join(f"{n} {what}" for what, n in sorted(outcome.items()))
        + f"; events less calls that returned: {least} to {most}"
    )
    return 0 if outcome["whole"] == options.kills else 1


sys.exit(main())
