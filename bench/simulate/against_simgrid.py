#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The same traces in SimGrid's replay and in ours, one after the other on this machine: seconds of the whole
processes, loading included, their ratio, and the run time by each. Needs libsimgrid-dev (smpirun).

    bench/simulate/against_simgrid.py [--build build/release] [--ranks 64,1024] [--operations 60000]
    [--patterns halo,doubling,...]

Both have links of 2.5 us and 0.4 ns a byte and of overheads of 1.5 us, and send up to 64 KiB at once. What
they make of it differs by assumption: SimGrid shares a link's bandwidth among the messages on it at a time (a
fluid model), ours serves one message after the other at a rank's interface, with a gap of 1 us; SimGrid
charges the overhead of a receive when it is posted, ours when the message is taken. The last column gives
what is left of the difference when neither has a bandwidth nor a gap (--set G=0, g=0; SimGrid with a
bandwidth of 1e18): then only overheads and latency act."""
import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import time

SPEED = 1e9  # flops per second: computing is written as operations


def parse():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path("build/release"))
    parser.add_argument("--ranks", default="64,1024")
    parser.add_argument("--operations", type=int, default=60000)
    parser.add_argument("--patterns", default="halo,doubling,wavefront,sparse")
    parser.add_argument("--patience", type=float, default=300, help="seconds for one replay")
    return parser.parse_args()


def timed(words, folder, patience):
    began = time.perf_counter()
    done = subprocess.run(list(map(str, words)), cwd=folder, capture_output=True, text=True, timeout=patience)
    if done.returncode != 0:
        sys.exit(f"{words}: exit {done.returncode}\n{done.stdout}{done.stderr}")
    return time.perf_counter() - began, done


def cluster(folder, ranks, bandwidth):
    """Writes hosts with a private link up and down each, half the latency on either."""
    name = f"cluster-{bandwidth}"
    (folder / f"{name}.xml").write_text(f"""<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1"><zone id="world" routing="Full">
<cluster id="c" prefix="n" suffix="" radical="0-{ranks - 1}" speed="{SPEED / 1e9}Gf"
         bw="{bandwidth}Bps" lat="1.25us"/>
</zone></platform>""")
    (folder / "hosts").write_text("".join(f"n{rank}\n" for rank in range(ranks)))
    return f"{name}.xml"


def replay(folder, ranks, platform, patience):
    words = [
        "smpirun", "-np", ranks, "-platform", folder / platform, "-hostfile", folder / "hosts", "-replay",
        "index.txt", "--cfg=smpi/os:0:1.5e-6:0", "--cfg=smpi/or:0:1.5e-6:0", "--cfg=smpi/ois:0:1.5e-6:0",
        "--cfg=smpi/async-small-thresh:65536", "--cfg=smpi/send-is-detached-thresh:65536",
        "--cfg=smpi/bw-factor:0:1", "--cfg=smpi/lat-factor:0:1", "--cfg=network/model:SMPI",
        "--cfg=network/crosstraffic:0", "--cfg=network/TCP-gamma:0", "--log=smpi_replay.thresh:info",
    ]
    seconds, done = timed(words, folder / "trace.ti", patience)  # the file that contains the index's names
    found = re.search(r"Simulation time ([0-9.e+-]+)", done.stdout + done.stderr)
    return seconds, float(found.group(1)) if found else float("nan")


def ours(parcast, folder, extra=()):
    flags = ["--set", "L=2.5us", "--set", "o=1.5us", "--set", "S=64KiB", *extra, "--json"]
    seconds, done = timed([parcast, "simulate", "--every-iteration", "trace.trace", *flags], folder, 600)
    return seconds, json.loads(done.stdout)["seconds"]


def compare(options, pattern, ranks):
    build = options.build.resolve()
    parcast = build / "bin/parcast"
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        subprocess.run(
            [
                build / "bench/simulate/parcast_simulate_bench", "--write", folder / "trace.trace", pattern,
                str(ranks), str(options.operations),
            ],
            check=True,
        )
        subprocess.run(
            [parcast, "export", "trace.trace", "--to", "trace.ti", "--flops", str(SPEED), "-q"], cwd=folder,
            check=True, capture_output=True,
        )
        our_seconds, our_time = min(
            ours(parcast, folder, ("--set", "G=0.4ns/B", "--set", "g=1us")) for _ in range(3)
        )
        their_seconds, their_time = replay(folder, ranks, cluster(folder, ranks, 2.5e9), options.patience)
        _, our_bare = ours(parcast, folder)
        _, their_bare = replay(folder, ranks, cluster(folder, ranks, 1e18), options.patience)
    print(
        (
            f"{pattern:<10}{ranks:>6}{our_seconds:>10.3f} s{their_seconds:>10.2f} s"
            f"{their_seconds / our_seconds:>9.0f}x"
            f"{our_time * 1e3:>12.4f} ms{their_time * 1e3:>12.4f} ms"
            f"{100 * (our_time / their_time - 1):>+8.2f} %"
            f"{100 * (our_bare / their_bare - 1):>+10.3f} %"
        ),
        flush=True,
    )


def main():
    options = parse()
    print(
        f"{'pattern':<10}{'ranks':>6}{'ours':>12}{'SimGrid':>12}{'faster':>10}{'ours':>15}"
        f"{'SimGrid':>15}{'differs':>10}{'latency only':>12}"
    )
    for pattern in options.patterns.split(","):
        for ranks in options.ranks.split(","):
            compare(options, pattern, int(ranks))


main()
