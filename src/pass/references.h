// SPDX-License-Identifier: Apache-2.0
#pragma once
// Finds what a block in a loop reads and writes of arrays: base, offset as a recurrence over the enclosing
// loops, bytes (Clement, Quinn 1997, section 3.2: portions of arrays). docs/formats/facts.md, references.

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

/// Numbers of the array bases in a function, from 0 in order of their first reference.
using ArrayNumbers = llvm::DenseMap<const llvm::SCEV*, int>;

/// Returns the rows of the block's references; references whose offsets differ by constants share a row.
/// `asked` is called with the node of each offset.
llvm::json::Array references_of(llvm::BasicBlock& block, int number, const llvm::Loop& loop,
                                llvm::ScalarEvolution& evolution, const llvm::DataLayout& layout,
                                const llvm::DenseMap<const llvm::Loop*, int>& loops, Nodes& nodes,
                                ArrayNumbers& arrays, const std::function<void(int node)>& asked);

}  // namespace parcast::pass
