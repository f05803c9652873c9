#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The recording contains what programs compiled with the pass execute, separately for each place between
calls of MPI and for threads, however they end; and they print and end as without the recorder. work(n) of the
programs in recorded/ is entered once and goes round n times: what is expected is counted by hand here, and
the sum over all sets is what the same program prints without the recorder (print_counters.c)."""
import argparse
import ctypes.util
import json
import os
import pathlib
import shutil
import struct
import subprocess
import sys

from counted import block_counts, counters_of, facts_in, facts_of

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
SOURCES = HERE / "recorded"
FAMILIES = {
    "open_mpi": (["mpicxx.openmpi", "mpicxx"], "OMPI_CXX", ["mpirun.openmpi", "mpirun"], ["--oversubscribe"]),
    "mpich": (["mpicxx.mpich"], "MPICH_CXX", ["mpirun.mpich"], []),
}


def line_of(source, mark):
    lines = [i for i, line in enumerate((SOURCES / source).read_text().split("\n"), 1) if mark in line]
    assert len(lines) == 1, mark
    return lines[0]


class Work:
    """Returns (entries of work(), rounds in work()), over the modules of one or several binaries."""

    def __init__(self, *binaries):
        self.facts = {}
        for binary in binaries:
            self.facts |= facts_of(binary)

    def of(self, counters):
        entered = rounds = 0
        for identity, (values, _) in counters.items():
            for function in self.facts[identity]["functions"]:
                if function["name"] in ("work", "_ZL4workl"):
                    blocks = block_counts(function, values)
                    entered += blocks[0]
                    rounds += max(blocks)  # the loop's body; entered only with n > 0
        return entered, rounds


class Bed:
    def __init__(self, options):
        self.options, self.work = options, options.work.resolve()
        shutil.rmtree(self.work, ignore_errors=True)
        self.work.mkdir(parents=True)
        self.plugin = f"-fpass-plugin={options.plugin}"
        self.printer = self.work / "print_counters.o"
        self.run(
            ["clang-19", "-O1", "-fPIC", f"-I{ROOT}/src", "-c", HERE / "print_counters.c", "-o", self.printer]
        )

    def run(self, words, env=None):
        subprocess.run([str(word) for word in words], check=True, env={**os.environ, **(env or {})})

    def build(self, name, source, compiler, *more, env=None, plugin=True):
        target = self.work / name
        compiled = self.work / f"{name}.o"
        self.run(
            [
                *compiler, "-O2", "-g", "-fPIC", f"-I{ROOT}/include", *([self.plugin] if plugin else []),
                "-c", SOURCES / source, "-o", compiled,
            ],
            env,
        )
        self.run(
            [*compiler, compiled, *([self.printer] if plugin else []), "-o", target, *more, "-lpthread"], env
        )
        return target

    def build_mpi(self, name, family, *more):
        compilers, variable, _, _ = FAMILIES[family]
        compiler = next(found for each in compilers if (found := shutil.which(each)))
        return self.build(
            f"{name}-{family}", f"{name}.cpp", [compiler, "-DOMPI_SKIP_MPICXX", "-DMPICH_SKIP_MPICXX"], *more,
            env={variable: "clang++-19"},
        )

    def plain(self, launch, binary, words):
        """Returns (exit status, output), and the printed counters of each process that ended by itself."""
        for old in self.work.glob("printed.*"):
            old.unlink()
        done = subprocess.run(
            [*launch, str(binary), *words], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=120,
            env={**os.environ, "COUNTERS": str(self.work / "printed")},
        )
        return (done.returncode, done.stdout), [
            counters_of(path) for path in sorted(self.work.glob("printed.*"))
        ]

    def recorded(self, launch, binary, words, folder="run", **more):
        """Returns (exit status, output), the head of each rank, its sets: name -> counters, losses."""
        shutil.rmtree(self.work / folder, ignore_errors=True)
        done = subprocess.run(
            [*launch, str(binary), *words], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=120,
            env={
                **os.environ, "LD_PRELOAD": self.options.recorder, "PARCAST_OUT": str(self.work / folder),
                **more,
            },
        )
        return (done.returncode, done.stdout), *self.sets(folder)

    def sets(self, folder):
        listed = subprocess.run(
            [self.options.sets, self.work / folder], check=True, capture_output=True, text=True
        ).stdout
        heads, sets, losses, name = {}, {}, [], None
        for line in listed.split("\n"):
            word, _, rest = line.partition(" ")
            if word == "rank":
                rank, *numbers = map(int, rest.split())
                heads[rank], sets[rank] = numbers, {}
            elif word == "set":
                rank, _, name = rest.partition(" ")
                # an unrolled loop has one line at several sites
                sets[int(rank)].setdefault(name, []).append([])
            elif word == "loss":
                losses.append(rest)
            elif line:
                sets[int(rank)][name][-1].append(line)
        for of_rank in sets.values():
            for name, parts in of_rank.items():
                of_rank[name] = {
                    identity: (values, []) for identity, values in added(map(self.parsed, parts)).items()
                }
        return heads, sets, losses

    def parsed(self, lines):
        (self.work / "set").write_text("\n".join(lines) + "\n")
        return counters_of(self.work / "set")


def launch_line(family, processes):
    _, _, launchers, flags = FAMILIES[family]
    return [next(found for each in launchers if (found := shutil.which(each))), *flags, "-n", str(processes)]


def added(sets):
    """Returns the counters of all sets summed, without probes, which have no sum."""
    total = {}
    for counters in sets:
        for identity, (values, _) in counters.items():
            before = total.get(identity, [0] * len(values))
            total[identity] = [(a + b) % (1 << 64) for a, b in zip(before, values, strict=True)]
    return total


def worked(work, sets):
    return {name: work.of(counters) for name, counters in sets.items() if work.of(counters) != (0, 0)}


def same(what, seen, expected):
    if seen != expected:
        raise AssertionError(f"{what}:\n  expected {expected}\n  not      {seen}")


def check_calls(bed, family):
    library = bed.options.region
    binary = bed.build_mpi("calls", family, library, f"-Wl,-rpath,{library.parent}")
    work = Work(binary)
    first, second = line_of("calls.cpp", "// the first"), line_of("calls.cpp", "// the second")
    expected = {
        "start": (2, 11), "threads": (1, 1000), "MPI_Init": (1, 10), "first": (5, 510), "begin": (3, 3),
        "MPI_Allreduce": (3, 6), "end": (3, 9), "second": (2, 130),
    }
    ways = {
        "return": {"MPI_Finalize": (1, 4)}, "operation": {"MPI_Finalize": (1, 4), "MPI_Reduce_local": (0, 0)},
        "exit": {}, "_exit": {}, "kill": {}, "abort": {}, "throw": {}, "callback": {},
    }
    for way, more in ways.items():
        processes = 2 if way == "return" else 1
        # Hydra announces numbers of processes
        launch = launch_line(family, processes) if processes > 1 or family == "open_mpi" else []
        ended, printed = bed.plain(launch, binary, [way])
        seen, heads, sets, losses = bed.recorded(launch, binary, [way])
        same(f"{family} {way}: exit status and output", seen, ended)
        same(f"{family} {way}: ranks", sorted(sets), list(range(processes)))
        losses = [loss for loss in losses if "without MPI_Finalize" not in loss]
        same(f"{family} {way}: losses", losses, [])
        for rank, of_rank in sets.items():
            names = {}
            for name, counters in of_rank.items():
                words = name.split()
                call, line = (words[1], int(words[2])) if words[0] == "event" else (words[0], 0)
                short = {"parcast_region_begin": "begin", "parcast_region_end": "end"}.get(call, call)
                if call == "MPI_Barrier":
                    short = {first: "first", second: "second"}[line]
                if short in ("begin", "MPI_Allreduce"):
                    same(f"{family} {way}: region", words[3], "/step")
                assert short not in names, f"{name} is there twice"
                names[short] = counters
            wanted = {**expected, **more}
            # where its operation runs depends on the library: 40 rounds after the last event
            if way == "operation":
                wanted["second"] = (3, 170)
            same(
                f"{family} {way}, rank {rank}", worked(work, names),
                {name: amount for name, amount in wanted.items() if amount != (0, 0)},
            )
            same(f"{family} {way}: head", heads[rank], [1, 0, 0, 0])
        if way in ("return", "exit", "operation", "callback"):
            same(f"{family} {way}: processes that print", len(printed), processes)
        for rank, counters in enumerate(sorted((added([each]) for each in printed), key=str)):
            same(
                f"{family} {way}: sum of the sets",
                sorted((added(of_rank.values()) for of_rank in sets.values()), key=str)[rank], counters,
            )


def check_handed_over(bed, family):
    """Of the threads that call MPI, the first one counts by events, also when it ends and another one
    continues."""
    binary = bed.build_mpi("handed_over", family)
    seen, heads, sets, losses = bed.recorded(launch_line(family, 1), binary, [])
    same(f"{family} handed over: exit status and output", seen, (0, b"worked\n"))
    kinds = {}
    for name, amount in worked(Work(binary), sets[0]).items():
        kinds[" ".join(name.split()[:2])] = amount
    same(
        f"{family} handed over", kinds,
        {
            "start": (2, 11), "event MPI_Init_thread": (1, 10), "event MPI_Barrier": (1, 20),
            "threads": (4, 400),
        },
    )
    same(f"{family} handed over: losses", losses, [])


def thread_sets(path):
    """Returns the number of thread sets in the file, from the kinds of its keys."""
    data = path.read_bytes()
    return sum(struct.unpack_from("<H", data, 4096 + 16 * i)[0] == 4 for i in range(512))


def check_threads(bed):
    binary = bed.build("threads", "threads.cpp", ["clang++-19"])
    work = Work(binary)
    one_by_one = (6 + 2, 6000 + 20 + 30)  # six threads, two of them work in a destructor
    for way, at_once in {"": 0, "kill": 0, "main-leaves": 0, "at-once": 8}.items():
        ended, printed = bed.plain([], binary, [way])
        seen, heads, sets, losses = bed.recorded([], binary, [way])
        same(f"threads {way}: exit status and output", seen, ended)
        same(
            f"threads {way}", worked(work, sets[0]),
            {"start": (1, 5), "threads": (one_by_one[0] + at_once * 300, one_by_one[1] + at_once * 300 * 50)},
        )
        same(f"threads {way}: head", heads[0], [1, 0, 0, 0])
        sets_made = thread_sets(bed.work / "run/rank-0.counts")
        assert sets_made <= 2 + at_once, f"{sets_made} sets: those of threads that ended are not used again"
        if not at_once and way != "kill":
            same(f"threads {way}: sum of the sets", added(sets[0].values()), added(printed))
        same(f"threads {way}: losses", [loss for loss in losses if "without returning" not in loss], [])


def check_local(bed):
    """Counts that a process left on its own node are gathered with its rank file."""
    binary = bed.build("local", "threads.cpp", ["clang++-19"])
    node = bed.work / "node"
    for folder in (node, bed.work / "gathered"):
        folder.mkdir()
    base = {**os.environ, "LD_PRELOAD": bed.options.recorder, "PARCAST_LOCAL": str(node)}
    subprocess.run(
        [binary], check=True, stdout=subprocess.DEVNULL,
        env={**base, "PARCAST_OUT": str(bed.work / "gathered")},
    )
    same(
        "local: files of the node", sorted(path.suffix for path in node.rglob("rank-*")), [".counts", ".rec"]
    )
    subprocess.run(["/bin/true"], check=True, env={**base, "PARCAST_GATHER": str(bed.work / "gathered")})
    same("local: files left", list(node.rglob("rank-*")), [])
    heads, sets, losses = bed.sets("gathered")
    same("local", worked(Work(binary), sets[0]), {"start": (1, 5), "threads": (8, 6050)})
    same("local: losses", losses, [])


def check_loading(bed):
    first = bed.build("libfirst.so", "plugin.cpp", ["clang++-19"], "-shared")
    late = bed.build("liblate.so", "plugin.cpp", ["clang++-19", "-DLATE"], "-shared")
    binary = bed.build("loads", "loads.cpp", ["clang++-19"], first, f"-Wl,-rpath,{bed.work}", "-ldl")
    stripped = bed.work / "stripped"
    bed.run(["strip", "-o", stripped, binary])
    work = Work(binary, first)
    for program in (binary, stripped):
        seen, heads, sets, losses = bed.recorded([], program, [late])
        same("loads: exit status and output", seen, (0, b"worked\n"))
        same("loads", worked(work, sets[0]), {"start": (2, 16)})
        same("loads: one library is left out", heads[0], [1, 0, 0, 1])
        same("loads: losses", losses, [])


def check_bounds(bed):
    """448 kinds of events have separate sets, or as many as fit into the file. The other events are counted
    together, without loss."""
    library = bed.options.region
    binary = bed.build("regions", "regions.cpp", ["clang++-19"], library, f"-Wl,-rpath,{library.parent}")
    work = Work(binary)
    for regions, limit, own in ((100, "1G", 200), (600, "1G", 448), (600, "1M", None), (3000, "1G", 448)):
        seen, heads, sets, losses = bed.recorded([], binary, [str(regions)], PARCAST_LIMIT=limit)
        same("regions: exit status and output", seen, (0, b"worked\n"))
        if limit == "1G":
            same("regions: losses", losses, [])
        done = worked(work, sets[0])
        kinds = len([name for name in done if name.startswith("event")])
        if own is None:  # a quarter of the limit: header and keys, one page of modules, and two sets
            own = ((1 << 20) // 4 - 12288 - 4096) // 4096 - 2
        same(f"regions {regions}: kinds of events", kinds, own)
        together = min(2 * regions, 2048) - own if 2 * regions > own else 0
        same(f"regions {regions}: head", heads[0], [1, together, 0, 0])
        total = 2 * regions, regions + sum(1 + i for i in range(regions))
        same(f"regions {regions}: sum", tuple(map(sum, zip(*done.values()))), total)
        first = [amount for name, amount in done.items() if name.endswith("/region 7") and "begin" in name]
        same(f"regions {regions}: region 7", first, [(1, 8)])


def check_faults(bed):
    """Where the recorder cannot keep counts the program does not notice, and the recording reports it."""
    binary = bed.build("faults", "threads.cpp", ["clang++-19"])
    work, expected = Work(binary), {"start": (1, 5), "threads": (8, 6050)}
    for call in (
        "openat", "open", "pread", "mmap", "posix_fallocate", "fstat", "ftruncate", "madvise",
        "pthread_key_create", "close",
    ):
        for number in range(1, 9):
            shutil.rmtree(bed.work / "run", ignore_errors=True)
            done = subprocess.run(
                [binary], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=120,
                env={
                    **os.environ, "LD_PRELOAD": f"{bed.options.failing}:{bed.options.recorder}",
                    "FAIL": f"{call}:{number}", "PARCAST_OUT": str(bed.work / "run"),
                },
            )
            what = f"{call} {number}"
            same(f"{what}: exit status and output", (done.returncode, done.stdout), (0, b"worked 5\n"))
            if (
                not (bed.work / "run/rank-0.rec").exists()
                or (bed.work / "run/rank-0.rec").stat().st_size == 0
            ):
                continue
            heads, sets, losses = bed.sets("run")
            counted = worked(work, sets[0])
            if not heads[0][0]:
                same(f"{what}: counted", counted, {})
            elif heads[0][1:] == [0, 0, 0] and not losses:
                assert all(counted.get(name, (0, 0)) <= amount for name, amount in expected.items()) and set(
                    counted
                ) <= set(expected), f"{what}: {counted}"
    disk = bed.work / "disk"
    disk.mkdir()
    # A rank file begins with 264 KiB; its counts with header, keys, modules (16 KiB) and two sets of a page.
    for size, kept in ((276, False), (284, False), (288, True)):
        if subprocess.run(
            ["mount", "-t", "tmpfs", "-o", f"size={size}k", "tmpfs", disk], stderr=subprocess.DEVNULL
        ).returncode:
            return print("no file system may be mounted here: a full one is not tested")
        try:
            seen, heads, sets, losses = bed.recorded([], binary, [], folder="disk/run")
        finally:
            subprocess.run(["umount", "-l", disk], check=True)
        same(f"disk of {size} KiB: exit status and output", seen, (0, b"worked 5\n"))
        if kept:
            same(
                f"disk of {size} KiB: threads count together", (heads[0], worked(work, sets[0])),
                ([1, 0, 6, 0], {"start": (1, 5), "others": (8, 6050)}),
            )
        else:
            same(f"disk of {size} KiB: nothing counted", heads[0][0], 0)
            assert any(
                "rank-0.counts: what the program executed is not counted: " in loss for loss in losses
            ), losses


def check_verb(bed):
    """parcast record keeps counts and facts with the recording, and gathers both from a folder on the
    node."""
    binary = bed.build("verb", "threads.cpp", ["clang++-19"])
    facts = facts_of(binary)
    local = bed.work / "local"
    local.mkdir()
    for name, flags in (("plain", []), ("gathered", ["--local", str(local)])):
        done = subprocess.run(
            [
                bed.options.parcast, "record", "--json", "--no-store", *flags, "-o", f"{name}.recording",
                "--", str(binary),
            ],
            cwd=bed.work, capture_output=True, text=True, timeout=120,
        )
        same(f"{name}: exit status and output", (done.returncode, done.stdout), (0, "worked 5\n"))
        said = json.loads(done.stderr.strip().split("\n")[-1])
        same(
            f"{name}: problems",
            (said["complete"], said["problems"], [warning["code"] for warning in said["warnings"]]),
            (True, [], []),
        )
        folder = bed.work / f"{name}.recording"
        heads, sets, losses = bed.sets(folder.name)
        same(f"{name}: losses", losses, [])
        same(name, worked(Work(binary), sets[0]), {"start": (1, 5), "threads": (8, 6050)})
        stored = facts_in((folder / "facts").read_bytes())
        same(f"{name}: facts", stored, facts)
    shown = subprocess.run(
        [bed.options.parcast, "show", "plain.recording"], cwd=bed.work, capture_output=True, text=True
    )
    same("show: exit status", (shown.returncode, shown.stderr), (0, ""))


def check_team(bed):
    library = ctypes.util.find_library("omp") or "libomp.so.5"
    places = [
        path
        for path in ("/usr/lib/x86_64-linux-gnu", "/usr/lib/llvm-19/lib", "/usr/lib64")
        if pathlib.Path(path, library).exists()
    ]
    if not places:
        return print("no libomp: OpenMP's threads are not tested")
    compiled, binary = bed.work / "team.o", bed.work / "team"
    bed.run(
        ["clang-19", "-fopenmp=libomp", "-O2", "-g", bed.plugin, "-c", SOURCES / "team.c", "-o", compiled]
    )
    bed.run(["clang-19", compiled, "-o", binary, pathlib.Path(places[0], library)])
    seen, heads, sets, losses = bed.recorded([], binary, [])
    same("team: exit status and output", seen, (0, b"worked 499500\n"))
    same("team", worked(Work(binary), sets[0]), {"start": (334, 16700), "threads": (666, 33300)})
    same("team: losses", losses, [])


def check_uncounted(bed):
    """Without the pass, nothing is recorded for a program without MPI and without regions."""
    binary = bed.build("uncounted", "threads.cpp", ["clang++-19"], plugin=False)
    subprocess.run(
        [binary], check=True, stdout=subprocess.DEVNULL,
        env={
            **os.environ, "LD_PRELOAD": bed.options.recorder, "PARCAST_OUT": str(bed.work / "uncounted-run"),
        },
    )
    assert not (bed.work / "uncounted-run").exists()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("plugin", "recorder", "sets"):
        parser.add_argument(f"--{name}", required=True)
    for name in ("region", "failing"):
        parser.add_argument(f"--{name}", type=pathlib.Path, required=True)
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("--mpi", choices=FAMILIES)
    parser.add_argument("--parcast")
    options = parser.parse_args()
    bed = Bed(options)
    if options.mpi:
        check_calls(bed, options.mpi)
        check_handed_over(bed, options.mpi)
    elif options.parcast:
        check_verb(bed)
    else:
        for check in (
            check_threads, check_local, check_loading, check_bounds, check_faults, check_team,
            check_uncounted,
        ):
            check(bed)


if __name__ == "__main__":
    sys.exit(main())
