// SPDX-License-Identifier: Apache-2.0
#pragma once
// Counts of loops from their arithmetic: how often a loop goes round is added once before the loop, and where
// the loops around it allow it, once before those. docs/models/block_counts.md.

#include <optional>
#include <vector>

#include "pass/shape.h"

namespace llvm {
class Loop;
class LoopInfo;
class DominatorTree;
class SCEV;
class ScalarEvolution;
class SCEVExpander;
class TargetTransformInfo;
}  // namespace llvm

namespace parcast::pass {

/// Executions of the way back to a loop's head.
struct Rounds {
  const llvm::Loop* loop = nullptr;
  const llvm::SCEV* each = nullptr;   // at each entry of the loop, in the loop's own type
  const llvm::SCEV* total = nullptr;  // 64 bits: in all, at each execution of `place`'s end
  llvm::BasicBlock* place = nullptr;
};

class Hoisting {
 public:
  Hoisting(const Shape& shape, llvm::LoopInfo& loops, llvm::ScalarEvolution& evolution,
           const llvm::DominatorTree& dominators, const llvm::TargetLibraryInfo& library,
           const llvm::TargetTransformInfo& target, llvm::SCEVExpander& expander);

  /// None where the rounds cannot be told before the loop, or not cheaply.
  const Rounds* rounds(const llvm::Loop* loop) const;
  /// Whether a loop is left at its exits alone.
  bool whole(const llvm::Loop* loop) const;

 private:
  std::optional<Rounds> find(llvm::Loop* loop);
  const llvm::SCEV* over_all_rounds(const llvm::SCEV* amount, llvm::Loop* outer,
                                    const llvm::SCEV* rounds) const;
  bool cheap(const llvm::SCEV* amount, llvm::BasicBlock* place, llvm::Loop* around);

  llvm::LoopInfo& loops_;
  llvm::ScalarEvolution& evolution_;
  const llvm::DominatorTree& dominators_;
  const llvm::TargetTransformInfo& target_;
  llvm::SCEVExpander& expander_;
  bool circles_ = false;  // that are no loops: a block directly in a loop may be executed twice per round
  llvm::DenseMap<const llvm::Loop*, bool> whole_;
  llvm::DenseMap<const llvm::Loop*, Rounds> rounds_;
};

}  // namespace parcast::pass
