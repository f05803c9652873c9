// SPDX-License-Identifier: Apache-2.0
#pragma once
// While a module is optimised, calls represent counting; where optimisation ends they become code. A call is
// one instruction for all passes in between. The code has five instructions for a counter, and separate
// blocks for a probe (decision 77).
//
//   call void @__parcast_add.64(i64 COUNTER, i64 AMOUNT)      counter += amount
//   call void @__parcast_look.32(i64 PROBE, i32 VALUE)        the probe examines an integer
//
// The calls access no memory visible to the program. recording/counted.h has the memory layout of the code.

#include "llvm/ADT/StringRef.h"

namespace llvm {
class Instruction;
class Module;
class Value;
}  // namespace llvm

namespace parcast::pass {

inline constexpr llvm::StringLiteral kCounters = "__parcast_counters",
                                     kDisplacement = "__parcast.displacement", kModule = "__parcast_module";

// Indices of fields of struct parcast_counted_module.
inline constexpr unsigned kId = 1, kCounts = 3;

/// Inserts "counter += amount" (64 bits) before `at`.
void stand_for_add(std::uint64_t counter, llvm::Value* amount, llvm::Instruction* at);
/// Inserts before `at` that the probe examines an integer of up to 64 bits.
void stand_for_look(std::uint64_t probe, llvm::Value* value, llvm::Instruction* at);

/// Replaces the calls by code, in a module that has its counters. The address where the thread counts is
/// loaded once for all places without a call in between; probes without a call in between are examined
/// together. Returns whether there was any.
bool expand(llvm::Module& module);

/// Makes a symbol unique in an executable or shared library, whichever object file defines it.
template <class Symbol>
void once_per_binary(Symbol* symbol) {
  symbol->setLinkage(Symbol::LinkOnceODRLinkage);
  symbol->setVisibility(Symbol::HiddenVisibility);
  symbol->setComdat(symbol->getParent()->getOrInsertComdat(symbol->getName()));
}

}  // namespace parcast::pass
