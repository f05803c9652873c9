#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests recordings of generated MPI programs with known events: whether a recording contains all of them, in
order and with plausible times.

    bench/record/causality.py [--build build/release] [--mpi open_mpi|mpich] [--programs 1000] [--seed 1]
    [--processes 2..6]

Programs are scripts (causality_scripts.py) carried out by one C program (tests/record/programs/script.c)
under `parcast record`; an interpreter of its own computes what the recording must contain
(causality_expected.py). Compared are, per rank and in order: calls, partners, tags, bytes, members of
communicators, roots, which start a completion belongs to, whom a receive from any source heard, regions,
loops of polls. By time, ranks of a host on one line: no call of a thread begins before the one before it has
ended; no message is there before its sending began, no synchronous send over before its receive was posted,
no synchronising collective over before its last member came. Prints what was checked, and the first
difference in full; exit code 1 when there is one."""
import argparse
import collections
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from causality_expected import POLLS, Contradiction, Event, expected  # noqa: E402
from causality_scripts import Program  # noqa: E402

LAUNCH = {"open_mpi": ["mpirun", "--oversubscribe", "-n"], "mpich": ["mpirun.mpich", "-n"]}
ALL_FOR_ALL = {"barrier", "allreduce", "allgather", "alltoall", "reduce_scatter_block"}
SLACK = 200  # nanoseconds: the uncertainty of a rank's time origin is some tens of them


class Difference(Exception):
    pass


class LibraryFails(Exception):
    """The launch also fails without the recorder."""


def shown(event):
    """Returns the fields to compare, as a text to print."""
    parts = (
        [event.call] + (["continued"] if event.continued else [])
        + ([f"x{event.calls}"] if event.calls > 1 else [])
    )
    parts += [f"in {event.region or '-'}"]
    for name in ("send", "receive"):
        if getattr(event, name):
            parts.append("{} peer={} tag={} bytes={}".format(name, *getattr(event, name)))
    if event.collective:
        parts.append("root={} bytes={} received={}".format(*event.collective))
    parts += [f"request={event.request}"] if event.request else []
    return " ".join(
        parts
        + [
            f"done={number}" + (f"(source={what[0]} tag={what[1]} bytes={what[2]})" if what else "")
            for number, what in event.done
        ]
    )


def without_loops(events):
    """Joins consecutive unsuccessful polls of one kind into one event, since a recorder may or may not join
    them."""
    out = []
    for event in events:
        if (
            out
            and event.poll()
            and out[-1].poll()
            and (event.call, event.region) == (out[-1].call, out[-1].region)
        ):
            out[-1].calls += event.calls
            out[-1].exit = event.exit
        else:
            out.append(event)
    return out


def message_of(item, key):
    return (item[key]["peer"], item[key]["tag"], item[key]["bytes"]) if key in item else None


class Recorded:
    """A rank of a recording: events in order, requests by the order of their start."""

    def __init__(self, answer, rank):
        head = answer["ranks"][rank]
        self.rank, self.communicators = rank, [tuple(m) for m in head["communicators"]]
        self.zero = round(head["zero"] * 1e9)
        self.serials, self.events, threads = {}, [], {}
        for item in answer["events"]:
            if item["rank"] == rank:
                self.events.append(self.event(item, threads))

    def event(self, item, threads):
        enter, exit_ = round(item["enter"] * 1e9), round(item["exit"] * 1e9)
        before = threads.get(item["thread"])
        if exit_ < enter or (before is not None and enter < before):
            raise Difference(
                f"rank {self.rank}: {item['call']} from {enter} to {exit_} ns, after a call that ended at"
                f" {before}"
            )
        threads[item["thread"]] = exit_
        serial = item.get("request")
        if serial is not None and item["call"] == "MPI_Cancel":  # it names a request that another call began
            if serial not in self.serials:
                raise Difference(f"rank {self.rank}: MPI_Cancel of the request {serial}, which no call began")
            serial = None
        if serial is not None:
            if serial in self.serials:
                raise Difference(f"rank {self.rank}: two requests have the number {serial}")
            self.serials[serial] = len(self.serials) + 1
        done = [
            (
                self.serials.get(d["request"], f"unknown {d['request']}"),
                (d["source"], d["tag"], d["bytes"]) if "source" in d else None,
            )
            for d in item.get("done", [])
        ]
        collective = item.get("collective")
        event = Event(
            item["call"], item["region"],
            comm=item.get("communicator", collective and collective["communicator"]),
            send=message_of(item, "send"), receive=message_of(item, "receive"), created=item.get("created"),
            collective=collective and (collective["root"], collective["bytes"], collective["received_bytes"]),
            request=serial and self.serials[serial], done=done, continued=item.get("continued", False),
            calls=item.get("repeats", 1),
        )
        event.enter, event.exit = self.zero + enter, self.zero + exit_
        return event


class Totals(collections.Counter):
    """What was checked; the closest call of each kind, in nanoseconds."""

    def __init__(self):
        super().__init__()
        self.least = {}

    def margin(self, what, nanoseconds, sentence):
        self[what] += 1
        self.least[what] = min(nanoseconds, self.least.get(what, nanoseconds))
        if nanoseconds < -SLACK:
            raise Difference(f"{sentence}, {-nanoseconds} ns too early")


def compare_rank(rank, wanted, recorded, whole, numbers):
    """Compares `wanted` with the same number of recorded events; `numbers`: communicator of the script -> of
    the recording."""
    for i, (want, have) in enumerate(zip(wanted, recorded.events)):
        problem = None
        if shown(want) != shown(have):
            problem = f"expected  {shown(want)}\n  recorded  {shown(have)}"
        elif (want.created is None) != (have.created is None):
            problem = f"expected  communicator {want.created} made\n  recorded  {have.created}"
        for ours, theirs in ((want.created, have.created), (want.comm, have.comm)) if not problem else ():
            if ours is None:
                continue
            members = (
                recorded.communicators[theirs]
                if theirs is not None and theirs < len(recorded.communicators)
                else None
            )
            if members != tuple(whole.members[ours]) or numbers.setdefault(ours, theirs) != theirs:
                problem = (
                    f"expected  communicator {ours} of {whole.members[ours]}\n  recorded  {theirs} of"
                    f" {members}"
                )
        if problem:
            before = "\n".join(f"            {shown(event)}" for event in recorded.events[max(0, i - 4):i])
            raise Difference(
                f"rank {rank}, event {i} of this program, from the line `{want.origin}`\n  recorded"
                f" before\n{before}\n  {problem}"
            )
        want.enter, want.exit = have.enter, have.exit


def check_times(events, whole, totals):
    for event in (event for of_rank in events for event in of_rank):
        for number in filter(None, event.messages):
            given = whole.messages[number].given
            totals.margin(
                "message after its sending began", event.exit - given.enter,
                f"`{event.origin}` has message {number} before `{given.origin}`",
            )
        for number in event.synchronous:
            taken = whole.messages[number].taken
            if taken:
                totals.margin(
                    "synchronous send after its receive", event.exit - taken.enter,
                    f"`{event.origin}` is over before `{taken.origin}`",
                )
        for key in event.joins:
            name, root, counts, members = whole.joined[key]
            last = max(members.values(), key=lambda e: e.enter)
            if name == "barrier" or (name in ALL_FOR_ALL and min(counts) > 0):
                totals.margin(
                    "collective after its last member", event.exit - last.enter,
                    f"`{event.origin}` is over before `{last.origin}`",
                )
            elif name in ("bcast", "scatter") and counts[0] > 0:
                first = members[whole.members[key[0]][root]]
                totals.margin(
                    "collective after its root", event.exit - first.enter,
                    f"`{event.origin}` is over before `{first.origin}`",
                )


def read_observed(folder, programs, processes):
    """Returns, per program and rank, the numbers that each line printed."""
    out = [[] for _ in programs]
    for rank in range(processes):
        lines = [
            [int(n) for n in line.split()] for line in (folder / f"observed-{rank}").read_text().splitlines()
        ]
        at = 0
        for i, program in enumerate(programs):
            out[i].append(lines[at:at + len(program.lines[rank])])
            at += len(program.lines[rank])
    return out


ALONE = 5  # launches without the recorder, of a program that fails with it: some fail occasionally


def launch(options, processes, work, prefix=()):
    # Open MPI's launchers that start at the same time conflict over a common folder
    environment = dict(
        os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
        OMPI_MCA_orte_tmpdir_base=str(work),
    )
    script = options.build / "tests/record/programs" / options.mpi / "script"
    return subprocess.run(
        [
            *prefix, "timeout", str(options.limit), *LAUNCH[options.mpi], str(processes), script,
            work / "script", work,
        ],
        capture_output=True, text=True, env=environment,
    )


def record(options, programs, processes, work):
    for old in work.iterdir():
        subprocess.run(["rm", "-rf", old], check=True)
    (work / "script").write_text("".join(program.text() for program in programs))
    parcast = options.build / "bin/parcast"
    done = launch(
        options, processes, work,
        [parcast, "record", "-q", "--no-store", "--keep-times", "-o", work / "run.recording", "--"],
    )
    if done.returncode and any(launch(options, processes, work).returncode for _ in range(ALONE)):
        raise LibraryFails
    if done.returncode:
        raise Difference(
            f"the launch ended with {done.returncode}, and does not without the recorder, tried"
            f" {ALONE} times\n{done.stdout}{done.stderr}"
        )
    answer = subprocess.run(
        [parcast, "show", work / "run.recording", "--events", "--json"], capture_output=True, text=True
    )
    if answer.returncode:
        raise Difference(f"parcast show ended with {answer.returncode}\n{answer.stderr}")
    return json.loads(answer.stdout)


def check_batch(options, first, programs, processes, work, totals):
    ranks = [
        Recorded(answer, rank)
        for answer in [record(options, programs, processes, work)]
        for rank in range(processes)
    ]
    for rank in ranks:
        rank.events = without_loops(rank.events)
        names = [event.call for event in rank.events]
        if names[:1] != ["MPI_Init"] or names[-2:] != ["MPI_Buffer_detach", "MPI_Finalize"]:
            raise Difference(
                f"rank {rank.rank}: the recording begins with {names[:1]} and ends with {names[-2:]}"
            )
        del rank.events[0], rank.events[-2:]
    serials = [0] * processes
    for i, (program, observed) in enumerate(zip(programs, read_observed(work, programs, processes))):
        try:
            events, whole, serials = expected(program, observed, serials)
            for rank, wanted in zip(ranks, map(without_loops, events)):
                have = rank.events[:len(wanted)]
                compare_rank(rank.rank, wanted, rank, whole, {0: 0})
                if len(have) < len(wanted):
                    raise Difference(
                        f"rank {rank.rank}: {len(wanted) - len(have)} events are missing, the first is"
                        f" {shown(wanted[len(have)])}"
                    )
                del rank.events[:len(wanted)]
                totals["events"] += len(wanted)
                totals["requests completed"] += sum(len(event.done) for event in wanted)
            check_times(events, whole, totals)
        except (Difference, Contradiction) as problem:
            raise type(problem)(f"program {first + i}: {problem}") from None
        totals["programs"] += 1
    for rank in ranks:
        if rank.events:
            raise Difference(
                f"rank {rank.rank}: {len(rank.events)} events too many, the first is {shown(rank.events[0])}"
            )


def goes_wrong_alone(options, programs, processes, work):
    """Returns whether a program sees wrong values without the recorder, too."""
    launch(options, processes, work)
    serials = [0] * processes
    try:
        for program, observed in zip(programs, read_observed(work, programs, processes)):
            serials = expected(program, observed, serials)[2]
    except Contradiction:
        return True
    return False


def check(options, first, programs, processes, work, totals):
    """Finds programs in which the library itself fails, one by one, and leaves them out."""
    before, least = dict(totals), dict(totals.least)
    try:
        try:
            check_batch(options, first, programs, processes, work, totals)
        except Contradiction:
            if goes_wrong_alone(options, programs, processes, work):
                raise LibraryFails from None
            raise
    except LibraryFails:
        totals.clear()
        totals.update(before)
        totals.least = least
        if len(programs) == 1:
            totals["left out"] += 1
            print(f"program {first} goes wrong without the recorder too, and is left out", file=sys.stderr)
        else:
            for i, program in enumerate(programs):
                check(options, first + i, [program], processes, work, totals)


def parse():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path("build/release"))
    parser.add_argument("--mpi", choices=list(LAUNCH), default="open_mpi")
    parser.add_argument("--programs", type=int, default=1000)
    parser.add_argument(
        "--first", type=int, default=0, help="the number of the first program: repeats a part"
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--processes", default="2..6")
    parser.add_argument("--batch", type=int, default=25, help="programs per launch")
    parser.add_argument("--limit", type=int, default=60, help="seconds that a launch may last")
    parser.add_argument(
        "--keep", type=pathlib.Path,
        help="work in this folder and leave script and recording of the last launch there",
    )
    options = parser.parse_args()
    options.build = options.build.resolve()
    return options


def main():
    options = parse()
    for needed in (
        options.build / "bin/parcast", options.build / "tests/record/programs" / options.mpi / "script",
    ):
        if not needed.exists():
            sys.exit(f"{needed} is not there: build all of {options.build}, with its tests")
    least, most = (int(n) for n in options.processes.split(".."))
    totals, began = Totals(), time.monotonic()
    with tempfile.TemporaryDirectory(prefix="parcast-causality.") as scratch:
        work = options.keep.resolve() if options.keep else pathlib.Path(scratch)
        work.mkdir(exist_ok=True)
        for first in range(options.first, options.first + options.programs, options.batch):
            processes = random.Random(f"{options.seed}:{first}").randint(least, most)
            count = min(options.batch, options.first + options.programs - first)
            programs = [Program(processes, f"{options.seed}:{i}") for i in range(first, first + count)]
            try:
                check(options, first, programs, processes, work, totals)
            except (Difference, Contradiction) as problem:
                what = (
                    "difference" if isinstance(problem, Difference) else "the program saw what it should not"
                )
                print(
                    f"{what}, {processes} processes: {problem}\n\nagain: bench/record/causality.py --build"
                    f" {options.build} --mpi {options.mpi} --seed {options.seed} --first {first} --programs"
                    f" {count} --batch {options.batch} --processes {options.processes}"
                )
                return 1
            if sys.stderr.isatty():
                print(f"\r{totals['programs']} of {options.programs}", end="", file=sys.stderr)
    seconds = time.monotonic() - began
    print(
        f"{options.mpi}, seed {options.seed}: {totals['programs']} programs on {options.processes} processes"
        f" without a difference, {totals['programs'] / seconds:.1f} per second"
    )
    for what in ("left out", "events", "requests completed"):
        print(f"  {what:<40}{totals[what]:>10}")
    for what, nanoseconds in sorted(totals.least.items()):
        print(f"  {what:<40}{totals[what]:>10}   closest {nanoseconds} ns")
    return 0


if __name__ == "__main__":
    sys.exit(main())
