#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Recording unmodified programs of Debian at p = 2, 4, 8 (packages hpcc in C, lammps and ray in C++,
quantum-espresso and cp2k in Fortran; missing ones are left out, which is printed): the same exit code and
output as without the recorder; calls equal to an independent counting library loaded behind the recorder in
the same run (these programs poll, so two runs never make the same calls); messages and bytes equal to Open
MPI's own monitoring component, whose internal collective traffic is kept apart. Then the share of time by
origin of the models, and lammps predicted at a size and step count that were not recorded.

    bench/accuracy/real_programs.py [--build build/release] [--machine FILE] [--only counts|times]"""
import collections
import gzip
import os
import pathlib
import random
import re
import shutil
import statistics
import subprocess

from common import ROOT, Bench, percent, table

HERE = pathlib.Path(__file__).resolve().parent
PROCESSES = [2, 4, 8]


def make_shim(bench):
    include = subprocess.run(
        ["mpicc", "--showme:incdirs"], capture_output=True, text=True, check=True
    ).stdout.split()
    header = next(path for folder in include if (path := pathlib.Path(folder) / "mpi.h").exists())
    source = subprocess.run(
        [ROOT / "tests/record/counting_shim.py", header], capture_output=True, text=True, check=True
    ).stdout
    (bench.work / "shim.c").write_text(source)
    subprocess.run(["mpicc", "-shared", "-fPIC", "-w", "-o", "shim.so", "shim.c", "-ldl"], check=True)
    return bench.work / "shim.so"


def programs(bench):
    template = pathlib.Path("/usr/share/doc/hpcc/examples/_hpccinf.txt").read_text()

    def hpcc_input(p):
        rows = next(q for q in (2, 1) if p % q == 0)
        text = re.sub(r"^1000(\s+Ns)", r"400\1", template, flags=re.M)
        text = re.sub(r"^2(\s+Ps)", rf"{rows}\1", text, flags=re.M)
        (pathlib.Path.cwd() / "hpccinf.txt").write_text(
            re.sub(r"^2(\s+Qs)", rf"{p // rows}\1", text, flags=re.M)
        )

    lj = ["lmp", "-in", str(HERE / "in.lj"), "-log", "none", "-v", "n", "8", "-v", "t", "200"]
    known = {"hpcc": (["hpcc"], hpcc_input), "lammps": (lj, lambda p: None),
             "espresso": (["pw.x", "-in", "si.in"], lambda p: silicon()),
             "cp2k": (["cp2k.psmp", "-i", "argon.inp"], lambda p: argon()),
             "ray": (["Ray", "-k", "21", "-s", "reads.fasta", "-o", "assembly"], lambda p: reads())}
    for name, (line, _) in list(known.items()):
        if not shutil.which(line[0]):
            print(f"{name} is left out: {line[0]} is not installed")
            del known[name]
    return known


def silicon():
    """Writes two atoms in a plane-wave calculation, with a generated pseudopotential."""
    pathlib.Path("ld1.in").write_text("""&input
 title='Si', zed=14., rel=1, config='[Ne] 3s2 3p2 3d-1', iswitch=3, dft='PZ' /
&inputp
 lloc=2, pseudotype=1, file_pseudopw='Si.UPF', tm=.true. /
3
3S 1 0 2.00 0.00 2.50 2.50 0.0
3P 2 1 2.00 0.00 2.50 2.50 0.0
3D 3 2 -2.00 -0.30 2.50 2.50 0.0
""")
    with open("ld1.in") as text:
        subprocess.run(
            ["ld1.x"], stdin=text, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True
        )
    pathlib.Path("si.in").write_text("""&control
 calculation='scf', prefix='si', pseudo_dir='.', outdir='./out', disk_io='none' /
&system
 ibrav=2, celldm(1)=10.2, nat=2, ntyp=1, ecutwfc=12.0 /
&electrons
 conv_thr=1e-6 /
ATOMIC_SPECIES
 Si 28.086 Si.UPF
