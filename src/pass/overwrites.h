// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a function may write that no store tells: objects that something is written into at a distance that is computed, and those whose address goes where
// nobody can follow it. docs/formats/facts.md, overwrites and within.

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

  /// Somewhere in what the pointer leads into is written, in the block of this number, what is told by nothing else.
  void write(llvm::Value* pointer, int block);
  /// The same, where the pointer's distance in its object is not told.
  void write_if_computed(llvm::Value* pointer, int block);
  /// Addresses that go with the instruction where nobody can follow them: what they lead to may be written from there on.
  void lose(llvm::Instruction& instruction, int block);

  /// Of the call's arguments whose distance in their objects is computed: [argument, node of an object].
  llvm::json::Array within(const llvm::CallBase& call);
  /// All that was noted: [block, node of an object].
  llvm::json::Array tell();

 private:
  bool is_computed(llvm::Value* pointer);
  void lose_stored(llvm::StoreInst& store, int block);
  void write_all_in(llvm::Constant& constant, int block);
  llvm::SmallVector<llvm::Value*, 4> objects_of(llvm::Value* pointer) const;

  llvm::LoopInfo& loops_;
  Nodes& nodes_;
  llvm::SetVector<std::pair<int, llvm::Value*>> all_;  // objects, by block
};

}  // namespace parcast::pass
