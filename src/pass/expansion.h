// SPDX-License-Identifier: Apache-2.0
#pragma once
// Calls that stand for counting while a module is optimised, and the code that they become where optimisation ends. A call is one
// instruction for everything in between; the code is five for a counter, and blocks of its own for a probe (decision 77).
//
//   call void @__parcast_add.64(i64 COUNTER, i64 AMOUNT)      counter += amount
//   call void @__parcast_look.32(i64 PROBE, i32 VALUE)        the probe looks at a whole number
//
// They touch no memory that the program knows of. Layout in memory of what they become: recording/counted.h.

#include "llvm/ADT/StringRef.h"

namespace llvm {
class Instruction;
class Module;
class Value;
}  // namespace llvm

namespace parcast::pass {

inline constexpr llvm::StringLiteral kCounters = "__parcast_counters", kDisplacement = "__parcast.displacement", kModule = "__parcast_module";

// Fields of struct parcast_counted_module.
inline constexpr unsigned kId = 1, kCounts = 3;

/// counter += amount (64 bits), before `at`.
void stand_for_add(std::uint64_t counter, llvm::Value* amount, llvm::Instruction* at);
/// The probe looks at a whole number of up to 64 bits, before `at`.
void stand_for_look(std::uint64_t probe, llvm::Value* value, llvm::Instruction* at);

/// What stands for counting becomes code, in a module that has its counters. Where the thread counts is loaded once for all places that no call lies between,
/// and values are looked at together that none does. Gives whether there was any.
bool expand(llvm::Module& module);

/// One symbol per executable or shared library, whichever object file brings it.
template <class Symbol>
void once_per_binary(Symbol* symbol) {
  symbol->setLinkage(Symbol::LinkOnceODRLinkage);
  symbol->setVisibility(Symbol::HiddenVisibility);
  symbol->setComdat(symbol->getParent()->getOrInsertComdat(symbol->getName()));
}

}  // namespace parcast::pass
