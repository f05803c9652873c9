#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Counts of blocks of real MPI programs from one and three small runs. Source packages of Debian (the
authors' files, without Debian's changes) are fetched, compiled by parcast cc, cxx and fc, recorded in three
small runs and a larger one. Of the small ones the second differs from the first in its size alone, the third
in its processes alone; whatever else it is given is as in the larger run, and no parameter. Prints per
program the share of loops, block executions and weighted work by how their counts were found; the error of
all counts at the larger run, weighted by executions, and the blocks that miss most; by how much the larger
run differs from itself when it is repeated (messages that arrive in another order, loops around the clock);
blocks whose count by few counters is not that by one in each block. With --overhead, what counters cost that
nobody records, and compiling them.

    bench/pass/real_programs.py [--build build/release] [--work DIR] [--only hpcc,heat2d] [--overhead]
    [--pairs 5]

Needs a Debian mirror with sources, dpkg-dev, Open MPI, cmake, make, clang-19, flang-19, liblapack-dev and
libscalapack-openmpi2.2. Downloads, builds and recordings are kept below --work and reused."""
import argparse
import collections
import dataclasses
import functools
import json
import os
import pathlib
import re
import resource
import shutil
import statistics
import subprocess
import sys
import time

from expression_values import function_of
from grids import Grids

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
TIERS = ("symbolic", "recognised", "as seen", "constant", "measured")
PARCAST = ("parcast-cc", "parcast-cxx", "parcast-fc")
# in-place: a counter in each block
COMPILERS = {"plain": ("clang-19", "clang++-19", "flang-new-19"), "counted": PARCAST, "in-place": PARCAST}
LAUNCH = ["mpirun", "--oversubscribe"]
DEBIAN = (
    "deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] http://deb.debian.org/debian bookworm"
    " main\n"
)


@dataclasses.dataclass
class Run:
    p: int
    parameters: dict

    def name(self):
        return "-".join([str(self.p), *(f"{name}{value}" for name, value in self.parameters.items())])


@dataclasses.dataclass
class Package:
    source: str
    build: object  # function of the folder with its files and the compilers' environment: builds all binaries


@dataclasses.dataclass
class Program:
    package: str
    binary: str       # path below the package's folder
    words: object     # function of a run: words of the command line
    small: list       # runs; first the first one alone, then all
    large: Run
    timed: Run        # takes at least 2 s
    files: object = lambda source, run: {}  # required files: name -> text
    read: str = os.devnull                  # the file that is its standard input
    compared: Run | None = None             # run with a counter in each block; else the first small run

    kept: tuple = ()                        # inputs that are equal in all runs: no parameters

    def parameters(self, run):
        return {name: value for name, value in run.parameters.items() if name not in self.kept}


def make(folder, environment, *words):
    done = subprocess.run(["make", *words], cwd=folder, env=environment, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"make {' '.join(words)} in {folder}\n{done.stdout[-2000:]}{done.stderr[-4000:]}")


def build_hpcc(folder, environment):
    # MPI_Address and MPI_Type_struct are no longer in the standard.
    includes = (
        "-DMPI_Address=MPI_Get_address -DMPI_Type_struct=MPI_Type_create_struct -DAdd_ -DF77_INTEGER=int"
        " -DStringSunStyle -I$(INCdir) -I$(INCdir)/$(ARCH)"
    )
    settings = {
        "SHELL": "/bin/sh", "CD": "cd", "CP": "cp", "LN_S": "ln -s", "MKDIR": "mkdir -p", "RM": "rm -f",
        "TOUCH": "touch", "ARCH": "$(arch)", "TOPdir": "../../..", "INCdir": "$(TOPdir)/include",
        "LIBdir": "$(TOPdir)/lib/$(ARCH)", "HPLlib": "$(LIBdir)/libhpl.a", "HPL_LIBS": "$(HPLlib) -lblas -lm",
        "CC": "mpicc", "CCNOOPT": f"{includes} -O1", "CCFLAGS": f"{includes} -O2", "LINKER": "mpicc",
        "LINKFLAGS": "", "ARCHIVER": "ar", "ARFLAGS": "r", "RANLIB": "ranlib",
    }
    (folder / "hpl/Make.check").write_text("".join(f"{name} = {value}\n" for name, value in settings.items()))
    make(folder, environment, "arch=check")


def hpcc_files(source, run):
    text = (source / "_hpccinf.txt").read_text()
    for name, word in (("N", "Ns"), ("NB", "NBs"), ("P", "Ps"), ("Q", "Qs")):
        text = re.sub(
            rf"^\d+(\s+{word}\b)", lambda found: f"{run.parameters[name]}{found[1]}", text, count=1,
            flags=re.M,
        )
    return {"hpccinf.txt": text}


def build_sundials(folder, environment):
    c, cxx, fortran = environment["OMPI_CC"], environment["OMPI_CXX"], environment["OMPI_FC"]
    # For all compilers: the modules that parcast fc creates (docs/formats/facts.md).
    probe = folder / "probe.f90"
    probe.write_text("program probe\n  use mpi\nend program\n")
    shown = subprocess.run(
        ["parcast-fc", "--show", "-c", probe.name], cwd=folder, env=environment, capture_output=True,
        text=True, check=True,
    ).stdout
    modules = next((word for word in shown.split() if word.startswith("-I")), "")
    off = ["CVODES", "IDAS", "KINSOL", "IDA", "CVODE"]
    subprocess.run(
        [
            "cmake", "-S", ".", "-B", "made", f"-DCMAKE_C_COMPILER={c}", f"-DCMAKE_CXX_COMPILER={cxx}",
            f"-DCMAKE_Fortran_COMPILER={fortran}", "-DCMAKE_BUILD_TYPE=", "-DCMAKE_C_FLAGS=-O2",
            "-DCMAKE_CXX_FLAGS=-O2 -DOMPI_SKIP_MPICXX", f"-DCMAKE_Fortran_FLAGS=-O2 {modules}",
            "-DENABLE_MPI=ON", "-DBUILD_SHARED_LIBS=OFF", "-DBUILD_FORTRAN_MODULE_INTERFACE=ON",
            "-DSUNDIALS_LOGGING_ENABLE_MPI=ON", "-DEXAMPLES_ENABLE_F2003=ON", "-DEXAMPLES_ENABLE_CXX=ON",
            "-DEXAMPLES_ENABLE_C=OFF", "-DEXAMPLES_INSTALL=OFF", *(f"-DBUILD_{name}=OFF" for name in off),
        ],
        cwd=folder, env=environment, check=True, stdout=subprocess.DEVNULL,
    )
    make(folder / "made", environment, "ark_heat2D_p", "ark_brusselator1D_task_local_nls_f2003")


def build_hypre(folder, environment):
    subprocess.run(
        ["./configure", "CC=mpicc", "CXX=mpicxx", "--disable-fortran", "--with-extra-CFLAGS=-O2"],
        cwd=folder / "src", env=environment, check=True, stdout=subprocess.DEVNULL,
    )
    make(folder / "src", environment, "all")
    make(folder / "src/test", environment, "struct", "ij")


def build_tachyon(folder, environment):
    (folder / "compile/check/libtachyon").mkdir(parents=True)
    make(
        folder / "unix", environment, "all", "ARCH=check", "CC=mpicc", "CFLAGS=-O2 -DLinux -DMPI", "AR=ar",
        "ARFLAGS=r", "STRIP=true", "RANLIB=ranlib", "LIBS=-L. -ltachyon -lm",
    )


def build_mumps(folder, environment):
    libraries = "/usr/lib/x86_64-linux-gnu"
    settings = {
        "LPORDDIR": "$(topdir)/PORD/lib", "IPORD": "-I$(topdir)/PORD/include",
        "LPORD": "-L$(LPORDDIR) -lpord", "ORDERINGSF": "-Dpord", "ORDERINGSC": "$(ORDERINGSF)",
        "LORDERINGS": "$(LPORD)", "IORDERINGSC": "$(IPORD)", "PLAT": "", "LIBEXT": ".a",
        "LIBEXT_SHARED": ".so", "OUTC": "-o ", "OUTF": "-o ", "RM": "rm -f", "CC": "mpicc", "FC": "mpif90",
        "FL": "mpif90", "AR": "ar r ", "RANLIB": "ranlib",
        "LIBPAR": f"{libraries}/libscalapack-openmpi.so.2.2 -llapack", "LIBBLAS": "-lblas",
        "LIBOTHERS": "-lpthread", "CDEFS": "-DAdd_", "OPTF": "-O2", "OPTL": "-O2", "OPTC": "-O2",
        "LIBS": "$(LIBPAR)", "LIBSEQNEEDED": "",
    }
    (folder / "Makefile.inc").write_text("".join(f"{name} = {value}\n" for name, value in settings.items()))
    make(folder, environment, "d")


def mumps_files(source, run):
    """Returns the matrix of the five-point stencil on a square of n x n points."""
    n, entries = run.parameters["n"], []
    for y in range(n):
        for x in range(n):
            here = y * n + x + 1
            entries.append(f"{here} {here} 4.0")
            entries += [
                f"{here} {b * n + a + 1} -1.0"
                for a, b in ((x - 1, y), (x + 1, y), (x, y - 1), (x, y + 1))
                if 0 <= a < n and 0 <= b < n
            ]
    return {"input": "\n".join([str(n * n), str(len(entries)), *entries, *["1.0"] * (n * n), ""])}


PACKAGES = {
    "hpcc": Package("hpcc", build_hpcc),
    "sundials": Package("sundials", build_sundials),
    "hypre": Package("hypre", build_hypre),
    "tachyon": Package("tachyon", build_tachyon),
    "mumps": Package("mumps", build_mumps),
}


def hpcc_run(n, nb, rows, columns):
    return Run(rows * columns, {"N": n, "NB": nb, "P": rows, "Q": columns})


def heat2d_run(x, y, rows, columns, steps):
    return Run(rows * columns, {"X": x, "Y": y, "P": rows, "Q": columns, "steps": steps})


def hypre_run(n, a, b, c):
    return Run(a * b * c, {"n": n, "P": a, "Q": b, "R": c})


PROGRAMS = {
    "hpcc": Program(
        "hpcc", "hpcc", lambda run: [],
        [hpcc_run(100, 16, 1, 2), hpcc_run(170, 16, 1, 2), hpcc_run(100, 16, 2, 2)], hpcc_run(800, 16, 2, 4),
        hpcc_run(2400, 64, 1, 1), hpcc_files, kept=("NB",),
    ),
    # 2D heat equation, implicit in time. Each step needs few iterations at all of these sizes. Grids are
    # those of MPI_Dims_create.
    "heat2d": Program(
        "sundials", "made/examples/arkode/CXX_parallel/ark_heat2D_p",
        lambda run: [
            "--mesh", run.parameters["X"], run.parameters["Y"], "--np", run.parameters["P"],
            run.parameters["Q"], "--fixedstep", 1e-5, "--tf", 1e-5 * run.parameters["steps"], "--nout", 1,
        ],
        [heat2d_run(24, 28, 2, 1, 50), heat2d_run(40, 44, 2, 1, 50), heat2d_run(24, 28, 2, 2, 50)],
        heat2d_run(192, 224, 4, 2, 50), heat2d_run(256, 256, 1, 1, 50), kept=("steps",),
    ),
    # 1D advection and reaction of three species, in Fortran.
    "brusselator": Program(
        "sundials", "made/examples/arkode/F2003_parallel/ark_brusselator1D_task_local_nls_f2003",
        lambda run: ["--nx", run.parameters["N"], "--nout", run.parameters["outputs"], "--tf", 1],
        [
            Run(2, {"N": 60, "outputs": 20}), Run(2, {"N": 100, "outputs": 20}),
            Run(4, {"N": 60, "outputs": 20}),
        ],
        Run(8, {"N": 480, "outputs": 20}), Run(1, {"N": 20000, "outputs": 5}), kept=("outputs",),
    ),
    # Multigrid on boxes.
    "struct": Program(
        "hypre", "src/test/struct",
        lambda run: [
            "-n", *[run.parameters["n"]] * 3, "-P", run.parameters["P"], run.parameters["Q"],
            run.parameters["R"], "-solver", 1,
        ],
        [hypre_run(8, 2, 1, 1), hypre_run(13, 2, 1, 1), hypre_run(8, 2, 2, 1)], hypre_run(40, 2, 2, 2),
        hypre_run(100, 1, 1, 1),
    ),
    # Algebraic multigrid with conjugate gradients.
    "ij": Program(
        "hypre", "src/test/ij",
        lambda run: [
            "-n", *[run.parameters["n"]] * 3, "-P", run.parameters["P"], run.parameters["Q"],
            run.parameters["R"], "-solver", 1,
        ],
        [hypre_run(8, 2, 1, 1), hypre_run(13, 2, 1, 1), hypre_run(8, 2, 2, 1)], hypre_run(24, 2, 2, 2),
        hypre_run(40, 1, 1, 1),
    ),
    # Ray tracing of a small scene.
    "tachyon": Program(
        "tachyon", "compile/check/tachyon",
        lambda run: ["scene.dat", "-res", run.parameters["X"], run.parameters["Y"], "-o", "picture.tga"],
        [Run(2, {"X": 64, "Y": 48}), Run(2, {"X": 100, "Y": 76}), Run(4, {"X": 64, "Y": 48})],
        Run(8, {"X": 512, "Y": 384}), Run(1, {"X": 1600, "Y": 1200}),
        lambda source, run: {"scene.dat": (source / "scenes/balls.dat").read_text()},
    ),
    # Sparse LU factorisation by fronts, in Fortran; the matrix is read from standard input.
    "mumps": Program(
        "mumps",
        "examples/dsimpletest",
        lambda run: [],
        [Run(2, {"n": 50}), Run(2, {"n": 80}), Run(4, {"n": 50})],
        Run(8, {"n": 200}),
        Run(1, {"n": 500}),
        mumps_files,
        "input",
        # several processes distribute their work in the order in which messages arrive
        Run(1, {"n": 64}),
    ),
}


class Bench:
    def __init__(self, options):
        self.build, self.work = pathlib.Path(options.build).resolve(), pathlib.Path(options.work).resolve()
        self.work.mkdir(parents=True, exist_ok=True)
        self.environment = {
            **os.environ, "PATH": f"{self.build / 'bin'}:{os.environ['PATH']}", "OMP_NUM_THREADS": "1",
            "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
        }
        self.grids = Grids(self.work, LAUNCH, self.environment)

    def apt(self, *words, folder):
        state = self.work / "apt"
        for name in ("lists/partial", "cache/archives/partial"):
            (state / name).mkdir(parents=True, exist_ok=True)
        (state / "sources.list").write_text(DEBIAN)
        settings = {
            "Dir::Etc::sourcelist": state / "sources.list", "Dir::Etc::sourceparts": "-",
            "Dir::State::lists": state / "lists", "Dir::Cache": state / "cache", "APT::Sandbox::User": "root",
        }
        done = subprocess.run(
            ["apt-get", "-q", *(f"-o{name}={value}" for name, value in settings.items()), *words], cwd=folder,
            capture_output=True, text=True,
        )
        if done.returncode:
            sys.exit(f"apt-get {' '.join(words)}\n{done.stdout}{done.stderr}")

    def source(self, package):
        """Returns the folder with the files of a package's authors."""
        folder = self.work / "sources" / package.source
        if not folder.exists():
            archives = self.work / "archives" / package.source
            shutil.rmtree(archives, ignore_errors=True)
            archives.mkdir(parents=True)
            if not list((self.work / "apt/lists").glob("*Sources*")):
                self.apt("update", folder=archives)
            self.apt("source", "--download-only", "--tar-only", package.source, folder=archives)
            (archive,) = archives.glob("*.orig.tar.*")
            partial = folder.with_suffix(".partial")
            shutil.rmtree(partial, ignore_errors=True)
            partial.mkdir(parents=True)
            subprocess.run(["tar", "xf", archive, "--strip-components=1", "-C", partial], check=True)
            partial.rename(folder)
        return folder

    def compilers(self, how):
        c, cxx, fortran = COMPILERS[how]
        return {
            **self.environment, "OMPI_CC": c, "OMPI_CXX": cxx, "OMPI_FC": fortran,
            **({"PARCAST_COUNTING": "in-place"} if how == "in-place" else {}),
        }

    def compiled(self, name, how):
        """Returns the folder with the package's binaries."""
        folder = self.work / "built" / how / name
        done = folder / "seconds"
        if not done.exists():
            shutil.rmtree(folder, ignore_errors=True)
            shutil.copytree(self.source(PACKAGES[name]), folder, symlinks=True)
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            PACKAGES[name].build(folder, self.compilers(how))
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            done.write_text(repr(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime))
        return folder

    def line(self, program, how, run, folder):
        """Returns the launch line, and writes the program's files to `folder`."""
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in program.files(self.source(PACKAGES[program.package]), run).items():
            (folder / name).write_text(text)
        return [
            *LAUNCH, "-n", str(run.p), str(self.compiled(program.package, how) / program.binary),
            *map(str, program.words(run)),
        ]

    def recorded(self, name, how, run, more=""):
        target = self.work / "recorded" / f"{name}-{how}-{run.name()}{more}.recording"
        if not target.exists():
            target.parent.mkdir(exist_ok=True)
            folder = self.work / "runs" / f"{name}-{how}-{run.name()}{more}"
            shutil.rmtree(folder, ignore_errors=True)
            line = self.line(PROGRAMS[name], how, run, folder)
            flags = [
                word
                for key, value in PROGRAMS[name].parameters(run).items()
                for word in ("--param", f"{key}={value}")
            ]
            with open(folder / PROGRAMS[name].read) as given:
                done = subprocess.run(
                    ["parcast", "record", "-q", "--no-store", "-o", target, *flags, "--", *line], cwd=folder,
                    env=self.environment, stdin=given, capture_output=True, text=True,
                )
            if done.returncode:
                sys.exit(
                    f"{name} {run.name()}: ended with"
                    f" {done.returncode}\n{done.stdout[-2000:]}{done.stderr[-2000:]}"
                )
        return target

    def blocks(self, recordings):
        done = subprocess.run(
            ["parcast", "show", *recordings, "--blocks", "--json"], env=self.environment, capture_output=True,
            text=True,
        )
        if done.returncode not in (0, 3):
            sys.exit(
                f"parcast show {' '.join(map(str, recordings))} --blocks: ended with"
                f" {done.returncode}\n{done.stderr}"
            )
        return json.loads(done.stdout)

    def seen(self, recording):
        """Returns (source, function, block) -> executions in all processes."""
        counts = collections.Counter()
        for block in self.blocks([recording])["blocks"]:
            counts[key_of(block, self.work)] += round(block["seen"])
        return counts


