// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a block of a loop reads and writes of arrays: base, offset as a recurrence over the loops around, bytes
// (Clement, Quinn 1997, section 3.2: portions of arrays). docs/formats/facts.md, references.

#include <functional>

#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/JSON.h"

namespace llvm {
class BasicBlock;
class DataLayout;
class Loop;
class SCEV;
class ScalarEvolution;
}  // namespace llvm

namespace parcast::pass {

class Nodes;

/// Numbers of arrays' bases within a function, from 0 in order of their first reference.
using ArrayNumbers = llvm::DenseMap<const llvm::SCEV*, int>;

/// Rows of the block's references, those that differ by a constant in one. `asked`: of each offset's node.
llvm::json::Array references_of(llvm::BasicBlock& block, int number, const llvm::Loop& loop,
                                llvm::ScalarEvolution& evolution, const llvm::DataLayout& layout,
                                const llvm::DenseMap<const llvm::Loop*, int>& loops, Nodes& nodes, ArrayNumbers& arrays, const std::function<void(int node)>& asked);

}  // namespace parcast::pass
