// SPDX-License-Identifier: Apache-2.0
#pragma once
// Where data decide which way a function goes: numbers that it computes with or reads from arrays, and what other functions tell it, in
// place of loop variables, arguments and variables that stay as they are. docs/models/source_counts.md.

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
  ByData(const llvm::LoopInfo& loops, const llvm::DominatorTree& dominators) : loops_(loops), dominators_(dominators) {}

  /// Whether which of several ways is taken from the block rests on
  ///  - a floating-point number that is no constant and was not made of whole numbers that do not rest on data,
  ///  - what is loaded in loops from an address that changes in one of them: a field of an object that a variable leads to is a variable, too, as long as
  ///    the loop stores no other pointer,
  ///  - what a call gives,
  /// directly, by arithmetic, or by the ways that other such decisions make a value come.
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
  llvm::DenseMap<const llvm::Loop*, llvm::SmallPtrSet<const llvm::Value*, 4>> pointers_stored_;  // the objects in which a loop stores them
  llvm::SmallPtrSet<const llvm::Value*, 32> sure_;  // that rest on none
  llvm::SmallPtrSet<const llvm::Value*, 32> data_;  // that do, as far as they were asked for
};

}  // namespace parcast::pass
