// SPDX-License-Identifier: Apache-2.0
#pragma once
// Equations of a program's basic blocks and loops from its recordings: one equation each, its tier, and the
// share of the work that it covers (Clement, Quinn 1997, section 2). docs/models/source_counts.md.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/model.h"
#include "model/quantities.h"
#include "source/counts/block_counts.h"
#include "source/facts/facts.h"

namespace parcast::program {

struct BlockEquation {
  std::string source;  // the object's source file
  std::string function;
  int block = 0;
  std::vector<facts::SourceLine> at;  // innermost inlined place first
  std::string where;                  // "swe.c:120": the place in `source`
  // per execution, by class (docs/models/operations.md), and bytes
  std::map<std::string, std::int64_t> operations;
  symbolic::Expression executions;  // of one process in a run
  CountTier tier = CountTier::measured;
  bool ambiguous = false;
  double seen = 0;                      // executions in all processes of all runs
  double share = 0;                     // of the total weighted work
  facts::PackedOperations packed = {};  // in the final code, where known
  // scalar floating-point operations, loads or stores done by one of its instructions; empty: unknown
  std::optional<int> width = {};
  bool polling = false;  // it waits for MPI and is executed as often as time allows
};

struct LoopEquation {
  std::string source, function;
  int loop = 0;
  std::vector<facts::SourceLine> at;
  // executions of its head per entry; i0, i1, ... are the rounds of the enclosing loops
  symbolic::Expression iterations;
  CountTier tier = CountTier::measured;
  std::optional<int> width = {}, interleave = {};  // of the final code (source/facts/facts.h)
  std::optional<std::string> shared = {};          // schedule, if a team of threads shares the rounds
  bool chunks = false;
};

/// A branch whose decision no formula gives.
struct BranchEquation {
  std::string source, function;
  int block = 0, to = 0;              // it ends block `block`; the first way leads to block `to`
  std::vector<facts::SourceLine> at;  // of the block
  BranchRatio ratio;                  // of the first way, at 90 %
  double seen = 0;                    // its executions in all processes of all runs
};

struct ProgramEquations {
  std::string program;
  std::vector<std::string> parameters;
  std::vector<BlockEquation> blocks;     // largest share first
  std::vector<LoopEquation> loops;       // loops that were entered, in the order of the program's facts
  std::vector<BranchEquation> branches;  // most executed first
  std::vector<Notice> notices;
};

/// Fails if no recording has counts with matching facts.
Result<ProgramEquations> program_equations(const std::vector<recording::Recording>& recordings);

/// Returns the derived quantities in the counts of its blocks and loops.
std::vector<Quantity> derived_quantities(const ProgramEquations& equations);

}  // namespace parcast::program
