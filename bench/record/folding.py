#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures the size of a recording per rank: folded, with a million iterations of each example (or as many
calls, for programs without iterations), and with every event's own times (--keep-times), plain and compressed
by zstd or xz. Then measures the reading speed in events per second, of `parcast show --counts`, and of
unfolding the events one by one. Goals: 300 KB folded; 3 bytes per event compressed; 50 million events/s read.

    bench/record/folding.py [--build build/release] [--steps 999999] [--processes 2]"""
import argparse
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


def parse():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--build", default=str(ROOT / "build/release"))
    parser.add_argument("--steps", type=int, default=999999)
    parser.add_argument("--processes", type=int, default=2)
    return parser.parse_args()


def record(arguments, program, words, folder, *options):
    build = pathlib.Path(arguments.build)
    shutil.rmtree(folder, ignore_errors=True)
    began = time.monotonic()
    subprocess.run(
        [
            build / "bin/parcast", "record", "-q", "--no-store", *options, "-o", folder, "--", "mpirun",
            "--oversubscribe", "-n", str(arguments.processes), program, *words,
        ],
        check=True, stdout=subprocess.DEVNULL,
    )
    return time.monotonic() - began


def seconds_of(*command):
    """Returns the shortest of three times."""
    best = float("inf")
    for _ in range(3):
        began = time.monotonic()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        best = min(best, time.monotonic() - began)
    return best


def compressed(path):
    packer = ["zstd", "-19", "-c"] if shutil.which("zstd") else ["xz", "-c"]
    return len(subprocess.run([*packer, path], check=True, capture_output=True).stdout), packer[0]


def main():
    arguments = parse()
    build = pathlib.Path(arguments.build)
    parcast = build / "bin/parcast"
    idle = seconds_of(parcast, "--version")
    few = str(arguments.steps // 10)
    programs = {
        "shallow_water": (build / "bin/shallow_water", ["16", str(arguments.steps)], ["16", few]),
        "gauss": (build / "bin/gauss", ["3000"], ["3000"]),
    }
    for name, (path, long_run, short_run) in programs.items():
        if not path.exists():
            path = next(build.glob(f"**/{name}"))
        with tempfile.TemporaryDirectory(prefix="parcast-folding-") as work:
            folder = pathlib.Path(work) / "folded.recording"
            took = record(arguments, path, long_run, folder)
            counts = json.loads(
                subprocess.run(
                    [parcast, "show", folder, "--json"], check=True, capture_output=True, text=True
                ).stdout
            )
            events = max(rank["events"] for rank in counts["ranks"])
            every = sum(rank["events"] for rank in counts["ranks"])
            size = max(file.stat().st_size for file in folder.glob("rank-*.rec"))
            print(
                f"{name} {' '.join(long_run)}: {events:,} events per rank in {took:.1f} s,"
                f" {size / 1000:,.1f} KB per rank (goal 300)"
            )
            read = max(seconds_of(parcast, "show", folder, "--counts") - idle, 1e-4)
            print(f"  read: {every / read / 1e6:,.1f} million events/s (goal 50), {read * 1000:.0f} ms")
            full = pathlib.Path(work) / "times.recording"
            record(arguments, path, short_run, full, "--keep-times")
            counts = json.loads(
                subprocess.run(
                    [parcast, "show", full, "--json"], check=True, capture_output=True, text=True
                ).stdout
            )
            rank = counts["ranks"][0]["events"]
            size = (full / "rank-0.rec").stat().st_size
            packed, packer = compressed(full / "rank-0.rec")
            print(
                f"  every time kept, {' '.join(short_run)}: {size / rank:.2f} bytes per event,"
                f" {packed / rank:.2f} by {packer} (goal 3)"
            )
            every = sum(rank["events"] for rank in counts["ranks"])
            read = seconds_of(parcast, "show", full, "--counts") - idle
            listed = seconds_of(parcast, "show", full, "--events") - idle
            print(
                f"  read: {every / read / 1e6:,.1f} million events/s; listed one by one as text:"
                f" {every / listed / 1e6:,.2f}"
            )


if __name__ == "__main__":
    os.environ.setdefault("OMPI_MCA_btl_vader_single_copy_mechanism", "none")
    main()