def key_of(block, work):
    """Returns a key that is equal for all builds of a file."""
    return (
        re.sub(rf"^{re.escape(str(work))}/built/[^/]*/", "", block["source"]), block["function"],
        block["block"],
    )


def percent(share):
    return f"{100 * share:.2f} %"


def print_tiers(equations, seconds):
    blocks, loops = len(equations["blocks"]), len(equations["loops"])
    print(f"    {blocks} blocks, {loops} loops, read in {seconds:.1f} s")
    for tier in TIERS:
        of = equations["tiers"][tier]
        print(
            f"      {tier:10}  loops {percent(of['loops'] / max(loops, 1)):>9}   blocks"
            f" {percent(of['blocks'] / max(blocks, 1)):>9}   executions {percent(of['executions']):>9}   work"
            f" {percent(of['work']):>9}"
        )


def print_errors(bench, equations, run, counted):
    processes = [{**run.parameters, **bench.grids.values(run.p, rank)} for rank in range(run.p)]
    predicted, texts, untold = collections.Counter(), {}, 0

    @functools.cache
    def value(text):
        function = function_of(text)
        return float(sum(function(values) for values in processes))

    for block in equations["blocks"]:
        key = key_of(block, bench.work)
        texts[key] = block
        try:
            predicted[key] += value(block["executions"])
        except (ArithmeticError, ValueError, KeyError) as error:
            untold += 1
            if untold > 3:
                continue
            print(
                f"    {block['function']} block {block['block']}: {block['executions'][:120]} has no value"
                f" there: {error!r}"
            )
    total = sum(counted.values())
    missed = {key: abs(predicted[key] - counted[key]) for key in {*predicted, *counted}}
    unknown = sum(counted[key] for key in counted if key not in texts)
    print(
        f"    error of all counts at {run.name()}: {percent(sum(missed.values()) / total)} of"
        f" {total:.4g} executions; {percent(unknown / total)} in blocks that were not executed before"
        + (f"; {untold} without a value" if untold else "")
    )
    by_tier = collections.Counter()
    for key, miss in missed.items():
        by_tier[texts[key]["found"] if key in texts else "not seen"] += miss
    print(
        "    of that:", ", ".join(f"{tier} {percent(miss / total)}" for tier, miss in by_tier.most_common())
    )
    for key in sorted(missed, key=missed.get, reverse=True)[:10]:
        block = texts.get(key)
        at = f"{block['at'][0]['file']}:{block['at'][0]['line']}" if block and block["at"] else key[0]
        print(
            f"      {percent(missed[key] / total):>8}  {key[1]} block {key[2]} {at}: counted {counted[key]},"
            f" predicted {predicted[key]:.6g},"
            f" {block['found'] + ': ' + block['executions'][:160] if block else 'not executed before'}"
        )


