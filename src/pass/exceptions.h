// SPDX-License-Identifier: Apache-2.0
#pragma once
// Types that C++ throws and that handlers take, by the names of their descriptors (Itanium C++ ABI, 2.9.4: _ZTI...). docs/formats/facts.md, throws and takes.

#include <optional>

#include "llvm/Support/JSON.h"

namespace llvm {
class BasicBlock;
class CallBase;
}  // namespace llvm

namespace parcast::pass {

/// Of a call that throws an object: its type and those that it is derived from, publicly and from one each; null behind them where there may be more, or
/// handlers for other types may take it. None of other calls.
std::optional<llvm::json::Array> thrown_by(const llvm::CallBase& call);

/// What handlers take that a block begins with; null: whatever is thrown. An empty name where one takes what cannot be told. None where it begins with no handler.
std::optional<llvm::json::Array> taken_by(const llvm::BasicBlock& block);

}  // namespace parcast::pass
