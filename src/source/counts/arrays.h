// SPDX-License-Identifier: Apache-2.0
#pragma once
// The memory that a compiled program allocates for its data: one array per call of an allocator in its code,
// with its bytes as an expression in the parameters, p and the rank. Pointers that the program swaps are one
// array each, since a swap allocates nothing. docs/models/memory.md, "Arrays as allocated".

#include <string>
#include <vector>

#include "base/origin.h"
#include "base/result.h"
#include "model/binding.h"
#include "recording/recording.h"

namespace parcast::program {

struct Array {
  std::string where;                 // gauss.c:103; without debug data the source file
  std::string function;              // that makes the call, as the linker names it
  symbolic::Expression allocations;  // of one process in a run
  symbolic::Expression bytes;        // of each; 0 if the origin is unknown
  Origin origin = Origin::unknown;

  symbolic::Expression total() const { return allocations * bytes; }
};

/// Bytes of an array at a point.
struct ArraySize {
  double rank_0 = 0, most = 0, all = 0;  // of rank 0, of the rank with most, of all ranks together
};

struct ProgramArrays {
  std::string program;
  std::vector<Array> arrays;       // largest first, at the largest recorded point
  Point largest;                   // the point with most bytes
  std::vector<ArraySize> sizes{};  // of the arrays at the largest point
  // of these recordings, to evaluate at other points
  std::vector<std::string> parameters;
  std::vector<ProcessGrid> grids;

  /// Returns the bytes of the array at the point, or why it has none there.
  Result<ArraySize> size_at(const Array& array, const Point& point) const;
};

/// Fails if no recording has counts with matching facts.
Result<ProgramArrays> program_arrays(const std::vector<recording::Recording>& recordings);

}  // namespace parcast::program