def print_repeated(bench, name, counted):
    """Prints how the larger run differs from its repetition. No prediction can have a smaller error, except
    by chance."""
    again = bench.seen(bench.recorded(name, "counted", PROGRAMS[name].large, "-again"))
    missed = {key: abs(again[key] - counted[key]) for key in {*again, *counted}}
    total = sum(counted.values())
    by_function = collections.Counter()
    for key, miss in missed.items():
        by_function[key[1]] += miss
    most = ", ".join(
        f"{function} {percent(miss / total)}" for function, miss in by_function.most_common(5) if miss > 0
    )
    print(
        (
            "    the same run again differs by"
            f" {percent(sum(missed.values()) / total)}{': ' + most if most else ''}"
        ),
        flush=True,
    )


def compare_counting(bench, name, run):
    """Compares few counters with one in each block, two runs each. Functions that wait in loops or read the
    clock differ between any two runs and are excluded."""
    few, each = (
        [bench.seen(bench.recorded(name, how, run, more)) for more in ("", "-again")]
        for how in ("counted", "in-place")
    )
    keys = set().union(*few, *each)
    varying = {key[:2] for key in keys if any(one[key] != again[key] for one, again in (few, each))}
    same = {key for key in keys if key[:2] not in varying}
    wrong = sorted(key for key in same if few[0][key] != each[0][key])
    print(
        f"    few counters against one in each block at {run.name()}: {len(same)} of {len(keys)} blocks"
        f" ({percent(sum(few[0][key] for key in same) / sum(few[0].values()))} of executions) are of"
        f" functions that do the same in a second run; of these {len(wrong)} differ"
    )
    for key in wrong[:10]:
        print(f"      {key[0]} {key[1]} block {key[2]}: {few[0][key]} by few, {each[0][key]} by one each")
    return not wrong


