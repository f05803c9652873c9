// SPDX-License-Identifier: Apache-2.0
#pragma once
// What one execution of a block does, by class of operation; classes as in docs/models/operations.md.

#include "llvm/Support/JSON.h"

namespace llvm {
class BasicBlock;
class DataLayout;
}  // namespace llvm

namespace parcast::pass {

/// Class -> how many, and the bytes loaded and stored. A vector operation counts once per element.
llvm::json::Object operations_of(const llvm::BasicBlock& block, const llvm::DataLayout& layout);

}  // namespace parcast::pass
