// SPDX-License-Identifier: Apache-2.0
#pragma once
// The control-flow graph of a function as points and arcs, for the plan of its counters
// (source/facts/counting_plan.h).
//
// Point 0 is outside the function; block i has the points 1 + 2i (its entry) and 2 + 2i (its end). The first
// arcs are those of the blocks, one each in the order of their numbers. A block may be left in its middle, by
// a call that may not return. It then has an arc from its entry to the outside, and an arc from there to its
// end. If such a block ends in a return, both lead outside: its arc leads to its end, and from there outside,
// uncounted.

#include <vector>

#include "llvm/ADT/DenseMap.h"
#include "source/facts/counting_plan.h"

namespace llvm {
class BasicBlock;
class BlockFrequencyInfo;
class BranchProbabilityInfo;
class Function;
class Instruction;
class TargetLibraryInfo;
}  // namespace llvm

namespace parcast::pass {

/// Where code that is executed once per traversal of an arc can be inserted.
enum class ArcKind { block, entry, resumption, edge, leaving };

struct Shape {
  std::vector<llvm::BasicBlock*> blocks;  // reachable blocks in reverse post-order
  llvm::DenseMap<const llvm::BasicBlock*, int> number;
  std::vector<facts::Arc> arcs;
  std::vector<ArcKind> kinds;  // kind of each arc
  // of each arc: from block, to block; -1: outside
  std::vector<std::pair<int, int>> ends;
  bool in_place =
      // the function is left and re-entered by setjmp or indirect branches: every block is counted in place
      false;

  facts::Point points() const { return 1 + 2 * static_cast<facts::Point>(blocks.size()); }
};

Shape shape_of(llvm::Function& function, const llvm::BlockFrequencyInfo& frequencies,
               const llvm::BranchProbabilityInfo& probabilities, const llvm::TargetLibraryInfo& library);

/// Returns whether the code after the instruction is executed as often as the instruction: it is no call, or
/// a call that surely returns.
bool surely_continues(const llvm::Instruction& instruction, const llvm::TargetLibraryInfo& library);

}  // namespace parcast::pass
