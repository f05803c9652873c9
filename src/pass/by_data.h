// SPDX-License-Identifier: Apache-2.0
#pragma once
// Finds the branches of a function that depend on data: on numbers that it computes with or reads from
// arrays, and on the results of calls. Other branches depend on loop variables, arguments and variables that
// do not change. docs/models/source_counts.md.

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"

namespace llvm {
class BasicBlock;
class DominatorTree;
class Instruction;
class Loop;
class LoopInfo;
class PHINode;
class Value;
}  // namespace llvm

namespace parcast::pass {

class ByData {
 public:
  ByData(const llvm::LoopInfo& loops, const llvm::DominatorTree& dominators)
      : loops_(loops), dominators_(dominators) {}

  /// Returns whether the branch at the end of the block depends on data, that is, on
  ///  - a floating-point number, unless it is constant or was converted from integers that do not depend on
  ///    data;
  ///  - a value loaded in loops from an address that changes in one of them. A field of an object that a
  ///    variable points to counts as a variable, as long as the loop stores no other pointer;
  ///  - the result of a call.
  /// The condition depends on these directly, by arithmetic, or because a branch that depends on them selects
  /// its value.
  bool decide(const llvm::BasicBlock& block);

 private:
  using Values = llvm::SmallVector<const llvm::Value*, 16>;
  bool rests_on_data(const llvm::Value* value);
  bool is_data(const llvm::Instruction& instruction);
  bool stays(const llvm::Value* address, const llvm::Loop& loop);
  static const llvm::Value* loaded_from(const llvm::Value* value);
  bool changes(const llvm::Value* address, const llvm::BasicBlock& block);
  bool may_change(const llvm::Value* place, const llvm::Loop& loop);
  void add_ways(const llvm::PHINode& phi, Values& open) const;
  void add_exits_between(const llvm::Instruction& used, const llvm::Instruction& by, Values& open) const;

  const llvm::LoopInfo& loops_;
  const llvm::DominatorTree& dominators_;
  // the objects in which a loop stores pointers
  llvm::DenseMap<const llvm::Loop*, llvm::SmallPtrSet<const llvm::Value*, 4>> pointers_stored_;
  llvm::SmallPtrSet<const llvm::Value*, 32> sure_;  // values that do not depend on data
  llvm::SmallPtrSet<const llvm::Value*, 32> data_;  // values that do; only those examined so far
};

}  // namespace parcast::pass
