// SPDX-License-Identifier: Apache-2.0
#pragma once
// Finds memory that a function may write without a recorded store. These are objects written at a computed
// distance, and objects whose address is used in a way that cannot be followed. docs/formats/facts.md,
// overwrites and within.

#include <utility>

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/JSON.h"

namespace llvm {
class CallBase;
class Constant;
class Instruction;
class LoopInfo;
class StoreInst;
class Value;
}  // namespace llvm

namespace parcast::pass {

class Nodes;

class Overwrites {
 public:
  Overwrites(llvm::LoopInfo& loops, Nodes& nodes) : loops_(loops), nodes_(nodes) {}

  /// Notes that the block with this number writes somewhere in the pointer's object, without a recorded
  /// store.
  void write(llvm::Value* pointer, int block);
  /// Same, only if the pointer's distance in its object is unknown.
  void write_if_computed(llvm::Value* pointer, int block);
  /// Notes the addresses that the instruction passes on to where they cannot be followed: their objects may
  /// be written from there on.
  void lose(llvm::Instruction& instruction, int block);

  /// Returns the call's arguments whose distance in their objects is computed: [argument, node of an object].
  llvm::json::Array within(const llvm::CallBase& call);
  /// Returns everything noted: [block, node of an object].
  llvm::json::Array tell();

 private:
  bool is_computed(llvm::Value* pointer);
  void lose_stored(llvm::StoreInst& store, int block);
  void write_all_in(llvm::Constant& constant, int block);
  llvm::SmallVector<llvm::Value*, 4> objects_of(llvm::Value* pointer) const;

  llvm::LoopInfo& loops_;
  Nodes& nodes_;
  llvm::SetVector<std::pair<int, llvm::Value*>> all_;  // block and object
};

}  // namespace parcast::pass
