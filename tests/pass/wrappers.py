#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests parcast cc, cxx and fc in place of the compiler: programs of `built/` print the same bytes as with
the compiler itself, whatever build system is used, contain their facts, and have right counts. Needs
clang-19; uses flang-19, MPI libraries and build tools if they are installed."""
import argparse
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import time
import unittest
import unittest.mock

from counted import executions, facts_of

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
BUILT = HERE / "built"
SECTIONS = ("parcast_facts", "parcast_counters", "parcast_modules")
# 2, 9, 16, ... below 1000 and 500, and those of them that are divisible by 3
EXPECTED = (
    f"{sum(range(2, 1000, 7)) + sum(range(2, 500, 7))} {sum(i for i in range(2, 1000, 7) if i % 3 == 0)}\n"
    .encode(), 5,
)
options = None


def run(command, cwd=None, env=None, **more):
    return subprocess.run(
        list(map(str, command)), cwd=cwd, env={**os.environ, **(env or {})}, capture_output=True, timeout=300,
        **more
    )


def flang():
    return shutil.which("flang-19") or shutil.which("flang-new-19")


def needs(program):
    if not shutil.which(program):
        raise unittest.SkipTest(f"{program} was not found")


class Case(unittest.TestCase):
    def setUp(self):
        self.work = options.work / self.id().split(".", 1)[1]
        shutil.rmtree(self.work, ignore_errors=True)
        self.work.mkdir(parents=True)

    def well(self, command, env=None):
        done = run(command, self.work, env)
        self.assertEqual(done.returncode, 0, f"{command}\n{done.stdout.decode()}{done.stderr.decode()}")
        return done.stdout.decode()

    def outcome(self, program, env=None):
        done = run([program], self.work, env)
        return done.stdout, done.returncode

    def sections(self, binary):
        words = self.well(["readelf", "-SW", binary]).split()
        return tuple(name for name in SECTIONS if name in words)

    def run_counted(self, command, env=None):
        """Runs a program ./NAME that contains print_counters.o. Returns its end, a list of (function,
        executions of its blocks), and the number of processes."""
        for old in self.work.glob("counters.*"):
            old.unlink()
        done = run(command, self.work, {**(env or {}), "COUNTERS": str(self.work / "counters")})
        files = sorted(self.work.glob("counters.*"))
        program = next(word for word in command if word.startswith("./"))
        return (
            done, [(name, blocks) for (_, name, _), blocks in executions(self.work / program, files).items()],
            len(files),
        )

    def counts(self, program):
        return dict(self.run_counted([f"./{program}"])[1])

    def printer(self):
        target = self.work / "print_counters.o"
        self.well(["clang-19", "-O1", f"-I{ROOT}/src", "-c", HERE / "print_counters.c", "-o", target])
        return target

    def objects(self, compiler, *flags):
        self.well([compiler, *flags, "-c", BUILT / "main.c"])
        for name, step in (("every", 1), ("third", 3)):
            self.well(
                [
                    compiler, *flags, f"-DNAME={name}", f"-DSTEP={step}", "-c", BUILT / "sums.c", "-o",
                    f"{name}.o",
                ]
            )
        return ["main.o", "every.o", "third.o"]

    def counts_right(self, program):
        found = self.counts(program)
        self.assertEqual((found["every"][0], max(found["every"])), (2, 1500))
        self.assertEqual((found["third"][0], max(found["third"])), (1, 334))


class Invisible(Case):
    def test_says_and_returns_what_the_compiler_does(self):
        (self.work / "wrong.c").write_text("int main(void) { return nothing; }\n")
        (self.work / "warned.c").write_text("int main(void) { int unused; }\n")
        (self.work / "right.c").write_text("#define N 3\nint main(void) { return N; }\n")
        (self.work / "lines.s").write_text(
            '\t.text\n\t.file "lines.c"\n\t.file 1 "lines.c"\n\t.globl f\nf:\n\t.loc 1 3 0\n\tret\n'
        )
        for words in (
            ["-O2", "-c", "wrong.c"], ["-O2", "-Wall", "-c", "warned.c"], [], ["--version"],
            ["-c", "missing.c"], ["-print-search-dirs"], ["-O1", "-E", "right.c"], ["-E", "-dM", "right.c"],
            ["-MM", "right.c"], ["-Werror", "-c", "lines.s"], ["-O1", "-o"], ["--no-such-flag"], ["--help"],
            ["-O2", "-fsyntax-only", "-Weverything", "-Werror", "right.c"], ["-cc1", "-version"],
            ["-dumpversion"], ["right.c", "-lnone", "-o", "never"],
        ):
            expected, seen = run(["clang-19", *words], self.work), run(["parcast-cc", *words], self.work)
            self.assertEqual(seen.returncode, expected.returncode, words)
            if "-lnone" not in words:  # the linker names temporary files
                self.assertEqual((seen.stdout, seen.stderr), (expected.stdout, expected.stderr), words)

    def test_links_without_a_word_about_what_it_adds(self):
        (self.work / "right.c").write_text("int main(void) { return 3; }\n")
        self.well(["parcast-cc", "-O2", "-c", "right.c"])
        done = run(["parcast-cc", "-Wall", "-Werror", "right.o", "-o", "right"], self.work)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, b"", b""))

    def test_reads_standard_input_and_writes_standard_output(self):
        text = b"int twice(int n) { return 2 * n; }\n"
        seen = run(["parcast", "cc", "-O1", "-x", "c", "-S", "-o", "-", "-"], self.work, input=text)
        self.assertIn(b"twice:", seen.stdout)
        self.assertEqual((seen.returncode, seen.stderr), (0, b""))

    def test_is_the_compiler_and_dies_of_its_signals(self):
        child = subprocess.Popen(
            ["parcast-cc", "-O1", "-x", "c", "-c", "-", "-o", "never.o"], stdin=subprocess.PIPE, cwd=self.work
        )
        for _ in range(500):
            program = pathlib.Path(f"/proc/{child.pid}/exe").resolve().name
            if program.startswith("clang"):
                break
            time.sleep(0.01)
        self.assertTrue(program.startswith("clang"), program)
        child.send_signal(signal.SIGKILL)
        self.assertEqual(child.wait(timeout=60), -signal.SIGKILL)
        child.stdin.close()

    def test_a_debug_flag_of_the_user_holds(self):
        (self.work / "f.c").write_text(
            "int f(int n) { int s = 0; for (int i = 0; i < n; ++i) s += n ^ i; return s; }\n"
        )
        for flags, has_lines, has_types in (
            (["-O2"], True, False), (["-O2", "-g0"], False, False), (["-g", "-O2"], True, True),
            (["-O2", "-gdwarf-4"], True, True),
        ):
            self.well(["parcast-cc", *flags, "-c", "f.c"])
            text = self.well(["readelf", "--debug-dump=info,rawline", "f.o"])
            self.assertEqual(("f.c" in text, "DW_TAG_base_type" in text), (has_lines, has_types), flags)

    def test_nothing_is_counted_without_optimisation(self):
        for flags, expected in (([], ()), (["-O0"], ()), (["-O1"], SECTIONS), (["-Os"], SECTIONS)):
            self.well(["parcast-cc", *flags, "-DNAME=every", "-DSTEP=1", "-c", BUILT / "sums.c"])
            self.assertEqual(self.sections("sums.o"), expected, flags)


class Refusals(Case):
    def refused(self, command, *sentences, env=None, bare=False):
        done = run(command, self.work, env)
        self.assertEqual((done.returncode, done.stdout), (1, b""))
        for sentence in sentences:
            self.assertIn(sentence, done.stderr.decode())

    def script(self, name, text):
        path = self.work / name
        path.write_text("#!/bin/sh\n" + text + "\n")
        path.chmod(0o755)
        return str(path)

    def test_a_compiler_that_is_none(self):
        self.refused(
            ["parcast-cc", "-c", "x.c"],
            "PARCAST_CC=/none/clang: error: PARCAST_CC names a compiler that cannot be run",
            "clang-19 is installed", env={"PARCAST_CC": "/none/clang"},
        )

    def test_a_compiler_of_another_kind_or_version(self):
        other = self.script("cc", "echo 'cc (Debian) 12.2.0'")
        old = self.script("clang", "echo 'Debian clang version 14.0.6'")
        self.refused(
            ["parcast", "cc", "-c", "x.c"], "names something that is neither clang nor flang",
            env={"PARCAST_CC": other},
        )
        self.refused(
            ["parcast", "cxx", "-c", "x.cpp"],
            "PARCAST_CXX names a compiler of version 14.0.6: the compiler pass is for 19",
            env={"PARCAST_CXX": old},
        )

    def test_no_compiler_on_the_path(self):
        self.script("clang", "echo 'Debian clang version 14.0.6'")
        self.refused(
            [shutil.which("parcast-cc"), "-c", "x.c"],
            "no C compiler of LLVM 19 was found: neither clang-19 nor a clang of that version", "PARCAST_CC",
            env={"PATH": str(self.work)},
        )

    def test_a_clang_that_comes_back_here(self):
        self.script("clang", f"exec {shutil.which('parcast-cc')} \"$@\"")
        self.refused(
            [shutil.which("parcast-cc"), "-c", "x.c"], "no C compiler of LLVM 19 was found",
            env={"PATH": str(self.work)},
        )

    def test_a_clang_of_the_right_version_is_taken_by_any_name(self):
        self.script("clang", "echo 'clang version 19.1.0'")
        self.assertTrue(
            run(
                [shutil.which("parcast-cc"), "--show", "-c", "x.c"], env={"PATH": str(self.work)}
            ).stdout.startswith(b"clang --start")
        )

    def test_no_pass_beside_parcast(self):
        (self.work / "bin").mkdir()
        shutil.copy(shutil.which("parcast"), self.work / "bin")
        self.refused(
            [self.work / "bin/parcast", "cc", "-c", "x.c"],
            "the compiler pass parcast-pass.so was not found in the folder of parcast", "llvm-19-dev",
        )


class Shown(Case):
    def test_the_command_line_as_a_shell_reads_it(self):
        text = self.well(["parcast", "cc", "--show", "-O2", "-DWORD=\"it's\"", "-c", "a b.c"])
        self.assertEqual(
            text,
            (
                f"clang-19 --start-no-unused-arguments -fpass-plugin={options.plugin} -gdwarf-4"
                " -gline-tables-only --end-no-unused-arguments -O2 '-DWORD=\"it'\\''s\"' -c 'a b.c'\n"
            ),
        )
        # then as theirs, which has its own version
        self.assertEqual(
            self.well(["parcast", "cc", "--show", "-g", "-c", "x.c"]),
            (
                f"clang-19 --start-no-unused-arguments -fpass-plugin={options.plugin} -gline-tables-only"
                " --end-no-unused-arguments -g -c x.c\n"
            ),
        )
        self.assertEqual(
            self.well(["parcast", "cxx", "--show", "-c", "x.s"]),
            (
                "clang++-19 --start-no-unused-arguments"
                f" -fpass-plugin={options.plugin} --end-no-unused-arguments -c x.s\n"
            ),
        )

    def test_the_help_says_what_is_not_counted(self):
        self.assertIn("-O0, there are neither counters nor facts", self.well(["parcast", "cc", "--help"]))


class Built(Case):
    """Builds by separate commands."""

    def test_the_same_bytes_and_right_counts_at_each_level(self):
        printer = self.printer()
        for level in ("-O1", "-O2", "-O3", "-Os"):
            self.well(["clang-19", level, *self.objects("clang-19", level), "-o", "plain"])
            self.assertEqual(self.outcome("./plain"), EXPECTED)
            self.well(["parcast-cc", level, *self.objects("parcast-cc", level), printer, "-o", "main"])
            self.assertEqual(self.outcome("./main"), EXPECTED)
            self.counts_right("main")

    def test_objects_of_one_source_differ(self):
        self.objects("parcast-cc", "-O2")
        ids = [identity for name in ("every.o", "third.o") for identity in facts_of(self.work / name)]
        self.assertEqual(len(set(ids)), 2)

    def test_objects_that_differ_in_what_is_not_told_differ(self):
        (self.work / "scaled.c").write_text(
            "double scaled(const double* x, int n) { double s = 0; for (int i = 0; i < n; ++i) s += x[i] *"
            " BY; return s; }\n"
        )
        ids = []
        for by in ("1.5", "2.5", "1.5"):
            self.well(["parcast-cc", "-O2", f"-DBY={by}", "-c", "scaled.c"])
            ids += facts_of(self.work / "scaled.o")
        self.assertEqual((len(ids), ids[0] == ids[2], ids[0] == ids[1]), (3, True, False))

    def test_the_same_source_gives_the_same_bytes(self):
        for name in ("first.o", "second.o"):
            self.well(["parcast-cc", "-O2", "-DNAME=every", "-DSTEP=1", "-c", BUILT / "sums.c", "-o", name])
        self.assertEqual((self.work / "first.o").read_bytes(), (self.work / "second.o").read_bytes())

    def test_tools_that_list_symbols_see_the_programs_own_alone(self):
        # libtool treats every name of letters, digits and underscores as an export of the library.
        names = {}
        for compiler in ("clang-19", "parcast-cc"):
            self.well([compiler, "-O2", "-DNAME=every", "-DSTEP=1", "-c", BUILT / "sums.c", "-o", "listed.o"])
            names[compiler] = set(
                re.findall(
                    r" [A-TV-Z] ([_A-Za-z][_A-Za-z0-9]*)$", self.well(["nm", "listed.o"]), re.MULTILINE
                )
            )
        self.assertTrue(names["clang-19"])
        self.assertEqual(names["parcast-cc"], names["clang-19"])

    def test_lines_are_of_the_version_that_others_read(self):
        for words, version in (([], "4"), (["-g"], "5")):
            self.well(
                [
                    "parcast-cc", "-O2", *words, "-DNAME=every", "-DSTEP=1", "-c", BUILT / "sums.c", "-o",
                    "lines.o",
                ]
            )
            self.assertEqual(
                re.findall(r"Version: +(\d)", self.well(["readelf", "--debug-dump=info", "lines.o"])),
                [version],
            )

    def test_archives_and_shared_libraries(self):
        self.objects("parcast-cc", "-O2", "-fPIC")
        self.well(["ar", "rcs", "libevery.a", "every.o"])
        self.assertEqual(self.sections("libevery.a"), SECTIONS)
        self.well(["parcast-cc", "-shared", "third.o", "-o", "libthird.so"])
        self.assertEqual(self.sections("libthird.so"), SECTIONS)
        self.well(
            [
                "parcast-cc", "main.o", "-L.", "-levery", "-lthird", "-Wl,-rpath,$ORIGIN", self.printer(),
                "-o", "main",
            ]
        )
        self.assertEqual(self.outcome("./main"), EXPECTED)
        self.assertEqual(max(self.counts("main")["every"]), 1500)
        self.assertEqual(
            [
                name
                for facts in facts_of(self.work / "libthird.so").values()
                for name in [facts["functions"][0]["name"]]
            ],
            ["third"],
        )

    def test_sections_that_are_collected_and_symbols_that_are_stripped(self):
        flags = ("-O2", "-ffunction-sections", "-fdata-sections")
        self.well(
            [
                "parcast-cc", *self.objects("parcast-cc", *flags), self.printer(), "-Wl,--gc-sections", "-o",
                "main",
            ]
        )
        self.counts_right("main")
        self.well(["strip", "main"])
        self.assertEqual(self.sections("main"), SECTIONS)
        self.assertEqual(self.outcome("./main"), EXPECTED)
        self.counts_right("main")

    def test_link_time_optimisation(self):
        done = 0
        for kind in ("-flto=thin", "-flto"):
            for linker in ("-fuse-ld=lld-19", "-fuse-ld=lld", "-fuse-ld=gold"):
                flags = ("-O2", kind)
                names = self.objects("clang-19", *flags)
                if run(["clang-19", *flags, linker, *names, "-o", "plain"], self.work).returncode != 0:
                    continue  # no such linker, or one of another LLVM
                self.well(
                    [
                        "parcast-cc", *flags, linker, *self.objects("parcast-cc", *flags), self.printer(),
                        "-o", "main",
                    ]
                )
                self.assertEqual(self.outcome("./main"), self.outcome("./plain"))
                self.assertEqual(self.outcome("./main"), EXPECTED)
                self.counts_right("main")
                done += 1
        if not done:
            self.skipTest("no linker reads the bitcode of clang-19")

    def test_bitcode_that_counts_is_not_counted_again(self):
        self.objects("parcast-cc", "-O2")
        self.well(
            [
                "parcast-cc", "-O2", "-DNAME=every", "-DSTEP=1", "-emit-llvm", "-c", BUILT / "sums.c", "-o",
                "every.bc",
            ]
        )
        self.well(["parcast-cc", "-O2", "-c", "every.bc", "-o", "every.o"])
        self.well(["parcast-cc", "main.o", "every.o", "third.o", self.printer(), "-o", "main"])
        self.assertEqual(len(facts_of(self.work / "every.o")), 1)
        self.counts_right("main")

    def test_wrappers_within_wrappers_count_once(self):
        (self.work / "mycc").write_text("#!/bin/sh\nexec parcast-cc \"$@\"\n")
        (self.work / "mycc").chmod(0o755)
        with unittest.mock.patch.dict(os.environ, PARCAST_CC=str(self.work / "mycc")):
            names = self.objects("parcast-cc", "-O2")
        self.well(["parcast-cc", *names, self.printer(), "-o", "main"])
        self.counts_right("main")

    def test_templates_of_several_sources(self):
        self.well(["parcast-cc", "-O2", "-DNAME=every", "-DSTEP=1", "-c", BUILT / "sums.c", "-o", "every.o"])
        self.well(["clang++-19", "-O2", BUILT / "main.cpp", BUILT / "there.cpp", "every.o", "-o", "plain"])
        self.well(
            [
                "parcast-cxx", "-O2", BUILT / "main.cpp", BUILT / "there.cpp", "every.o", self.printer(),
                "-o", "main",
            ]
        )
        self.assertEqual(self.outcome("./main"), self.outcome("./plain"))
        self.assertEqual(self.outcome("./main"), (b"299 297 %d\n" % sum(range(1, 300, 2)), 0))
        both = [blocks for name, blocks in self.run_counted(["./main"])[1] if "largest" in name]
        self.assertEqual(len(both), 2)  # the linker kept one of them
        self.assertEqual(sorted((blocks[0], max(blocks)) for blocks in both), [(0, 0), (2, 500)])


    def test_counters_are_no_error_to_sanitizers(self):
        (self.work / "threads.c").write_text("""
            #include <pthread.h>
            #include <stdio.h>
            #include <stdlib.h>
            static void* work(void* state) {
              long sum = 0;
              for (int i = 0, n = *(int*)state; i < n; ++i)
                if (rand_r((unsigned*)state) % 3) sum += i;
              return (void*)sum;
            }
            int main(void) {
              pthread_t threads[4];
              int states[4] = {100, 200, 300, 400};
              for (int i = 0; i < 4; ++i) pthread_create(threads + i, 0, work, states + i);
              for (int i = 0; i < 4; ++i) pthread_join(threads[i], 0);
              puts("done");
            }""")
        checked = 0
        for sanitizer in ("thread", "address", "undefined", "memory"):
            flags = ["-O2", f"-fsanitize={sanitizer}", "threads.c"]
            if (
                run(["clang-19", *flags, "-o", "plain"], self.work).returncode != 0
                or run(["./plain"], self.work).stdout != b"done\n"
            ):
                continue  # its runtime is another package, and does not work everywhere
            self.well(["parcast-cc", *flags, "-o", "main"])
            done = run(["./main"], self.work)
            self.assertEqual((done.returncode, done.stdout, done.stderr), (0, b"done\n", b""), sanitizer)
            checked += 1
        if not checked:
            self.skipTest("clang-19 has no sanitizers here")


class Systems(Case):
    """By build systems."""

    def by_cmake(self, generator):
        needs("cmake")
        tree = self.work / "tree"
        self.well(
            [
                "cmake", "-S", BUILT, "-B", tree, "-G", generator, "-DCMAKE_BUILD_TYPE=Release",
                "-DCMAKE_C_COMPILER=parcast-cc", "-DCMAKE_CXX_COMPILER=parcast-cxx",
            ]
        )
        found = (tree / "found").read_text().split()
        self.assertEqual(
            (found[0], found[1], found[2].split(".")[0], found[3:]), ("Clang", "Clang", "19", ["1"])
        )
        self.well(["cmake", "--build", tree, "-j2"])
        self.assertEqual(self.outcome(tree / "main"), EXPECTED)
        self.assertEqual(self.outcome(tree / "main_cpp"), (b"299 297 %d\n" % sum(range(1, 300, 2)), 0))
        for binary in ("main", "main_cpp", "libsums.a", "libthird.so"):
            self.assertEqual(self.sections(tree / binary), SECTIONS, binary)

    def test_cmake_with_ninja(self):
        needs("ninja")
        self.by_cmake("Ninja")

    def test_cmake_with_make(self):
        needs("make")
        self.by_cmake("Unix Makefiles")

    def test_configure_and_make(self):
        needs("autoconf")
        needs("make")
        for name in ("configure.ac", "Makefile.in"):
            shutil.copy(BUILT / name, self.work)
        for name in ("main.c", "sums.c", "sums.h"):
            shutil.copy(BUILT / name, self.work)
        self.well(["autoconf"])
        text = self.well(["./configure"], {"CC": "parcast-cc"})
        self.assertIn("checking size of long... 8", text)
        self.well(["make"])
        self.assertEqual(self.outcome("./main"), EXPECTED)
        self.assertEqual(self.sections("main"), SECTIONS)


class Mpi(Case):
    def by_wrapper(self, mpicc, variable, compiler, ours, source, launcher):
        needs(mpicc)
        needs(launcher)
        root = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
        command = [mpicc, "-O2", source]
        self.well([*command, "-o", "plain"], {variable: compiler})
        self.well([*command, self.printer(), "-o", "main"], {variable: ours})
        launch = [launcher, *(["--oversubscribe"] if "openmpi" in launcher else []), "-n", "3"]
        plain = run([*launch, "./plain", "200"], self.work, root)
        seen, counts, processes = self.run_counted([*launch, "./main", "200"], root)
        for done in (plain, seen):
            self.assertEqual((done.returncode, done.stdout), (0, b"19900\n"), done.stderr.decode())
        self.assertEqual(self.sections("main"), SECTIONS)
        self.assertEqual(processes, 3)
        self.assertEqual([(blocks[0], max(blocks)) for name, blocks in counts if name == "main"], [(3, 200)])

    def test_mpicc_of_open_mpi(self):
        self.by_wrapper(
            "mpicc.openmpi", "OMPI_CC", "clang-19", "parcast-cc", BUILT / "ring.c", "mpirun.openmpi"
        )

    def test_mpicxx_of_open_mpi(self):
        shutil.copy(BUILT / "ring.c", self.work / "ring.cpp")
        self.by_wrapper(
            "mpicxx.openmpi", "OMPI_CXX", "clang++-19", "parcast-cxx", self.work / "ring.cpp",
            "mpirun.openmpi",
        )

    def test_mpicc_of_mpich(self):
        self.by_wrapper("mpicc.mpich", "MPICH_CC", "clang-19", "parcast-cc", BUILT / "ring.c", "mpirun.mpich")

    def test_mpicxx_of_mpich(self):
        shutil.copy(BUILT / "ring.c", self.work / "ring.cpp")
        self.by_wrapper(
            "mpicxx.mpich", "MPICH_CXX", "clang++-19", "parcast-cxx", self.work / "ring.cpp", "mpirun.mpich"
        )


class Fortran(Case):
    """Counts of the calls of one(), which depend neither on the MPI library nor on how it is used."""

    def setUp(self):
        super().setUp()
        if not flang():
            self.skipTest("flang-19 was not found")
        self.modules = {"PARCAST_MODULES": str(self.work / "modules")}

    def ways(self):
        if shutil.which("mpifort.openmpi") and shutil.which("mpirun.openmpi"):
            yield ["mpifort.openmpi"], [], ["mpirun.openmpi", "--oversubscribe"]
        if options.mpich and shutil.which("mpirun.mpich"):  # mpifort.mpich adds options of gfortran
            yield ["parcast-fc", f"-I{options.mpich}"], ["-lmpichfort", "-lmpich"], ["mpirun.mpich"]

    def test_programs_by_mpif_h_and_by_the_module(self):
        found = 0
        for compiler, libraries, launch in self.ways():
            for way in ([], ["-DWITH_MODULE"]):
                env = {
                    **self.modules, "OMPI_FC": "parcast-fc", "OMPI_ALLOW_RUN_AS_ROOT": "1",
                    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
                }
                self.well(
                    [
                        *compiler, "-O2", *way, BUILT / "ring.F90", BUILT / "loops.f90", BUILT / "one.f90",
                        self.printer(), *libraries, "-o", "ring",
                    ],
                    env,
                )
                done, counts, _ = self.run_counted([*launch, "-n", "3", "./ring", "60"], env)
                self.assertEqual(
                    (done.returncode, done.stdout.decode().split()), (0, ["1830", "20", "60", "3540"]),
                    done.stderr.decode(),
                )
                total = dict(counts)
                self.assertEqual(total["one_"][0], 1830 + 20 + 60 + 3540)
                self.assertEqual(
                    [max(total[name]) for name in ("pairs_", "thirds_", "part_", "cells_")],
                    [1830, 20, 60, 3540],
                )
                found += 1
        if not found:
            self.skipTest("no MPI library was found")

    def test_facts_name_the_file(self):
        self.well(["parcast-fc", "-O2", "-c", BUILT / "loops.f90", "-o", "loops.o"])
        self.assertEqual(
            [facts["source"] for facts in facts_of(self.work / "loops.o").values()],
            [str(BUILT / "loops.f90")],
        )

    def test_the_module_is_made_once(self):
        for compiler, _, _ in self.ways():
            env = {**self.modules, "OMPI_FC": "parcast-fc"}
            for _ in range(2):
                self.well([*compiler, "-O2", "-DWITH_MODULE", "-c", BUILT / "ring.F90"], env)
                kept = sorted((self.work / "modules").rglob("mpi.mod"))
                stamps = [path.stat().st_mtime_ns for path in kept]
                self.assertEqual(len(kept), 1)
                self.assertEqual(
                    [path.name for path in (self.work / "modules").iterdir()], [kept[0].parent.name]
                )
            self.assertEqual([path.stat().st_mtime_ns for path in kept], stamps)
            return
        self.skipTest("no MPI library was found")

    def test_cmake(self):
        needs("ninja")
        (self.work / "CMakeLists.txt").write_text(
            "cmake_minimum_required(VERSION 3.25)\nproject(built Fortran)\nadd_library(loops loops.f90"
            " one.f90)\nadd_executable(main main.f90)\ntarget_link_libraries(main loops)\n"
        )
        (self.work / "main.f90").write_text(
            "program p\n  integer :: c = 0\n  call thirds(60, c)\n  print '(i0)', c\nend program\n"
        )
        for name in ("loops.f90", "one.f90"):
            shutil.copy(BUILT / name, self.work)
        self.well(
            [
                "cmake", "-S", ".", "-B", "tree", "-G", "Ninja", "-DCMAKE_Fortran_COMPILER=parcast-fc",
                "-DCMAKE_Fortran_FLAGS=-O2",
            ]
        )
        self.well(["cmake", "--build", "tree"])
        self.assertEqual(self.outcome("tree/main"), (b"20\n", 0))
        self.assertEqual((self.sections("tree/main"), self.sections("tree/libloops.a")), (SECTIONS, SECTIONS))

    def test_mpi_f08_is_refused_with_a_reason(self):
        (self.work / "f08.f90").write_text("program p\n  use mpi_f08\n  call MPI_Init()\nend program\n")
        for compiler, _, _ in self.ways():
            done = run(
                [*compiler, "-O2", "-c", "f08.f90"], self.work, {**self.modules, "OMPI_FC": "parcast-fc"}
            )
            self.assertEqual(done.returncode, 1)
            self.assertIn(
                "f08.f90: error: the module mpi_f08 of this MPI library is another compiler's",
                done.stderr.decode(),
            )

    def test_a_folder_that_cannot_be_written_to(self):
        (self.work / "file").write_text("")
        for compiler, _, _ in self.ways():
            done = run(
                [*compiler, "-O2", "-DWITH_MODULE", "-c", BUILT / "ring.F90"], self.work,
                {"OMPI_FC": "parcast-fc", "PARCAST_MODULES": str(self.work / "file")},
            )
            self.assertEqual(done.returncode, 1)
            self.assertIn("the module mpi could not be kept", done.stderr.decode())
            self.assertIn("PARCAST_MODULES", done.stderr.decode())


def main():
    global options
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bin", required=True, type=pathlib.Path, help="folder of parcast")
    parser.add_argument("--plugin", required=True)
    parser.add_argument("--mpich", help="folder of MPICH's mpif.h")
    parser.add_argument("--work", required=True, type=pathlib.Path)
    options, rest = parser.parse_known_args()
    options.work = options.work.resolve()
    for name in [
        name
        for name in os.environ
        if name.startswith("PARCAST_")
        or name
        in (
            "OMPI_CC", "OMPI_CXX", "OMPI_FC", "MPICH_CC", "MPICH_CXX", "CC", "CXX", "CFLAGS", "CXXFLAGS",
            "LDFLAGS",
        )
    ]:
        del os.environ[name]
    os.environ["PATH"] = f"{options.bin.resolve()}:{os.environ['PATH']}"
    os.environ["LC_ALL"] = "C.UTF-8"
    unittest.main(argv=[sys.argv[0], *rest])


if __name__ == "__main__":
    main()
