# SPDX-License-Identifier: Apache-2.0
"""Runs a command under limits and measures it alone. `python3 under_limits.py REPORT COMMAND...` writes to
REPORT its exit code (negative signal number if a signal ended it), its largest resident memory in bytes,
including its children, and its processor seconds.

This is a separate process, since a child starts with the memory of the process that forks it, and mutants.py
grows."""
import os
import resource
import sys

SPACE = 4 << 30  # bytes of address space
PROCESSOR_SECONDS = 60


def limit():
    resource.setrlimit(resource.RLIMIT_AS, (SPACE, SPACE))
    resource.setrlimit(resource.RLIMIT_CPU, (PROCESSOR_SECONDS, PROCESSOR_SECONDS + 5))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 30, 1 << 30))


def main():
    report, command = sys.argv[1], sys.argv[2:]
    child = os.fork()
    if child == 0:
        limit()
        os.execv(command[0], command)
    _, status, used = os.wait4(child, 0)
    with open(report, "w") as out:
        print(
            os.waitstatus_to_exitcode(status), used.ru_maxrss << 10, used.ru_utime + used.ru_stime, file=out
        )


main()
