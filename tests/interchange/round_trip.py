#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Recordings of real programs go to OTF2 and back. otf2-print, which is not ours, must count what parcast
counts; the recording that comes back must have the same of every event. As measured values they add up to the
same counts.

    tests/interchange/round_trip.py --build BUILD"""
import argparse
import collections
import csv
import json
import os
import pathlib
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile


class Bed:
    def __init__(self, build):
        self.build = pathlib.Path(build).resolve()
        self.programs = self.build / "tests" / "record" / "programs" / "open_mpi"
        self.work = pathlib.Path(tempfile.mkdtemp(prefix="parcast-interchange-"))

    def run(self, *words, code=0):
        done = subprocess.run(
            list(map(str, words)), capture_output=True, text=True, cwd=self.work, timeout=120,
            stdin=subprocess.DEVNULL,
        )
        assert (
            code is None or done.returncode == code
        ), f"{words}: exit {done.returncode}\n{done.stdout}{done.stderr}"
        return done

    def parcast(self, *words, code=0):
        return self.run(self.build / "bin" / "parcast", *words, code=code)

    def json(self, *words, code=0):
        return json.loads(self.parcast(*words, "--json", code=code).stdout)

    def record(self, name, p, program, *arguments, code=0):
        # An archive does not contain the resource use of regions besides time.
        self.parcast(
            "record", "--quiet", "--no-store", "--keep-times", "--classes", "mpi,io,user", "-o",
            f"{name}.recording", "--", "mpirun", "--oversubscribe", "-n", p, program, *arguments, code=code,
        )


def printed(bed, archive):
    """What otf2-print prints: records by kind and location, calls by name and rank, bytes sent by rank."""
    done = bed.run("otf2-print", archive / "traces.otf2")
    assert not done.stderr, done.stderr
    kinds, calls, sent = collections.Counter(), collections.Counter(), collections.Counter()
    repeats, last = collections.Counter(), None
    for line in done.stdout.splitlines():
        words = line.split(None, 3)
        if line.startswith(" ") and "PARCAST::REPEATS" in line:
            repeats[last] += int(re.search(r'"PARCAST::REPEATS" <\d+>; UINT32; (\d+)', line).group(1)) - 1
        if len(words) < 3 or not re.fullmatch(r"[A-Z_]+", words[0]) or not words[1].isdigit():
            continue
        kind, location = words[0], int(words[1])
        rank = location & 0xffffffff
        kinds[kind] += 1
        if kind == "ENTER":
            last = (rank, re.search(r'Region: "(.*)" <', words[3]).group(1))
            calls[last] += 1
        if kind in ("MPI_SEND", "MPI_ISEND"):
            sent[rank] += int(re.search(r"Length: (\d+)", words[3]).group(1))
    calls.update(repeats)
    return kinds, calls, sent


def counts_agree(bed, name):
    counts, done = bed.json("show", f"{name}.recording", "--counts", code=None), bed.json(
        "export", f"{name}.recording", code=None
    )
    kinds, calls, sent = printed(bed, bed.work / f"{name}.otf2")
    of_us = {re.sub(r"(?<!^)(?=[A-Z])", "_", kind).upper(): n for kind, n in done["records"].items()}
    assert dict(kinds) == of_us, (kinds, of_us)
    for rank in counts["ranks"]:
        number = rank["rank"]
        by_name_alone = unfollowed(bed, name, number)
        followed = {call: n for call, n in rank["calls"].items() if call not in by_name_alone}
        assert followed == {
            call: n for (at, call), n in calls.items() if at == number and call.startswith("MPI_")
        }, number
        assert sent[number] == rank["bytes_sent"], number
    messages = sum(rank["messages_sent"] for rank in counts["ranks"])
    assert kinds["MPI_SEND"] + kinds["MPI_ISEND"] == messages
    assert kinds["ENTER"] == kinds["LEAVE"] > 0
    return messages


def unfollowed(bed, name, rank):
    """Returns calls that are counted by name alone: they have no events."""
    events = bed.json("show", f"{name}.recording", "--events", code=None)["events"]
    seen = {event["call"] for event in events if event["rank"] == rank}
    of_rank = next(
        r for r in bed.json("show", f"{name}.recording", "--counts", code=None)["ranks"] if r["rank"] == rank
    )
    return set(of_rank["calls"]) - seen


def same_again(bed, name):
    bed.parcast("import", f"{name}.otf2", "-o", f"{name}-again.recording")
    for flags in (["--counts", "--json"], ["--events"], ["--events", "--json"], []):
        before = bed.parcast("show", *flags, f"{name}.recording", code=None).stdout
        after = bed.parcast("show", *flags, f"{name}-again.recording", code=None).stdout
        # What recording took, and when the host's clock began, are not in an archive; the offsets of the
        # ranks' clocks are.
        apart = [
            [float(zero) for zero in re.findall(r'"zero": ?([-+.\de]+)', text)] for text in (before, after)
        ]
        assert all(abs((a - apart[0][0]) - (b - apart[1][0])) < 1e-6 for a, b in zip(*apart)), apart
        before, after = (
            re.sub(r'"(recording_seconds|zero)": ?[^,}\]]*', "", text) for text in (before, after)
        )
        assert before == after.replace(
            f"{name}-again.recording", f"{name}.recording"
        ), f"show {flags} of {name} differs"


def there_and_back(bed, name):
    """Returns the number of compared messages."""
    messages = counts_agree(bed, name)
    same_again(bed, name)
    return messages


def point_to_point_and_grids(bed):
    bed.record("shallow", 4, bed.build / "examples" / "shallow_water", 64, 10)
    # a step exchanges twice in two dimensions, with both neighbours
    assert there_and_back(bed, "shallow") == 4 * 8 * 10


def phases_stand_on_lines_of_their_own(bed):
    """Executions, seconds, operations and quantums of each phase, as otf2-print lists them and as show sums
    them."""
    bed.record("matmul", 2, bed.build / "examples" / "matmul", 100, "cannon")
    counts_agree(bed, "matmul")
    listed = collections.defaultdict(lambda: [0, 0.0, 0.0, 0.0])
    at, phase = {}, None
    for line in bed.run("otf2-print", bed.work / "matmul.otf2" / "traces.otf2").stdout.splitlines():
        if line.startswith(" "):
            for place, name in ((2, "OPERATIONS"), (3, "QUANTUMS")):
                for amount in re.findall(rf'"PARCAST::{name}" <\d+>; DOUBLE; ([\d.e+]+)', line):
                    listed[phase][place] += float(amount)
            continue
        words = line.split(None, 3)
        if words[0:1] not in (["ENTER"], ["LEAVE"]) or int(words[1]) >> 32 != 0xffff:
            continue
        rank, phase = int(words[1]) & 0xFFFFFFFF, (
            int(words[1]) & 0xFFFFFFFF, re.search(r'Region: "(.*)" <', words[3]).group(1),
        )
        if words[0] == "ENTER":
            listed[phase][0] += 1
            at[rank] = int(words[2])
        else:
            listed[phase][1] += (int(words[2]) - at[rank]) * 1e-9
    shown = {
        (rank["rank"], each["name"]): [
            each[key] for key in ("executions", "seconds", "operations", "quantums")
        ]
        for rank in bed.json("show", "matmul.recording", "--counts")["ranks"]
        for each in rank["phases"]
    }
    assert rounded(shown) == rounded(dict(listed)) and len(shown) >= 10, (shown, listed)
    back = bed.parcast("import", "matmul.otf2", "-o", "matmul-again.recording")
    assert "phases of 2 processes are left out" in back.stderr, back.stderr


def rounded(node):
    """Seconds to twelve figures: sums are in another order."""
    if isinstance(node, dict):
        return {
            key: rounded(value)
            for key, value in node.items()
            if key not in ("recordings", "sources", "digest")
        }
    if isinstance(node, list):
        return [rounded(value) for value in node]
    return float(f"{node:.12g}") if isinstance(node, float) else node


def a_model_is_the_same(bed):
    models = []
    for name in ("shallow", "shallow-again"):
        bed.parcast("model", "--no-store", f"{name}.recording", "-o", f"{name}.model.json")
        models.append(json.loads((bed.work / f"{name}.model.json").read_text()))
    assert rounded(models[0]) == rounded(models[1])
    assert "MPI_Sendrecv" in json.dumps(models[0])


def rows_and_reductions(bed):
    bed.record("gauss", 3, bed.build / "examples" / "gauss", 64)
    assert there_and_back(bed, "gauss") == 0  # collectives alone


def every_call_of_mpi(bed):
    bed.record("every", 4, bed.programs / "every_call")
    assert there_and_back(bed, "every") > 50


def regions_before_init_and_ends_of_nothing(bed):
    bed.record("regions", 2, bed.programs / "regions")
    bed.parcast("export", "regions.recording")
    same_again(bed, "regions")


def a_process_that_was_killed(bed):
    bed.record("killed", 2, bed.programs / "endings", "kill", code=None)
    bed.parcast("export", "killed.recording", code=3)
    same_again(bed, "killed")


def processes_of_another_world(bed):
    bed.record("spawns", 2, bed.programs / "spawns")
    done = bed.parcast("export", "spawns.recording")
    assert "export world-1 and world-2 of the recording too" in done.stderr, done.stderr
    bed.parcast("import", "spawns.otf2", "-o", "spawns-again.recording")
    before, after = (
        bed.json("show", f"{name}.recording", "--counts")["ranks"] for name in ("spawns", "spawns-again")
    )
    for rank in before + after:
        del rank["recording_seconds"]
    assert before == after


def measured_values_agree_with_counts(bed):
    bed.parcast("export", "gauss.recording", "--to", "gauss.csv")
    with open(bed.work / "gauss.csv") as file:
        values = {(row["callpath"], row["metric"]): float(row["value"]) for row in csv.DictReader(file)}
    ranks = bed.json("show", "gauss.recording", "--counts")["ranks"]
    outside = ("MPI_Init", "MPI_Init_thread", "MPI_Finalize")
    wanted = {"calls": sum(n for rank in ranks for call, n in rank["calls"].items() if call not in outside),
              "messages": sum(rank["messages_sent"] for rank in ranks),
              "bytes": sum(rank["bytes_sent"] + rank["collective_bytes"] for rank in ranks)}
    assert wanted["bytes"] > 0 and wanted["calls"] > 0, wanted
    for metric, total in wanted.items():
        regions = [value for (path, name), value in values.items() if name == metric and path]
        for got in [values.get(("", metric), 0)] + ([sum(regions)] if regions else []):
            assert abs(got * len(ranks) - total) < 1e-6 * max(total, 1), (metric, got, total, len(ranks))
    assert 0 < values["", "seconds"] <= values["", "longest"], values


def targets_that_exist_are_refused(bed):
    for words, taken in (("export", "gauss.recording", "--to", "gauss.otf2"), "gauss.otf2"), (
        ("import", "gauss.otf2", "-o", "gauss.recording"), "gauss.recording",
    ):
        done = bed.parcast(*words, code=1)
        assert f"{taken} exists already" in done.stderr, done.stderr
    done = bed.parcast("export", "gauss.recording", "--to", "gauss.archive", code=2)
    assert "has no ending of a known format" in done.stderr, done.stderr
    assert not list(bed.work.glob(".*")), "left-over folders"


def a_full_disk_ends_in_a_sentence(bed):
    """The limit of a file's size replaces the full disk: it needs no file system of its own."""
    def small():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (2048, 2048))
    for words in (
        ("export", "every.recording", "--to", "full.otf2"), ("import", "every.otf2", "-o", "full.recording"),
    ):
        done = subprocess.run(
            [bed.build / "bin" / "parcast", *words], capture_output=True, text=True, cwd=bed.work,
            preexec_fn=small, timeout=60,
        )
        assert done.returncode == 1 and "is there room on the file system?" in done.stderr, (
            done.returncode, done.stderr,
        )
    assert not list(bed.work.glob("*full*")) and not list(bed.work.glob(".*")), "left-over folders"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", required=True)
    bed = Bed(parser.parse_args().build)
    if not shutil.which("otf2-print"):
        sys.exit("otf2-print is missing: tools/setup test installs it")
    try:
        for check in (
            point_to_point_and_grids, phases_stand_on_lines_of_their_own, a_model_is_the_same,
            rows_and_reductions, every_call_of_mpi, regions_before_init_and_ends_of_nothing,
            a_process_that_was_killed, processes_of_another_world, measured_values_agree_with_counts,
            targets_that_exist_are_refused, a_full_disk_ends_in_a_sentence,
        ):
            check(bed)
            print("ok", check.__name__, flush=True)
    finally:
        shutil.rmtree(bed.work)


if __name__ == "__main__":
    os.environ.setdefault("OMPI_ALLOW_RUN_AS_ROOT", "1")
    os.environ.setdefault("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1")
    main()