def check(bench, name):
    program = PROGRAMS[name]
    print(f"{name} ({program.package})", flush=True)
    small = [bench.recorded(name, "counted", run) for run in program.small]
    counted = bench.seen(bench.recorded(name, "counted", program.large))
    for runs in (1, len(small)):
        print(f"  {runs} recording{'s' if runs > 1 else ''}", flush=True)
        before = time.monotonic()
        equations = bench.blocks(small[:runs])
        print_tiers(equations, time.monotonic() - before)
        print_errors(bench, equations, program.large, counted)
    print_repeated(bench, name, counted)
    return compare_counting(bench, name, program.compared or program.small[0])


def overhead(bench, name, pairs):
    """Returns the ratio of counted to plain seconds, in adjacent pairs with alternating order."""
    program, ratios, folder = PROGRAMS[name], [], bench.work / "runs" / f"{name}-timed"
    lines = {how: bench.line(program, how, program.timed, folder) for how in ("plain", "counted")}
    longest = 0
    for pair in range(pairs):
        seconds = {}
        for how in (("plain", "counted") if pair % 2 else ("counted", "plain")):
            before = time.monotonic()
            with open(folder / program.read) as given:
                subprocess.run(
                    lines[how], cwd=folder, env=bench.environment, check=True, stdin=given,
                    stdout=subprocess.DEVNULL,
                )
            seconds[how] = time.monotonic() - before
        ratios.append(seconds["counted"] / seconds["plain"])
        longest = max(longest, seconds["plain"])
    compiling = {
        how: float((bench.compiled(program.package, how) / "seconds").read_text())
        for how in ("plain", "counted")
    }
    print(
        (
            f"{name}: run time {statistics.median(ratios):.3f} of that without counters ({min(ratios):.3f} .."
            f" {max(ratios):.3f}, {pairs} pairs of up to {longest:.1f} s, {program.timed.name()}); compiling"
            f" {program.package} {compiling['counted'] / compiling['plain']:.2f} of"
            f" {compiling['plain']:.1f} s"
        ),
        flush=True,
    )


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--build", default=str(ROOT / "build/release"))
    parser.add_argument("--work", default=str(ROOT / "out/real_programs"))
    parser.add_argument("--only", default=",".join(PROGRAMS))
    parser.add_argument("--overhead", action="store_true")
    parser.add_argument("--pairs", type=int, default=5)
    options = parser.parse_args()
    bench, right = Bench(options), True
    for name in options.only.split(","):
        if options.overhead:
            overhead(bench, name, options.pairs)
        else:
            right = check(bench, name) and right
    sys.exit(0 if right else 1)


if __name__ == "__main__":
    main()
