// SPDX-License-Identifier: Apache-2.0
#pragma once
// Values of a function as a table of nodes, each computed from earlier nodes. The nodes are the program's own
// arithmetic, in its own widths. They begin with values that come from elsewhere (arguments, loads, results
// of calls). docs/formats/facts.md lists the operations. Overflow is not excluded: an operation of w bits is
// computed modulo 2^w.

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/JSON.h"

namespace llvm {
class BasicBlock;
class DataLayout;
class DominatorTree;
class CallBase;
class ICmpInst;
class Loop;
class PHINode;
class SCEV;
class ScalarEvolution;
class Value;
}  // namespace llvm

namespace parcast::pass {

/// Returns the name of the called function; empty when the program determines it at run time. An alias counts
/// as its function, unless a linker may replace it.
llvm::StringRef called_by(const llvm::CallBase& call);

class Nodes {
 public:
  Nodes(llvm::ScalarEvolution& evolution, const llvm::DominatorTree& dominators,
        const llvm::DenseMap<const llvm::Loop*, int>& loops, const llvm::DataLayout& layout)
      : evolution_(evolution), dominators_(dominators), loops_(loops), layout_(layout) {}

  /// Returns the node of a scalar evolution; none when it cannot be expressed without pointers.
  std::optional<int> of(const llvm::SCEV* evolution);
  /// Returns the node of a value as the instructions compute it.
  int of(llvm::Value* value);
  /// Returns the node of the place that a pointer points to, plus `behind` bytes; places are nodes of
  /// separate kinds.
  int place(llvm::Value* pointer, std::int64_t behind = 0);
  /// Returns the number of executions of the back edge until the comparison at the end of `exiting` ends the
  /// loop. It assumes that no other exit ends the loop before and that the limit does not change. Returns
  /// none unless the compared value advances evenly, or is multiplied or divided by a constant in each round.
  std::optional<int> rounds_by_comparison(const llvm::Loop& loop, llvm::BasicBlock& exiting);

  const llvm::json::Array& row(int node) const { return table_[static_cast<std::size_t>(node)]; }
  /// Returns all nodes. Call it once, at the end.
  llvm::json::Array take_table();
  /// Returns the values that probes can examine at run time: integers that come from elsewhere.
  const std::map<int, llvm::Value*>& sources() const { return sources_; }

 private:
  std::optional<int> geometric_rounds(const llvm::Loop& loop, llvm::ICmpInst& comparison,
                                      bool stays_where_it_holds);
  int add(llvm::json::Array node);
  int source(llvm::Value* value, llvm::json::Array node);
  int describe(llvm::Value* value, int depth);
  std::optional<int> describe_phi(llvm::PHINode& phi, int depth);
  int wide(int node, unsigned bits, bool is_signed);
  int number(std::int64_t value);
  int join(llvm::StringRef name, unsigned bits, const std::vector<int>& operands);

  llvm::ScalarEvolution& evolution_;
  const llvm::DominatorTree& dominators_;
  const llvm::DenseMap<const llvm::Loop*, int>& loops_;
  const llvm::DataLayout& layout_;
  std::vector<llvm::json::Array> table_;
  llvm::StringMap<int> numbers_;  // text of a node -> its number
  llvm::DenseMap<llvm::Value*, int> known_;
  // evolutions share operands: each is processed once
  llvm::DenseMap<const llvm::SCEV*, int> given_;
  std::map<int, llvm::Value*> sources_;
  int depth_ = 0;
};

}  // namespace parcast::pass
