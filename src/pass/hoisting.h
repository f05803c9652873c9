// SPDX-License-Identifier: Apache-2.0
#pragma once
// Counts of loops from their arithmetic: the number of rounds is added once before the loop and, if the
// enclosing loops allow it, once before those. docs/models/block_counts.md.

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

/// Executions of a loop's back edge.
struct Rounds {
  const llvm::Loop* loop = nullptr;
  const llvm::SCEV* each = nullptr;   // per entry of the loop, in the loop's own type
  const llvm::SCEV* total = nullptr;  // 64 bits: in total, per execution of `place`'s end
  llvm::BasicBlock* place = nullptr;
};

class Hoisting {
 public:
  Hoisting(const Shape& shape, llvm::LoopInfo& loops, llvm::ScalarEvolution& evolution,
           const llvm::DominatorTree& dominators, const llvm::TargetLibraryInfo& library,
           const llvm::TargetTransformInfo& target, llvm::SCEVExpander& expander);

  /// Returns none when the rounds cannot be computed before the loop, or not cheaply.
  const Rounds* rounds(const llvm::Loop* loop) const;
  /// Returns whether a loop is left only at its exits.
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
  // there are cycles that are no loops: a block directly in a loop may be executed twice per round
  bool circles_ = false;
  llvm::DenseMap<const llvm::Loop*, bool> whole_;
  llvm::DenseMap<const llvm::Loop*, Rounds> rounds_;
};

}  // namespace parcast::pass
