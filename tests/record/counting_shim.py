#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the C source of an oracle: a preload library that only counts every MPI call of the program. It
shares no code and no table with the recorder: names and prototypes come from mpi.h.

    counting_shim.py MPI_H > shim.c && gcc -shared -fPIC -o shim.so shim.c -ldl
    COUNTING_SHIM_OUT=folder LD_PRELOAD=shim.so mpirun ...      folder/counts-RANK.txt: "NAME COUNT" lines

Calls from Fortran are counted at the procedures that gfortran calls (mpi_send_, mpi_send_f08_), under the C
name. All arguments are addresses, so each call is passed on with 20 words, more than any MPI procedure
has."""
import re
import sys

# variadic, or written by hand below
SKIPPED = {"MPI_Pcontrol", "MPI_Init", "MPI_Init_thread", "MPI_Finalize"}


def prototypes(header):
    text = re.sub(r"/\*.*?\*/", " ", header, flags=re.S)
    text = re.sub(r"__mpi_interface_\w+__\(.*?\)(?=\s*[;,])", " ", text, flags=re.S)
    for match in re.finditer(
        r"OMPI_DECLSPEC\s+(int|double|MPI_\w+)\s+(MPI_[A-Z]\w*)\s*\(([^;]*?)\)\s*;", text, flags=re.S
    ):
        result, name, arguments = match.groups()
        yield result, name, " ".join(arguments.split())


def split_arguments(text):
    """(declaration, name) per argument; arrays and function types keep their spelling."""
    if text in ("void", ""):
        return []
    out = []
    for number, argument in enumerate(part.strip() for part in text.split(",")):
        match = re.fullmatch(r"(.*?)(\w+)((?:\s*\[[^\]]*\])*)", argument)
        kind, name, array = match.groups()
        if not kind.strip():
            kind, name = name + " ", f"a{number}"
        out.append((f"{kind}{name}{array}", name))
    return out


def main():
    header = open(sys.argv[1]).read()
    rows = [row for row in prototypes(header) if row[1] not in SKIPPED]
    print(
        "#define _GNU_SOURCE\n#define OMPI_SKIP_MPICXX\n#define OMPI_OMIT_MPI1_COMPAT_DECLS 0\n#include"
        " <mpi.h>\n#include <stdio.h>\n#include <stdlib.h>"
    )
    print("#pragma GCC diagnostic ignored \"-Wdeprecated-declarations\"")
    names = [row[1] for row in rows] + ["MPI_Init", "MPI_Init_thread", "MPI_Finalize"]
    print(f"static unsigned long counts[{len(names)}];\nstatic __thread int inside;")
    print("static void write_counts(void);")
    print("static const char* const names[] = {" + ", ".join(f'"{name}"' for name in names) + "};")
    for index, (result, name, arguments) in enumerate(rows):
        parts = split_arguments(arguments)
        declared = ", ".join(part[0] for part in parts) or "void"
        passed = ", ".join(part[1] for part in parts)
        print(
            f"{result} {name}({declared}) {{ if (!inside) __atomic_add_fetch(&counts[{index}], 1,"
            f" __ATOMIC_RELAXED); ++inside; {result} result_ = P{name}({passed}); --inside; return"
            " result_; }"
        )
    words = [f"a{i}" for i in range(20)]
    print("#include <dlfcn.h>")
    for index, (result, name) in enumerate(
        [row[:2] for row in rows] + [("int", n) for n in names[len(rows) :]]
    ):
        if result != "int":
            continue  # also a function in Fortran: MPI_Wtime
        for spelling in (name.lower() + "_", name.lower() + "_f08_"):
            count = f"if (!inside) __atomic_add_fetch(&counts[{index}], 1, __ATOMIC_RELAXED);"
            write = " write_counts();" if name == "MPI_Finalize" else ""
            print(
                f"void {spelling}({', '.join('void* ' + w for w in words)}) {{ static void (*next)();"
                f" {count}{write} if (!next) next = (void (*)())dlsym(RTLD_NEXT, \"{spelling}\"); ++inside;"
                f" next({', '.join(words)}); --inside; }}"
            )
    base = len(rows)
    print(f"""
int MPI_Init(int* argc, char*** argv) {{
  counts[{base}] += !inside; ++inside; int r = PMPI_Init(argc, argv); --inside; return r;
}}
int MPI_Init_thread(int* argc, char*** argv, int want, int* got) {{
  counts[{base + 1}] += !inside; ++inside;
  int r = PMPI_Init_thread(argc, argv, want, got); --inside; return r;
}}
int MPI_Finalize(void) {{
  if (!inside) {{ ++counts[{base + 2}]; write_counts(); }}
  ++inside; int r = PMPI_Finalize(); --inside; return r; }}
static void write_counts(void) {{
  int rank; char path[4096];
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  snprintf(path, sizeof path, "%s/counts-%d.txt", getenv("COUNTING_SHIM_OUT"), rank);
  FILE* out = fopen(path, "w");
  for (int i = 0; out && i < {len(names)}; ++i) if (counts[i]) fprintf(out, "%s %lu\\n", names[i], counts[i]);
  if (out) fclose(out); }}""")


main()
