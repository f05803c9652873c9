// SPDX-License-Identifier: Apache-2.0
// The verbs cc, cxx and fc: each replaces its process by a compiler.
#include "cli/compile.h"

#include "cli/verbs.h"

namespace parcast::cli {
namespace {

Verb compiling(const std::string& name, const std::string& language, const std::string& compiler,
               const std::string& variable, std::vector<std::string> examples,
               int (*run)(const Invocation&)) {
  return {
      .name = name,
      .summary = "compile " + language + " with " + compiler +
                 ", so that the program counts executions of its basic blocks",
      .inputs = "[--show] WORDS OF THE COMPILER",
      .takes_any_words = true,
      .flags = {{"--show", 0, "", "print the command, do not run it"}},
      .examples = std::move(examples),
      .notes = {"The words, what is printed and the exit code are the compiler's own. The program counts "
                "from -O1 on:",
                "without -O, or with -O0, there are neither counters nor facts. Lines come from "
                "-gline-tables-only unless another -g is among the words.",
                "parcast-" + name +
                    " is the same in one word, for build systems; there --help is the compiler's as well.",
                variable + " names the compiler where it is not " + compiler + "; it must be of LLVM 19."},
      .run = run};
}

int run_cc(const Invocation& invocation) {
  return run_compiler(Language::c, invocation.launch);
}
int run_cxx(const Invocation& invocation) {
  return run_compiler(Language::cxx, invocation.launch);
}
int run_fc(const Invocation& invocation) {
  return run_compiler(Language::fortran, invocation.launch);
}

}  // namespace

const Verb& cc_verb() {
  static const Verb verb = compiling(
      "cc", "C", "clang-19", "PARCAST_CC",
      {"parcast cc -O2 -c app.c", "OMPI_CC=parcast-cc mpicc -O2 app.c -o app", "CC=parcast-cc ./configure"},
      run_cc);
  return verb;
}

const Verb& cxx_verb() {
  static const Verb verb =
      compiling("cxx", "C++", "clang++-19", "PARCAST_CXX",
                {"parcast cxx -O2 -c app.cpp", "MPICH_CXX=parcast-cxx mpicxx.mpich -O2 app.cpp -o app",
                 "cmake -DCMAKE_CXX_COMPILER=parcast-cxx .."},
                run_cxx);
  return verb;
}

const Verb& fc_verb() {
  static const Verb verb = [] {
    Verb fc =
        compiling("fc", "Fortran", "flang-19", "PARCAST_FC",
                  {"parcast fc -O2 -c app.f90", "OMPI_FC=parcast-fc mpifort -O2 app.f90 -o app"}, run_fc);
    fc.notes.push_back(
        "`use mpi` and mpif.h can be used. An installed mpi.mod is gfortran's: one for flang is made of "
        "mpif.h and kept");
    fc.notes.push_back(
        "below PARCAST_MODULES, or ~/.cache/parcast. `use mpi_f08` cannot: its source is not part of an "
        "installed MPI.");
    return fc;
  }();
  return verb;
}

}  // namespace parcast::cli
