// SPDX-License-Identifier: Apache-2.0
#pragma once
// The code that counts: increments of counters at places in a function, kept in registers inside of loops,
// and probes of values. Layout in memory: recording/counted.h.

#include <cstdint>
#include <vector>

#include "llvm/ADT/SmallPtrSet.h"

namespace llvm {
class BasicBlock;
class Function;
class GlobalVariable;
class Instruction;
class Module;
class Value;
}  // namespace llvm

namespace parcast::pass {

/// The counters of a module while their number is not known yet.
class CounterMemory {
 public:
  explicit CounterMemory(llvm::Module& module);
  std::uint64_t counter() { return counters_++; }
  std::uint64_t probe() { return probes_++; }
  std::uint64_t counters() const { return counters_; }
  std::uint64_t probes() const { return probes_; }

  /// counter += amount (64 bits), in memory, before `at`.
  void add(std::uint64_t counter, llvm::Value* amount, llvm::Instruction* at);
  /// The probe looks at a whole number of up to 64 bits before `at`; splits its block.
  void look(std::uint64_t probe, llvm::Value* value, bool is_signed, llvm::Instruction* at);
  /// Of what was inserted in a function: the thread's displacement is loaded once for all places that no call lies between.
  void share_displacements(llvm::Function& function);
  /// Gives everything its final place, and the module its structure. Nothing is counted after that.
  void finish(std::uint64_t id);
  /// Another id for a module that was finished.
  static void rename(llvm::Module& module, std::uint64_t id);

 private:
  llvm::Value* displaced(llvm::Value* address, llvm::Instruction* at);
  llvm::Function* noticing();

  llvm::Module& module_;
  llvm::GlobalVariable* counter_base_;  // stand-ins until the sizes are known
  llvm::GlobalVariable* probe_base_;
  llvm::GlobalVariable* displacement_;
  llvm::Function* noticing_ = nullptr;
  llvm::SmallPtrSet<const llvm::Instruction*, 32> displacements_;  // loads of it in the function at hand
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
            const std::vector<llvm::BasicBlock*>& whole_loop_heads, CounterMemory& memory);

}  // namespace parcast::pass
