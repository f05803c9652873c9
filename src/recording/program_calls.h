// SPDX-License-Identifier: Apache-2.0
#pragma once
// The functions and classes of a program, and who calls whom, from its debug data (DWARF). A call is a call
// site that the compiler described, or the body of a function that it inlined. GCC and clang describe calls
// with -g and -O1 or more; calls through pointers name no function.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"

namespace parcast::recording {

struct SourceLine {
  std::string file;  // as the compiler had it
  int line = 0;
};

struct CalledFunction {
  std::uint32_t function = 0;  // index into ProgramCalls::functions
  SourceLine where;            // of the first call
  std::uint32_t sites = 0;     // places that call it
};

struct ProgramFunction {
  std::string name;                   // qualified, without parameters: "Solver::reduce"
  SourceLine where;                   // of its declaration
  bool has_code = false;              // in this program, also where inlined; else it is of a library
  std::vector<CalledFunction> calls;  // in order of their lines
  std::uint32_t indirect = 0;         // calls of functions that are not known, by pointers and virtual ones
};

struct ProgramClass {
  std::string name;
  SourceLine where;
  std::vector<std::string> bases;
  std::vector<std::string> methods;  // names alone, each once, in order of declaration
};

struct ProgramCalls {
  std::string program;
  std::vector<ProgramFunction> functions;  // by name
  std::vector<ProgramClass> classes;       // by name
  /// The debug data describe at least one call.
  bool has_calls() const;
};

/// Returns the identity that the linker gave an ELF file (Recording::executable_digest); empty without one.
std::string build_id_of(const std::string& path);

/// Reads the debug data of an ELF file. Fails where it has none.
Result<ProgramCalls> read_program_calls(const std::string& path);

/// Returns what the user wrote: functions and classes from files outside of the system's folders, and the
/// library functions that these call. Calls through functions that are left out (std::for_each) become calls
/// of what these call in turn.
ProgramCalls without_system(const ProgramCalls& all);

}  // namespace parcast::recording
