# SPDX-License-Identifier: Apache-2.0
"""Processes with a limited memory each: control groups of version 1, and swap for as long as a check runs.
Both need root; where one is missing the check ends with a sentence that names it."""
import contextlib
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time

NAME = pathlib.Path(sys.argv[0]).name
SWAP_MIB = 256


def group_root(controller):
    """Returns the mount point of a controller's hierarchy, or None."""
    for line in pathlib.Path("/proc/mounts").read_text().splitlines():
        _, place, kind, options, *_ = line.split()
        if kind == "cgroup" and controller in options.split(","):
            return pathlib.Path(place)
    return None


class Groups:
    """One group per process of a run, created anew for each run so that it counts from 0."""

    def __init__(self, processes):
        memory = group_root("memory")
        if not memory:
            sys.exit(
                f"{NAME}: there is no control group of version 1 for memory here, so the memory of a process"
                " cannot be limited"
            )
        self.processes, self.top = processes, memory / f"parcast-swap-{os.getpid()}"
        try:
            self.top.mkdir()
        except OSError as problem:
            sys.exit(f"{NAME}: no control group can be made in {memory} ({problem.strerror}): run it as root")

    def begin(self, limit):
        self.end()
        for rank in range(self.processes):
            place = self.top / f"rank{rank}"
            place.mkdir()
            if limit:
                (place / "memory.limit_in_bytes").write_text(str(limit))

    def counted(self, processes):
        """Returns the largest memory use of any process in bytes, and the pages that all processes read from
        swap or files."""
        most, faults = 0, 0
        for rank in range(processes):
            place = self.top / f"rank{rank}"
            most = max(most, int((place / "memory.max_usage_in_bytes").read_text()))
            faults += next(
                int(line.split()[1])
                for line in (place / "memory.stat").read_text().splitlines()
                if line.startswith("pgmajfault ")
            )
        return most, faults

    def end(self, whole=False):
        """Ends the processes that still run in the groups, and removes the groups."""
        for place in [*self.top.glob("rank*"), *([self.top] if whole else [])]:
            for _ in range(100):
                for process in (place / "cgroup.procs").read_text().split():
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(int(process), signal.SIGKILL)
                try:
                    place.rmdir()
                    break
                except OSError:  # a process has not exited completely
                    time.sleep(0.1)


class Swap:
    """A swap file on machines without swap."""

    def __init__(self, folder):
        self.file = None
        if len(pathlib.Path("/proc/swaps").read_text().splitlines()) > 1:
            return
        if not all(map(shutil.which, ("fallocate", "mkswap", "swapon"))):
            sys.exit(f"{NAME}: there is no swap here, and no mkswap to make some")
        self.file = folder / "swapfile"
        for words in (["fallocate", "-l", f"{SWAP_MIB}MiB"], ["chmod", "600"], ["mkswap"], ["swapon"]):
            done = subprocess.run([*words, self.file], capture_output=True, text=True)
            if done.returncode:
                self.end()
                sys.exit(
                    f"{NAME}: there is no swap here, and {words[0]} cannot make some: {done.stderr.strip()}"
                )

    def end(self):
        if not self.file:
            return
        subprocess.run(["swapoff", self.file], capture_output=True)
        self.file.unlink(missing_ok=True)
