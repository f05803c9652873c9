# SPDX-License-Identifier: Apache-2.0
"""The inputs that mutants.py changes, and the verbs that read them. Seeds are files of the repository, and
outputs of the built examples."""
import json
import os
import pathlib
import shutil
import subprocess

import mutations
import recording_checks

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SEEDS, GOLDEN, MACHINES = ROOT / "tests/fuzz/seeds", ROOT / "tests/golden", ROOT / "src/machine"
WITH = "--with L=1us --with G=1ns/B"
SMALL = 1 << 20  # bytes of a seed at most: mutants of larger ones show the same, and take longer


class Seed:
    """A file, or a folder; of a folder, one file at a time is changed."""

    def __init__(self, path, values=""):
        self.path, self.name, self.values = pathlib.Path(path), pathlib.Path(path).name, values

    def words(self, command, shared):
        """Returns the words of `command` for this seed: {values} are values of its parameters."""
        return command.format(input=self.name, shared=shared, values=self.values).split()

    def place(self, rng, folder):
        """Writes a mutant to the folder; returns its size in bytes, and a description of the changes."""
        to = folder / self.name
        if not self.path.is_dir():
            changes = self.change(rng, self.path, to)
            return to.stat().st_size, changes
        shutil.copytree(self.path, to, symlinks=True)
        files = sorted(each for each in to.rglob("*") if each.is_file() and not each.is_symlink())
        member = rng.choice(files)
        changes = self.change(rng, member, member)
        return sum(each.stat().st_size for each in files), f"{member.relative_to(to)}: {changes}"

    def change(self, rng, path, to):
        data = path.read_bytes()
        changed, names = mutations.mutate(rng, data, is_text(data))
        if path.suffix == ".rec" and rng.random() < 0.9:
            changed, names = recording_checks.mutate(rng, data)
        to.write_bytes(changed)
        return names


def is_text(data):
    return b"\0" not in data[:4096]


class Kind:
    def __init__(self, name, seeds, commands):
        self.name, self.commands = name, commands
        self.seeds = [each if isinstance(each, Seed) else Seed(each) for each in seeds]


MODEL_VERBS = [
    "show {input}", "show {input} --json", "predict {input} -m ideal -p 4 {values} --no-store",
    "predict {input} -m ncube-2 -p 3 {values} --json --no-store", "predict {input} -p 2 {values} --counts",
    "predict {input} -m ncube-2 -p 4 {values} --engine simulate --no-store",
    "explain {input} -m ncube-2 -p 4 {values}", "simulate {input} -m ncube-2 -p 4 {values}",
    "interpret {input} -m ncube-2 -p 4 {values}", "sweep {input} -m ncube-2 --vary p=1,2,4 {values} --csv",
]
SET = WITH.replace("--with", "--set")
TRACE_VERBS = [
    "simulate {input} " + SET, "simulate {input} " + SET + " --regions --pairs --all",
    "simulate {input} " + SET + " --critical-path --json", "interpret {input} " + WITH,
    "interpret {input} " + WITH + " --csv", "interpret {input} " + WITH + " --by-rank --json",
]


def static_kinds():
    def files(folder, *patterns):
        return sorted(each for pattern in patterns for each in folder.glob(pattern))

    measured = files(SEEDS / "measurements", "*") + files(
        GOLDEN, "measurements/*.csv", "fit_csv/*.csv", "plan_next/*.csv", "fit_refused/*.csv"
    )
    tables = [each for each in measured if each.suffix == ".csv"]
    return [
        Kind(
            "measured", tables,
            [
                "fit {input}", "fit {input} --json", "fit {input} --csv", "import {input} -o out.json",
                "fit {input} --predict p=64", "plan --next {input} --at p=256,n=4000",
                "import {input} -o out.txt",
            ],
        ),
        Kind(
            "extrap", [each for each in measured if each.suffix != ".csv"],
            [
                "fit {input}", "fit {input} --json", "import {input} -o out.csv",
                "import {input} -o out.jsonl", "plan --next {input} --at p=64", "fit {input} --predict p=64",
            ],
        ),
        Kind(
            "regress", files(SEEDS / "regress", "runs.csv", "arrays.csv")
            + files(GOLDEN, "regress/runs.csv", "regress_linearise/*.csv"),
            [
                "regress {input} --quick", "regress {input} --quick --json",
                "regress {input} --parameters n --quick --csv",
                "regress {input} --parameters n --linearise {shared}/cluster --quick",
                "regress {input} --counts operations,messages,bytes -o out.machine.toml --quick",
                "regress {input} --robust --nonnegative --quick",
            ],
        ),
        Kind(
            "formulas", files(SEEDS / "regress", "formulas.csv") + files(GOLDEN, "regress/counts.csv"),
            [
                "regress {shared}/times.csv --formulas {input} --quick",
                "regress {shared}/times.csv --formulas {input} --quick --json",
            ],
        ),
        Kind(
            "why", files(GOLDEN, "explain_why/*.csv"),
            [
                "explain --why {input}", "explain --why {input} --json",
                "explain --why {input} -p 4 -s n=7000 -o out.svg",
            ],
        ),
        Kind(
            "machine",
            files(MACHINES, "systems/*.toml", "published/*.toml") + files(GOLDEN, "machine_*/*.machine.toml"),
            [
                "machine show {input}", "machine show {input} --json", "machine show {input} --system",
                "machine check {input}", "machine show {input} --csv",
                "predict {shared}/trapezoid.program -m {input} -p 4 -s N=1000 -s times=2 --no-store",
                "simulate {shared}/ping_pong.goal -m {input}", "interpret {shared}/ping_pong.goal -m {input}",
                "machine show {input} --plot out.svg", "machine show {input} --system --as dot",
                "machine diff {input} ncube-2", "machine set {input} L*2 -o out.machine.toml",
            ],
        ),
        Kind(
            "topology", files(GOLDEN, "machine_topology/*.xml"),
            [
                "machine new --topology {input} -o out.machine.toml", "import {input} -o out.machine.toml",
                "machine new --topology {input} -o out.machine.toml --json",
            ],
        ),
        Kind(
            "platform", files(SEEDS / "simgrid_platform", "*"),
            ["import {input} -o out.machine.toml", "import {input} -o out.machine.toml --json"],
        ),
        Kind(
            "goal", files(SEEDS / "goal", "*") + files(GOLDEN, "*/*.goal"),
            TRACE_VERBS + ["import {input} -o out.trace"],
        ),
        Kind("trace", files(SEEDS / "trace", "*"), TRACE_VERBS),
        Kind(
            "ti", files(SEEDS / "time_independent", "*"),
            [
                "simulate {input} --flops 1e9 " + SET, "import {input} --flops 1e9 -o out.trace",
                "simulate {input} --flops 1e9 " + SET + " --regions --json",
            ],
        ),
        Kind(
            "export", files(SEEDS / "store", "*") + files(GOLDEN, "store/*.csv", "fit_store/*.csv"),
            [
                "store import {input} --store s.db", "store import {input} --store s.db --json",
                "validate {input} --store {shared}/store.db",
            ],
        ),
    ]