ATOMIC_POSITIONS alat
 Si 0.00 0.00 0.00
 Si 0.25 0.25 0.25
K_POINTS automatic
 2 2 2 0 0 0
""")


def argon():
    """Writes 108 atoms for 100 steps, as in the package."""
    pathlib.Path("argon.inp").write_bytes(gzip.open("/usr/share/doc/cp2k/examples/argon.inp.gz").read())


def reads():
    """Writes pieces of a random genome."""
    source = random.Random(7)
    genome = "".join(source.choice("ACGT") for _ in range(3000))
    with open("reads.fasta", "w") as out:
        for i in range(600):
            at = source.randrange(len(genome) - 80)
            out.write(f">{i}\n{genome[at:at + 80]}\n")


# Lines with costs of a run; they may be equal in two runs and differ in a third.
COSTS = re.compile(r"(?i)time|second|perform|cpu|memory|latency|reclaimable|cached|neighs|nlocal|nghost")


def lines_of(text):
    """Returns the lines without those of COSTS; whitespace between columns is ignored."""
    return collections.Counter(" ".join(line.split()) for line in text.splitlines() if not COSTS.search(line))


def run_folder(bench, name, p, kind):
    folder = bench.work / f"{name}-{p}-{kind}"
    folder.mkdir()
    os.chdir(folder)
    return folder


def plain(bench, name, p, line, prepare, repeat):
    run_folder(bench, name, p, f"plain-{repeat}")
    prepare(p)
    return subprocess.run([*bench.launch(p), *line], capture_output=True, text=True)


def watched(bench, name, p, line, prepare, shim):
    folder = run_folder(bench, name, p, "watched")
    prepare(p)
    recorder = bench.build / "lib/libparcast-record.so"
    (folder / "rec").mkdir()
    exports = {"LD_PRELOAD": f"{recorder}:{shim}", "PARCAST_OUT": folder / "rec", "COUNTING_SHIM_OUT": folder}
    flags = [word for k, v in exports.items() for word in ("-x", f"{k}={v}")]
    monitor = ["--mca", "pml_monitoring_enable", "2", "--mca", "pml_monitoring_enable_output", "3",
               "--mca", "pml_monitoring_filename", str(folder / "monitor"),
               # The linear alltoall and alltoallv start persistent requests, which the component counts as
               # the program's own; the pairwise ones do not.
               "--mca", "coll_tuned_use_dynamic_rules", "1", "--mca", "coll_tuned_alltoall_algorithm", "2",
               "--mca", "coll_tuned_alltoallv_algorithm", "2"]
    launch = bench.launch(p)
    done = subprocess.run([launch[0], *flags, *monitor, *launch[1:], *line], capture_output=True, text=True)
    return done, folder


def oracle(folder, rank):
    calls = dict(line.split() for line in (folder / f"counts-{rank}.txt").read_text().splitlines())
    messages = size = internal = 0
    for line in (folder / f"monitor.{rank}.prof").read_text().splitlines():
        match = re.match(r"([EI])\s+\d+\s+\d+\s+(\d+) bytes\s+(\d+) msgs", line)
        if match and match[1] == "E":
            size, messages = size + int(match[2]), messages + int(match[3])
        elif match:
            internal += int(match[3])
    return {name: int(count) for name, count in calls.items()}, messages, size, internal


def compare(bench, name, p, line, prepare, shim):
    without, again = (plain(bench, name, p, line, prepare, repeat) for repeat in range(2))
    done, folder = watched(bench, name, p, line, prepare, shim)
    counts = bench.answer("show", folder / "rec", "--counts")
    wrong, local, events, messages, internal = [], collections.Counter(), 0, 0, 0
    for rank in counts["ranks"]:
        calls, sent, size, inside = oracle(folder, rank["rank"])
        internal += inside
        messages += sent
        events += rank["events"]
        for call in sorted({*calls, *rank["calls"]}):
            if call not in rank["calls"]:
                local[call] += calls[call]
            elif rank["calls"][call] != calls.get(call, 0):
                wrong.append(
                    f"rank {rank['rank']} {call}: recorded {rank['calls'][call]}, counted"
                    f" {calls.get(call, 0)}"
                )
        if (rank["messages_sent"], rank["bytes_sent"]) != (sent, size):
            wrong.append(
                f"rank {rank['rank']}: messages {rank['messages_sent']} bytes {rank['bytes_sent']}, monitored"
                f" {sent} {size}"
            )
    # without times, dates and other text that differs between runs
    steady = lines_of(without.stdout) & lines_of(again.stdout)
    same_output = not steady - lines_of(done.stdout)
    print(*wrong[:10], sep="\n", end="\n" if wrong else "")
    return [
        name, p, f"{without.returncode} {done.returncode}",
        f"{steady.total()} lines" if same_output else "NO", events, messages, internal, len(wrong),
    ], local


def lammps_prediction(bench):
    os.chdir(bench.work)
    machine = bench.options.machine
    if machine is None:
        machine = bench.work / "here.machine.toml"
        bench.parcast("calibrate", "-o", machine, "--budget", "40s", "--no-store")

    def line(p, n, t):
        return [
            *bench.launch(p), "lmp", "-in", str(HERE / "in.lj"), "-log", "none", "-v", "n", str(n), "-v", "t",
            str(t),
        ]

    recordings = [bench.record(bench.work / f"lj-{p}-{n}-{t}.recording", {"n": n, "t": t}, line(p, n, t))
                  for p in (1, 2) for n in (8, 10, 12) for t in (100, 200, 300)]
    model = bench.work / "lammps.model.json"
    print(bench.parcast("model", "--no-store", "-o", model, *recordings))
    rows = []
    for p, n, t in ((2, 16, 500), (1, 16, 500), (2, 20, 400)):
        answer = bench.answer(
            "predict", model, "-m", machine, "-p", p, "-s", f"n={n}", "-s", f"t={t}", "--no-store"
        )
        measured = []
        for repeat in range(3):
            target = bench.work / f"lj-held-out-{p}-{n}-{t}-{repeat}.recording"
            bench.record(target, {"n": n, "t": t}, line(p, n, t))
            measured.append(max(rank["seconds"] for rank in bench.answer("show", target)["ranks"]))
        middle, seconds = statistics.median(measured), answer["seconds"]
        rows.append(
            [
                p, n, t, f"{seconds['value']:.3f}", f"{seconds['low']:.3f} .. {seconds['high']:.3f}",
                f"{middle:.3f}", percent(seconds["value"] / middle - 1),
                ", ".join(f"{k} {v:.3f}" for k, v in answer["coverage"].items() if v),
            ]
        )
    table(["p", "n", "t", "predicted", "90 % interval", "measured", "error", "share of time by origin"], rows)


def compare_counts(bench):
    shim, rows, local, recordings = make_shim(bench), [], collections.Counter(), {}
    for name, (line, prepare) in programs(bench).items():
        for p in PROCESSES:
            row, unrecorded = compare(bench, name, p, line, prepare, shim)
            rows.append(row)
            local.update(unrecorded)
            recordings.setdefault(name, []).append(bench.work / f"{name}-{p}-watched" / "rec")
    table(
        [
            "program", "p", "exit codes", "same output", "events", "messages", "internal messages",
            "differences",
        ],
        rows,
    )
    print(
        "calls that move no data, not recorded:",
        ", ".join(f"{name} {count}" for name, count in sorted(local.items())),
    )
    for name, folders in recordings.items():
        os.chdir(bench.work)
        model = bench.answer("model", "--no-store", "-o", f"{name}-counts.model.json", *folders)
        print(
            name, "share of time by origin:",
            ", ".join(f"{k} {v:.3f}" for k, v in model["share_by_origin"].items() if v),
        )


def main():
    bench = Bench(
        __doc__, [(["--machine"], {"default": None}), (["--only"], {"choices": ["counts", "times"]})]
    )
    os.environ.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")
    if bench.options.only != "times":
        compare_counts(bench)
    if bench.options.only != "counts":
        lammps_prediction(bench)


main()
