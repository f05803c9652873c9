#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests the golden runner itself: it accepts equal output, rejects other output, and masks only what the mask
matches.

    tests/golden/selftest.py"""
import pathlib
import subprocess
import tempfile

GOLDEN = pathlib.Path(__file__).resolve().parent.parent.parent / "tools" / "golden"


def golden(cases, *words):
    done = subprocess.run(
        [GOLDEN, *words, "--cases", cases, "--bin", cases / "bin"], capture_output=True, text=True
    )
    return done.returncode, done.stdout + done.stderr


def case(cases, name, **files):
    (cases / name).mkdir()
    for file, text in files.items():
        (cases / name / file).write_text(text)
    return cases / name


def main():
    with tempfile.TemporaryDirectory() as top:
        cases = pathlib.Path(top)
        (cases / "bin").mkdir()
        tool = cases / "bin" / "parcast"
        tool.write_text('#!/bin/sh\necho "ran $* in $PWD"; echo trouble >&2; exit 3\n')
        tool.chmod(0o755)

        same = case(cases, "same", command="parcast show\n", expected="ran show in CASE\ntrouble\n[exit 3]\n")
        assert golden(cases, "run") == (0, "1 of 1 golden tests pass\n"), golden(cases, "run")

        # Input files are present, and files that the command writes stay in the copy.
        case(
            cases, "files", command="cat input; echo x > written; ls; echo ${PARCAST_STORE:-none} $NO_COLOR",
            input="hello\n", expected="hello\ninput\nwritten\nnone 1\n[exit 0]\n",
        )
        assert golden(cases, "run", "files")[0] == 0, golden(cases, "run", "files")
        assert not (cases / "files" / "written").exists()

        # A difference is printed and fails; only update corrects it.
        (same / "expected").write_text("ran show in CASE\n[exit 0]\n")
        code, text = golden(cases, "run")
        assert (
            code == 1
            and "+trouble" in text
            and "-[exit 0]" in text
            and "+[exit 3]" in text
            and "1 of 2" in text
        ), text
        assert golden(cases, "update") == (0, "same: expected rewritten\n")
        assert golden(cases, "update") == (0, "")
        assert golden(cases, "run")[0] == 0

        # A mask hides its groups and nothing else; without it the same case fails.
        timed = case(
            cases, "timed", command="echo took $RANDOM$$ s in total\n",
            expected="took 1 s in total\n[exit 0]\n",
        )
        assert golden(cases, "run", "timed")[0] == 1
        (timed / "mask").write_text("# seconds\ntook (\\d+) s\n")
        assert golden(cases, "run", "timed")[0] == 0, golden(cases, "run", "timed")
        (timed / "expected").write_text("took 1 s in all\n[exit 0]\n")
        assert golden(cases, "run", "timed")[0] == 1
        (timed / "mask").write_text("took (\n")
        assert "mask:1: error" in golden(cases, "run", "timed")[1]
        (timed / "mask").write_text("x*\n")
        assert "matches an empty text" in golden(cases, "run", "timed")[1]

        # Mistakes get a message.
        assert "did you mean same?" in golden(cases, "run", "sama")[1]
        (same / "expected").unlink()
        code, text = golden(cases, "run", "same")
        assert code == 1 and "there is no file expected" in text


main()
