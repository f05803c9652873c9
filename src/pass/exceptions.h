// SPDX-License-Identifier: Apache-2.0
#pragma once
// Types that C++ code throws and that handlers catch, by the names of their type descriptors (Itanium C++
// ABI, 2.9.4: _ZTI...). docs/formats/facts.md, throws and takes.

#include <optional>

#include "llvm/Support/JSON.h"

namespace llvm {
class BasicBlock;
class CallBase;
}  // namespace llvm

namespace parcast::pass {

/// For a call that throws an object, returns its type and the types that it is derived from, by public single
/// inheritance. A null follows when there may be more types, or when handlers of other types may catch it.
/// Returns none for other calls.
std::optional<llvm::json::Array> thrown_by(const llvm::CallBase& call);

/// Returns the types that the handlers at the begin of a block catch; null: any type. An empty name
/// represents an unknown type. Returns none when the block does not begin with a handler.
std::optional<llvm::json::Array> taken_by(const llvm::BasicBlock& block);

}  // namespace parcast::pass
