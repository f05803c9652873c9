// SPDX-License-Identifier: Apache-2.0
#pragma once
// The arrays of a compiled program, with their bytes as formulas: as a table, and as JSON (docs/formats/
// report.md, parcast.arrays/1).
//
//   array        bytes of a process          p = 16, N = 1000  found     function
//   gauss.c:103  8*(N + 1)*(floor(N/p) + 1)  504 kB            symbolic  main

#include <optional>
#include <string>

#include "report/style.h"
#include "source/counts/arrays.h"

namespace parcast::report {

/// The arrays at the asked point, else at the largest recorded one.
struct SizedArrays {
  const program::ProgramArrays* program = nullptr;
  program::Point point;
  std::vector<program::ArraySize> sizes;  // of program->arrays

  /// Returns the bytes of all arrays; `most` is the sum of the arrays' largest.
  program::ArraySize sum() const;
};

Result<SizedArrays> sized(const program::ProgramArrays& program, const std::optional<program::Point>& asked);

/// `all`: also arrays with less than a thousandth of the bytes.
std::string arrays_text(const SizedArrays& arrays, const Style& style, bool all);
std::string arrays_to_json(const SizedArrays& arrays);

}  // namespace parcast::report
