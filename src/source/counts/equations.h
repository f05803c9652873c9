// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a compiled program's recordings tell of its basic blocks and loops: an equation each, how sure it is, and what
// share of the work it stands for (Clement, Quinn 1997, section 2). docs/models/source_counts.md.

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
  std::string source;                      // of the object file
  std::string function;
  int block = 0;
  std::vector<facts::SourceLine> at;       // the innermost inlined place first
  std::string where;                       // "swe.c:120", of these the one in `source`
  std::map<std::string, std::int64_t> operations;  // per execution, by class (docs/models/operations.md), and bytes
  symbolic::Expression executions;         // of a process in a run
  CountTier tier = CountTier::measured;
  bool ambiguous = false;
  double seen = 0;                         // executions in all processes of all runs
  double share = 0;                        // of the weighted work of all of them
  facts::PackedOperations packed = {};     // in the final code, where it is told
  std::optional<int> width = {};           // scalar operations of floating-point numbers, loads or stores that one of its instructions does; none: untold
  bool polling = false;                    // as often as time allowed: it asks MPI whether something has come
};

struct LoopEquation {
  std::string source, function;
  int loop = 0;
  std::vector<facts::SourceLine> at;
  symbolic::Expression iterations;         // of its head, each time that the loop is entered; i0, i1, ... are the rounds of loops around
  CountTier tier = CountTier::measured;
  std::optional<int> width = {}, interleave = {};  // of the final code (source/facts/facts.h)
  std::optional<std::string> shared = {};  // by a team of threads: the schedule
  bool chunks = false;
};

/// A branch of which nothing tells the way.
struct BranchEquation {
  std::string source, function;
  int block = 0, to = 0;                 // it ends that block; the first way leads to this one
  std::vector<facts::SourceLine> at;     // of the block
  BranchRatio ratio;                     // of the first way, at 90 %
  double seen = 0;                       // times that it was come to, in all processes of all runs
};

struct ProgramEquations {
  std::string program;
  std::vector<std::string> parameters;
  std::vector<BlockEquation> blocks;       // largest share first
  std::vector<LoopEquation> loops;         // in the order of the program's facts; those that were entered
  std::vector<BranchEquation> branches;    // that which was come to most often first
  std::vector<Notice> notices;
};

/// An error where none of the recordings holds counts with facts that fit.
Result<ProgramEquations> program_equations(const std::vector<recording::Recording>& recordings);

/// The derived quantities of its blocks' and loops' counts.
std::vector<Quantity> derived_quantities(const ProgramEquations& equations);

}  // namespace parcast::program
