#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Validates what the verbs print with --json against their schemas (parcast schema NAME).

    tests/schemas/run.py --build BUILD [--keep] [--only golden|recorded]

Documents come from every golden case, whose commands run with a `parcast` that calls the built one once more
with --json, and from a program that is recorded, modelled and studied here. Errors are validated as well.
Fails for a document that its schema does not accept, and for a schema without a document."""
import argparse
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile

try:
    import jsonschema
except ImportError:
    print("python3-jsonschema is not installed")
    sys.exit(77)

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
GOLDEN = ROOT / "tests" / "golden"
# Verbs that change no file, and so may run twice.
READERS = (
    "show predict sweep fit regress plan explain interpret simulate compare validate doctor config schema"
    " machine"
)
WRAPPER = r"""#!/usr/bin/env bash
# Runs the built parcast, then once more with --json for the collection.
@PARCAST@ "$@"
code=$?
case " @READERS@ " in *" ${1:-none} "*) ;; *) exit $code ;; esac
[ "$1" = machine ] && case "${2:-}" in set | new) exit $code ;; esac
for word in "$@"; do
  case $word in -o | --output | --output=* | --to | --plot | --save | -h | --help | --) exit $code ;; esac
done
number=$(mktemp "@COLLECTION@/XXXXXXXX")
printf '%q ' parcast "$@" --json > "$number.command"
timeout 60 @PARCAST@ "$@" --json > "$number.out" 2> "$number.err" < /dev/null
exit $code
"""


class Checker:
    def __init__(self, parcast):
        self.parcast = parcast
        listed = json.loads(self.output("schema", "--json"))
        self.validators = {}
        for each in listed["schemas"]:
            schema = json.loads(self.output("schema", each["name"]))
            jsonschema.Draft202012Validator.check_schema(schema)
            self.validators[each["schema"]] = jsonschema.Draft202012Validator(schema)
        self.seen, self.faults = {}, {}
        self.check(listed, "parcast schema --json")

    def output(self, *words):
        return subprocess.run([self.parcast, *words], check=True, capture_output=True, text=True).stdout

    def check(self, document, origin):
        name = document.get("schema") if isinstance(document, dict) else None
        if name in (None, "parcast.recording/1"):  # the latter is a file inside recordings
            return
        if name not in self.validators:
            self.faults.setdefault(f"{name} has no schema", origin)
            return
        self.seen[name] = self.seen.get(name, 0) + 1
        for error in self.validators[name].iter_errors(document):
            best = jsonschema.exceptions.best_match([error])
            path = re.sub(r"\b\d+\b", "N", "/".join(map(str, best.absolute_path)))
            self.faults.setdefault(f"{name} at /{path}: {best.message[:300]}", origin)

    def check_text(self, text, origin):
        try:
            self.check(json.loads(text), origin)
        except json.JSONDecodeError:
            pass  # a verb that prints text, or an error

    def check_errors(self, text, origin):
        for line in text.splitlines():
            if line.startswith('{"schema":"parcast.error/1"'):
                self.check_text(line, origin)


def golden(checker, binaries, work):
    """Runs the commands of all golden cases with the wrapper, and checks what it collected."""
    collection, wrappers = work / "collection", work / "bin"
    collection.mkdir()
    wrappers.mkdir()
    wrapper = wrappers / "parcast"
    wrapper.write_text(
        WRAPPER.replace("@PARCAST@", str(binaries / "parcast"))
        .replace("@READERS@", READERS)
        .replace("@COLLECTION@", str(collection))
    )
    wrapper.chmod(0o755)
    for name in ("parcast-cc", "parcast-cxx", "parcast-fc"):
        (wrappers / name).symlink_to(binaries / name)
    keep = {name: value for name, value in os.environ.items() if not name.startswith("PARCAST_")}
    keep.update(
        {
            "PATH": f"{wrappers}:{binaries.parent / 'examples'}:{keep['PATH']}",
            "LC_ALL": "C.UTF-8",
            "NO_COLOR": "1",
            "XDG_CONFIG_HOME": str(work),
        }
    )
    for case in sorted(path.parent for path in GOLDEN.glob("*/command")):
        here = work / "cases" / case.name
        shutil.copytree(case, here)
        subprocess.run(
            ["bash", "-u", str(case / "command")],
            cwd=here,
            env=keep,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=300,
            check=False,
        )
        for file in here.rglob("*.json"):
            checker.check_text(file.read_text(errors="replace"), f"{case.name}/{file.name}")
    for command in sorted(collection.glob("*.command")):
        origin = command.read_text().strip()
        checker.check_text(command.with_suffix(".out").read_text(errors="replace"), origin)
        checker.check_errors(command.with_suffix(".err").read_text(errors="replace"), origin)


def recorded(checker, binaries, work):
    """Takes a program all the way, so that documents of runs are there, too."""
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith("PARCAST_")},
        "PATH": f"{binaries}:{binaries.parent / 'examples'}:{os.environ['PATH']}",
        "OMPI_ALLOW_RUN_AS_ROOT": "1",
        "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
        "XDG_CONFIG_HOME": str(work),
    }
    here = work / "recorded"
    here.mkdir()

    def run(line, codes=(0,)):
        done = subprocess.run(
            ["bash", "-c", line],
            cwd=here,
            env=environment,
            capture_output=True,
            text=True,
            errors="replace",
            stdin=subprocess.DEVNULL,
            timeout=300,
        )
        if done.returncode not in codes:
            raise SystemExit(f"{line}: exit {done.returncode}\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
        checker.check_text(done.stdout, line)
        for text in done.stderr.splitlines():
            checker.check_text(text, line)  # record prints its summary there
        checker.check_errors(done.stderr, line)
        return done.stdout

    for p, n, steps in ((1, 96, 20), (2, 96, 20), (2, 145, 20), (2, 201, 31), (1, 145, 31)):
        run(
            f"parcast record --json --param N={n} --param steps={steps} -o r{p}-{n}-{steps}.recording --"
            f" mpirun --oversubscribe -n {p} shallow_water {n} {steps}"
        )
    for line in (
        "parcast calibrate --json -o here.machine.toml --budget 3s",
        "parcast model --json -o m.model.json r*.recording",
        "parcast show r2-96-20.recording --counts --json",
        "parcast show r2-96-20.recording --events --json",
        "parcast show r2-96-20.recording --patterns --json",
        "parcast show m --json",
        "parcast machine show here --json",
        "parcast machine show here --system --json",
        "parcast machine diff here ideal --json",
        "parcast machine list --json",
        "parcast machine show here --pattern allreduce --json",
        "parcast machine set here 'L*2' -o slower.machine.toml --json",
        "parcast doctor shallow_water --json",
        "parcast config --json",
        "parcast store list --json",
        "parcast store tag list --json",
        "parcast store check --json",
        "parcast store export > x.json && cat x.json",
        "parcast store import x.json --json",
        "parcast store add r1-96-20.recording --json",
        (
            'parcast store show $(parcast store list --json | grep -o \'"id": "[^"]*"\' | head -1 | cut'
            " -d'\"' -f4) --json"
        ),
        (
            'parcast store rm $(parcast store list --json | grep -o \'"id": "[^"]*"\' | head -1 | cut'
            " -d'\"' -f4) --json --yes --force"
        ),
        "parcast compare r1-96-20.recording r2-96-20.recording --json",
        "parcast export r2-96-20.recording --to r2.goal --json",
        "parcast export r2-96-20.recording --to r2.otf2 --json",
        "parcast import r2.otf2 -o again.recording --json",
        "parcast import r2.goal -o r2.trace --json",
        "parcast show r2.trace --json",
    ):
        run(line, (0, 1, 2, 3))
    at = "-p 2 -s N=400 -s steps=50"
    for line in (
        f"predict m -m here {at} --source {ROOT / 'examples'}",
        f"predict m -m here -m slower {at}",
        f"predict m {at} --counts",
        f"explain m -m here {at} --source {ROOT / 'examples'}",
        f"explain m -m here {at} --all",
        "sweep m -m here --vary p=1,2,4 -s N=400 -s steps=50",
        "sweep m -m here --vary p=1,2,4 -s N=400 -s steps=50 --regions",
        "sweep m -m here -m slower --vary p=1,2,4 -s N=400 -s steps=50",
        f"simulate m -m here {at} --regions --pairs --critical-path --all",
        "simulate m -m here --vary p=1,2 -s N=400 -s steps=50",
        f"simulate m -m here {at} --noise 1 --set noise=0.05 --repeats 5",
        f"simulate m -m extrap-table-1 {at}",
        f"predict m -m extrap-table-1 --engine extrap {at}",
        f"interpret m -m here {at}",
        f"interpret m -m here {at} --map block --map cyclic",
        f"report m -m here {at} -o m.html",
        f"predict m -m here {at} --limit 24h --engine interpret",
    ):
        run(f"parcast {line} --json", (0, 3))
    for line in (
        "predict nothing --json",
        "predict m --json -m nothing -p 2",
        "predict m --jsn",
        "--json what",
        "sweep m --json",
        "store show nothing --json",
    ):
        run(f"parcast {line}", (1, 2))
    run("parcast report r2-96-20.recording -m here -o run.html --json")
    served(checker, binaries, here, environment)
    if shutil.which("mpicc"):
        library = binaries.parent / "src" / "record"  # of the region calls
        run(
            f"mpicc -O2 -g -I{ROOT / 'include'} -o graph {ROOT / 'examples/gauss/gauss.c'} -L{library}"
            " -lparcast -lm && parcast show ./graph --calls --json"
        )
    run(
        f"parcast record --json --local {here}/local -o l.recording -- "
        "mpirun --oversubscribe -n 2 shallow_water 20 2",
        (0, 3),
    )
    run("parcast record --gather l.recording --json", (0, 3))
    run(
        "echo program,machine,p,N,steps,seconds,measured_at > v.csv; echo"
        " shallow_water,here,2,400,50,1.5,2099-01-01T00:00:00Z >> v.csv; parcast validate v.csv --json"
    )
    run(
        (
            "parcast study --json --oversubscribe -m here --vary p=1,2 --vary N=96,145 --ask p=4,N=200"
            " --check p=2,N=160 --graph p=1,2,4 -o s.study -- mpirun --oversubscribe -n {p} shallow_water"
            " {N} 20"
        ),
        (0, 3),
    )
    if shutil.which("clang-19"):
        libraries = binaries.parent / "src" / "record"  # of the region library
        run(
            f"OMPI_CC=parcast-cc mpicc -O2 -g -I{ROOT / 'include'} -o g"
            f" {ROOT / 'examples/gauss/gauss.c'} -L{libraries} -lparcast -Wl,-rpath,{libraries} -lm &&"
            " parcast record -q -o b.recording -- mpirun --oversubscribe -n 2 ./g 40 && parcast model -q -o"
            " b.model.json b.recording"
        )
        run("parcast show b.recording --blocks --json", (0, 3))
    for file in [*here.glob("*.json"), *here.glob("*.study/*.json")]:
        checker.check_text(file.read_text(), str(file.name))


def served(checker, binaries, here, environment):
    """Starts the page of `parcast ui`, which prints its address as soon as it serves, and ends it."""
    server = subprocess.Popen(
        [str(binaries / "parcast"), "ui", str(here), "--no-browser", "--json", "-q"],
        cwd=here,
        env=environment,
        stdout=subprocess.PIPE,
        text=True,
    )
    checker.check_text(server.stdout.readline(), "parcast ui --json")
    server.send_signal(signal.SIGINT)
    server.wait(timeout=60)


def main():
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("--build", required=True, type=pathlib.Path)
    options.add_argument("--keep", action="store_true", help="do not remove the working folder")
    options.add_argument("--only", choices=("golden", "recorded"))
    given = options.parse_args()
    binaries = given.build.resolve() / "bin"
    checker = Checker(binaries / "parcast")
    work = pathlib.Path(tempfile.mkdtemp(prefix="parcast-schemas-"))
    try:
        if given.only != "recorded":
            golden(checker, binaries, work)
        if given.only != "golden":
            recorded(checker, binaries, work)
    finally:
        if given.keep:
            print(f"kept: {work}")
        else:
            shutil.rmtree(work, ignore_errors=True)
    for fault, origin in sorted(checker.faults.items()):
        print(f"{fault}\n    of {origin[:300]}")
    unseen = sorted(set(checker.validators) - set(checker.seen))
    if shutil.which("clang-19") is None:
        unseen = [name for name in unseen if name != "parcast.blocks/1"]  # nothing compiles with counters
    if unseen and not given.only:
        print("no document was seen of " + ", ".join(unseen))
    print(
        f"{sum(checker.seen.values())} documents of {len(checker.seen)} schemas, {len(checker.faults)} faults"
    )
    return 1 if checker.faults or (unseen and not given.only) else 0


if __name__ == "__main__":
    sys.exit(main())
