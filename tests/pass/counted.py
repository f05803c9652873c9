#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Reads facts of a binary and block executions from the counters of a program, for the tests of the compiler
pass. Also has the options that their command lines share. Shares no code with Parcast's own readers."""
import argparse
import json
import pathlib
import subprocess
import tempfile

WORD = 1 << 64
COMPILERS = {".c": ["clang-19"], ".cpp": ["clang++-19"], ".f90": ["flang-19", "flang-new-19"]}


def options_of(description):
    """Options of a test of the pass; the folder for its files exists."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--plugin", required=True)
    parser.add_argument("--filecheck", required=True)
    parser.add_argument("--work", required=True, type=pathlib.Path)
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    return options


def facts_of(binary):
    """Returns module id -> facts, of an executable or object file."""
    with tempfile.TemporaryDirectory() as folder:
        dump = pathlib.Path(folder, "facts")
        subprocess.run(["objcopy", f"--dump-section=parcast_facts={dump}", binary, "/dev/null"], check=True)
        return facts_in(dump.read_bytes())


def facts_in(data):
    """Returns the same for the bytes of section parcast_facts."""
    modules = {}
    while data := data.lstrip(b"\0"):
        head, data = data.split(b"\n", 1)
        word, version, identity, length = head.decode().split()
        assert (word, version) == ("parcast-facts", "1"), head
        modules[identity] = json.loads(data[:int(length)])
        data = data[int(length) + 1:]
    return modules


def counters_of(path):
    """Returns module id -> (counters, probes as lists of 4 words)."""
    modules, lines = {}, iter(pathlib.Path(path).read_text().split("\n"))
    for line in lines:
        if not line:
            continue
        _, identity, counts, probes = line.split()
        counters = [int(next(lines)) for _ in range(int(counts))]
        modules[identity] = counters, [[int(next(lines)) for _ in range(4)] for _ in range(int(probes))]
    return modules


def flows_of(function, counters):
    """Returns the flow of each arc (None if it cannot be determined): the flows into and out of a point are
    equal."""
    arcs = function["arcs"]
    joined = {}

    def root(point):
        while point in joined:
            point = joined[point]
        return point

    for arc in arcs:
        if len(arc) == 3 and arc[2] is None and root(arc[0]) != root(arc[1]):
            joined[root(arc[0])] = root(arc[1])
    ends = [(root(arc[0]), root(arc[1])) for arc in arcs]
    flow = [counters[arc[2]] if len(arc) == 3 and arc[2] is not None else None for arc in arcs]
    wanted = [i for i, arc in enumerate(arcs) if not (len(arc) == 3 and arc[2] is None)]
    at = {}
    for i in wanted:
        for end in set(ends[i]):
            at.setdefault(end, []).append(i)
    changed = True
    while changed:
        changed = False
        for point, touching in at.items():
            missing = [i for i in touching if flow[i] is None]
            if len(missing) != 1:
                continue
            i, sign = missing[0], 0
            total = sum(
                (flow[k] or 0) * ((ends[k][1] == point) - (ends[k][0] == point))
                for k in touching
                if flow[k] is not None
            )
            flow[i] = (total if ends[i][0] == point else -total) % WORD
            changed = True
    return flow


def block_counts(function, counters):
    """Returns the executions of each block: the first arcs are those of the blocks."""
    arcs = function["arcs"]
    blocks = next((i for i, arc in enumerate(arcs) if arc[0] != 1 + 2 * i), len(arcs))
    return flows_of(function, counters)[:blocks]


def executions(binary, counter_files):
    """(source, function) -> executions of its blocks, added over the files; functions of one name are added
    by their place."""
    facts, total = facts_of(binary), {}
    for path in counter_files:
        for identity, (counters, _) in counters_of(path).items():
            module = facts[identity]
            for function in module["functions"]:
                counts = block_counts(function, counters)
                key = module["source"], function["name"], function["shape"]
                before = total.get(key, [0] * len(counts))
                total[key] = [(a + b) % WORD for a, b in zip(before, counts)]
    return total
