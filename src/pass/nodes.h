// SPDX-License-Identifier: Apache-2.0
#pragma once
// Values of a function as a table of nodes, each made of earlier ones: the program's own arithmetic, in its
// own widths, from what comes from elsewhere (arguments, loads, results of calls). docs/formats/facts.md
// lists the operations. Nothing is assumed of overflow: an operation of w bits is one modulo 2^w.

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

/// The name that a call goes to; empty where that is decided while the program runs. Another name of a function is the function, unless a linker
/// may put another one in its place.
llvm::StringRef called_by(const llvm::CallBase& call);

class Nodes {
 public:
  Nodes(llvm::ScalarEvolution& evolution, const llvm::DominatorTree& dominators,
        const llvm::DenseMap<const llvm::Loop*, int>& loops, const llvm::DataLayout& layout)
      : evolution_(evolution), dominators_(dominators), loops_(loops), layout_(layout) {}

  /// Of a scalar evolution; none when it cannot be told without pointers.
  std::optional<int> of(const llvm::SCEV* evolution);
  /// Of a value as the instructions compute it.
  int of(llvm::Value* value);
  /// Where a pointer, or so many bytes behind it, points to: a node of its own kind.
  int place(llvm::Value* pointer, std::int64_t behind = 0);
  /// How often the way back is taken until the comparison at the end of `exiting` ends the loop, if nothing
  /// else does before and what it compares with stays as it is. None where it compares nothing that advances
  /// evenly, or is multiplied or divided by one number each time.
  std::optional<int> rounds_by_comparison(const llvm::Loop& loop, llvm::BasicBlock& exiting);

  const llvm::json::Array& row(int node) const { return table_[static_cast<std::size_t>(node)]; }
  /// At the end, all of them.
  llvm::json::Array take_table();
  /// What the nodes refer to that can be looked at while the program runs: whole numbers that come from
  /// elsewhere.
  const std::map<int, llvm::Value*>& sources() const { return sources_; }

 private:
  std::optional<int> geometric_rounds(const llvm::Loop& loop, llvm::ICmpInst& comparison, bool stays_where_it_holds);
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
  llvm::StringMap<int> numbers_;  // of equal nodes, by what they are
  llvm::DenseMap<llvm::Value*, int> known_;
  llvm::DenseMap<const llvm::SCEV*, int> told_;  // they share their operands: each is gone through once
  std::map<int, llvm::Value*> sources_;
  int depth_ = 0;
};

}  // namespace parcast::pass
