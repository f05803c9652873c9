// SPDX-License-Identifier: Apache-2.0
#pragma once
// A program's call graph as the rows of a tree.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "recording/program_calls.h"

namespace parcast::report {

struct CallRow {
  std::uint32_t function = 0;   // index into ProgramCalls::functions
  std::size_t depth = 0;        // 0: nobody calls it, or a cycle begins with it
  recording::SourceLine where;  // of the call
  bool is_again = false;        // its calls are at an earlier row
};

/// Functions that nobody calls begin a tree, main first; what a function calls is listed where it is first
/// seen.
std::vector<CallRow> call_rows(const recording::ProgramCalls& calls);

/// Returns what a row remarks: "its calls: above", "library", "2 calls of unknown functions", or nothing.
std::string remark_of(const CallRow& row, const recording::ProgramCalls& calls);

/// Returns "poisson.cpp:155"; empty without a line.
std::string place_text(const recording::SourceLine& where);

}  // namespace parcast::report
