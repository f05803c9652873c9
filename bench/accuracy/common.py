# SPDX-License-Identifier: Apache-2.0
"""Shared parts of the accuracy checks: running parcast and the example programs, and parsing their output.

Every check takes --build DIR (default build/release) and --work DIR (a new folder for its files)."""
import argparse
import datetime
import functools
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


class Bench:
    """With `resume`, the work folder of an earlier run is kept."""

    def __init__(self, description, arguments=(), resume=False):
        parser = argparse.ArgumentParser(description=description)
        parser.add_argument("--build", default=str(ROOT / "build/release"))
        parser.add_argument(
            "--work", default=None, help="folder for recordings and models (default out/NAME)"
        )
        for names, options in arguments:
            parser.add_argument(*names, **options)
        self.options = parser.parse_args()
        self.build = pathlib.Path(self.options.build).resolve()
        name = pathlib.Path(sys.argv[0]).stem
        self.work = pathlib.Path(self.options.work or ROOT / "out" / name).resolve()
        if not resume:
            shutil.rmtree(self.work, ignore_errors=True)
        self.work.mkdir(parents=True, exist_ok=resume)
        self.began_in = pathlib.Path.cwd()
        os.chdir(self.work)
        os.environ["PATH"] = f"{self.build / 'bin'}:{os.environ['PATH']}"
        self.disturbed = 0  # number of repeated tries
        os.environ.setdefault("OMPI_ALLOW_RUN_AS_ROOT", "1")
        os.environ.setdefault("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1")

    def example(self, name):
        return str(self.build / "examples" / name)

    def launch(self, p):
        return ["mpirun", "--oversubscribe", "-n", str(p)]

    def parcast(self, *words):
        done = subprocess.run(["parcast", *map(str, words)], capture_output=True, text=True)
        if done.returncode not in (0, 3):
            sys.exit(f"parcast {' '.join(map(str, words))}\n{done.stderr}")
        return done.stdout

    def answer(self, *words):
        return json.loads(self.parcast(*words, "--json"))

    def record(self, target, parameters, launch_line, more=()):
        flags = [word for name, value in parameters.items() for word in ("--param", f"{name}={value}")]
        # output of the program
        self.printed = self.parcast(
            "record", "-q", "--no-store", "-o", target, *flags, *more, "--", *launch_line
        )
        return target

    @functools.cached_property
    def window(self):
        """Returns the library compiled from window.c."""
        library = self.work / "window.so"
        subprocess.run(
            [
                "mpicc", "-O2", "-shared", "-fPIC", "-ldl", "-o", library,
                pathlib.Path(__file__).with_name("window.c"),
            ],
            check=True,
        )
        return library

    def measure(self, launch_line, printed=False, folder=None):
        """Returns the seconds from MPI_Init's return to MPI_Finalize's entry on the slowest process
        (window.c). With `printed`, returns the seconds that the program itself prints: for programs without
        MPI, or when another library is preloaded. On a virtual machine the measurement is repeated while the
        host takes its processors away (undisturbed)."""
        environment = os.environ if printed else {**os.environ, "LD_PRELOAD": str(self.window)}
        name = "seconds" if printed else "window"

        def once():
            done = subprocess.run(
                list(map(str, launch_line)), capture_output=True, text=True, check=True, env=environment,
                cwd=folder,
            )
            printed_lines = [
                float(line.split()[1]) for line in done.stdout.splitlines() if line.startswith(f"{name} ")
            ]
            if not printed_lines:
                sys.exit(
                    f"{' '.join(map(str, launch_line))} printed no {name}: does its launcher pass"
                    f" LD_PRELOAD?\n{done.stdout[-500:]}{done.stderr[-500:]}"
                )
            return printed_lines[0]

        return self.undisturbed(once)

    def calibrate(self, target, *words):
        """Writes the calibrated machine to `target`, measured undisturbed."""

        def once():
            self.parcast("calibrate", "-o", target, "--no-store", *words)
            return target.read_bytes()

        # its launches are spread over time, and show how far they differ
        target.write_bytes(self.undisturbed(once, tries=2))

    def undisturbed(self, work, tries=5):
        """Returns the result of work() from a try in which the host of a virtual machine took at most STOLEN
        of the processor time. When all tries exceed this, returns the result of the try in which the host
        took least. On a physical machine nothing is stolen and one try suffices."""
        best = None
        for _ in range(tries):
            before = processor_time()
            result = work()
            used, stolen = (b - a for a, b in zip(before, processor_time()))
            share = stolen / max(used + stolen, 1)
            if best is None or share < best[0]:
                best = share, result
            if share <= STOLEN:
                break
            self.disturbed += 1
        return best[1]


STOLEN = 0.02


def processor_time():
    """Returns used and stolen time, in ticks of all processors since the machine started (proc_stat(5))."""
    with open("/proc/stat") as file:
        user, nice, system, _, _, interrupt, soft, stolen = map(int, file.readline().split()[1:9])
    return user + nice + system + interrupt + soft, stolen


def now():
    return (
        datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    )


def table(header, rows):
    cells = [list(map(str, row)) for row in [header, *rows]]
    widths = [max(len(row[i]) for row in cells) for i in range(len(header))]
    for row in cells:
        print("  ".join(cell.rjust(width) for cell, width in zip(row, widths)))


def percent(value):
    return f"{100 * value:+.1f} %"


def summary(errors):
    """Formats the median, 90th percentile and worst of |error|."""
    sizes = sorted(abs(e) for e in errors)
    return (
        f"median |error| {100 * statistics.median(sizes):.1f} %, "
        f"p90 {100 * sizes[min(len(sizes) - 1, int(0.9 * len(sizes)))]:.1f} %, worst {100 * sizes[-1]:.1f} %"
    )
