// SPDX-License-Identifier: Apache-2.0
#pragma once
// Inserts a function's counting: increments of counters at given places, kept in registers inside loops.
// recording/counted.h has the memory layout.

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

/// The counters of a module while their number is not final.
class CounterMemory {
 public:
  explicit CounterMemory(llvm::Module& module) : module_(module) {}
  std::uint64_t counter() { return counters_++; }
  std::uint64_t probe() { return probes_++; }
  std::uint64_t counters() const { return counters_; }
  std::uint64_t probes() const { return probes_; }

  /// Creates the module's counters, and the structure by which they are found. None may be added afterwards.
  void finish(std::uint64_t id);
  /// Changes the id of a module that was finished.
  static void rename(llvm::Module& module, std::uint64_t id);

 private:
  llvm::Module& module_;
  std::uint64_t counters_ = 0, probes_ = 0;
};

struct Increment {
  std::uint64_t counter = 0;
  llvm::Value* amount = nullptr;    // null: 1
  llvm::Instruction* at = nullptr;  // the increment is inserted before it
};

/// Creates a block on the edge from one block to another; all edges between the two lead through it.
llvm::BasicBlock* block_between(llvm::BasicBlock* from, llvm::BasicBlock* to);

/// Inserts the increments at their places. In loops listed in `whole_loop_heads`, which are left only at
/// their exits, they are kept in registers and added after the loop.
void insert(llvm::Function& function, const std::vector<Increment>& increments,
            const std::vector<llvm::BasicBlock*>& whole_loop_heads);

}  // namespace parcast::pass