def run(command, **options):
    return (
        subprocess.run(
            [str(word) for word in command], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            check=False, **options
        ).returncode
        == 0
    )


def output(command):
    return subprocess.run(
        [str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False
    ).stdout


def values_of(parcast, model):
    """Returns a value for each of the model's parameters: "-s N=24 -s times=24"."""
    try:
        parameters = json.loads(output([parcast, "show", model, "--json"]))["parameters"]
    except (ValueError, KeyError):
        return ""
    return " ".join(f"-s {each['name']}=24" for each in parameters)


def record(parcast, examples, shared):
    """Makes two recordings of a small program; none without MPI or without the built example."""
    environment = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    made = []
    for processes, size in (2, 12), (3, 16):
        name = shared / f"gauss-{processes}.recording"
        if name.is_dir() or run(
            [
                parcast, "record", "-q", "-o", name, "--param", f"n={size}", "--", "mpirun",
                "--oversubscribe", "-n", processes, examples / "gauss", size,
            ],
            env=environment,
        ):
            made.append(name)
    return made


def made_kinds(parcast, examples, shared):
    recordings = record(parcast, examples, shared)
    run([parcast, "store", "import", GOLDEN / "store/runs.csv", "--store", shared / "store.db"])
    kinds = [
        Kind(
            "store", [shared / "store.db"],
            [
                "store list --store {input}", "store runs --store {input}", "store check --store {input}",
                "store export --store {input}", "store runs --store {input} --json",
            ],
        )
    ]
    programs = sorted((SEEDS / "program").iterdir()) + sorted(GOLDEN.glob("*/*.program"))
    kinds.append(
        Kind(
            "program", [Seed(each, values_of(parcast, each)) for each in programs],
            MODEL_VERBS + ["show {input} --patterns -p 4 {values}"],
        )
    )
    models = []
    for program in "trapezoid", "shallow_water":
        model = shared / f"{program}-written.model.json"
        model.write_bytes(output([parcast, "show", SEEDS / f"program/{program}.program", "--json"]))
        models.append(model)
    if recordings:
        first = recordings[0]
        run([parcast, "model", "-q", "-o", shared / "gauss.model.json"] + recordings)
        models.append(shared / "gauss.model.json")
        kinds.append(
            Kind(
                "recording", recordings,
                [
                    "show {input}", "show {input} --json", "show {input} --counts",
                    "model {input} -o out.model.json -q", "model {input} -o out.model.json --json",
                    "simulate {input} " + SET, "interpret {input} " + WITH, "export {input} --to out.goal",
                    "export {input} --to out.csv", "export {input} --to out.otf2", "show {input} --events",
                ],
            )
        )
        for ending, name in (".otf2", "otf2"), (".ti", "ti-folder"):
            to = shared / f"gauss{ending}"
            if not to.exists():
                run([parcast, "export", first, "--to", to])
            if ending == ".otf2" and to.is_dir():
                kinds.append(
                    Kind(
                        name, [to],
                        ["import {input} -o out.recording", "import {input} -o out.recording --json"],
                    )
                )
    kinds.append(
        Kind(
            "model",
            [
                Seed(each, values_of(parcast, each))
                for each in models
                if each.exists() and 0 < each.stat().st_size < SMALL
            ],
            MODEL_VERBS,
        )
    )
    return kinds


def prepare(binaries, work):
    """Returns all kinds, and the folder of unchanged files that commands use."""
    shared = work / "shared"
    shared.mkdir(parents=True, exist_ok=True)
    for path in (
        SEEDS / "program/trapezoid.program", SEEDS / "goal/ping_pong.goal", GOLDEN / "regress/times.csv",
        GOLDEN / "regress_linearise/cluster.machine.toml",
    ):
        shutil.copy(path, shared)
    kinds = static_kinds() + made_kinds(binaries / "parcast", binaries.parent / "examples", shared)
    return [kind for kind in kinds if kind.seeds], shared
