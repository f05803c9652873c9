// SPDX-License-Identifier: Apache-2.0
#pragma once
// Where a function counts: increments of counters at its places, kept in registers inside of loops. Layout in memory: recording/counted.h.

#include <cstdint>
#include <vector>

namespace llvm {
class BasicBlock;
class Function;
class Instruction;
class Module;
class Value;
}  // namespace llvm

namespace parcast::pass {

/// The counters of a module while their number is not known yet.
class CounterMemory {
 public:
  explicit CounterMemory(llvm::Module& module) : module_(module) {}
  std::uint64_t counter() { return counters_++; }
  std::uint64_t probe() { return probes_++; }
  std::uint64_t counters() const { return counters_; }
  std::uint64_t probes() const { return probes_; }

  /// Gives the module its counters, and the structure by which they are found. None are added after that.
  void finish(std::uint64_t id);
  /// Another id for a module that was finished.
  static void rename(llvm::Module& module, std::uint64_t id);

 private:
  llvm::Module& module_;
  std::uint64_t counters_ = 0, probes_ = 0;
};

struct Increment {
  std::uint64_t counter = 0;
  llvm::Value* amount = nullptr;    // null: 1
  llvm::Instruction* at = nullptr;  // before it
};

/// A new block on the way from one block to another; all edges between the two lead through it.
llvm::BasicBlock* block_between(llvm::BasicBlock* from, llvm::BasicBlock* to);

/// Puts the increments in their places. Inside of loops of which `whole` says (by their head) that they are
/// left at their exits alone, they are kept in registers and added behind the loop.
void insert(llvm::Function& function, const std::vector<Increment>& increments,
            const std::vector<llvm::BasicBlock*>& whole_loop_heads);

}  // namespace parcast::pass
