// SPDX-License-Identifier: Apache-2.0
#pragma once
// Values of a function as a table of nodes, each made of earlier ones: the program's own arithmetic, in its
// own widths, from what comes from elsewhere (arguments, loads, results of calls). docs/formats/facts.md
// lists the operations. Nothing is assumed of overflow: an operation of w bits is one modulo 2^w.

#include <map>
#include <optional>
#include <vector>

#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/JSON.h"

namespace llvm {
class DataLayout;
class Loop;
class Instruction;
class SCEV;
class ScalarEvolution;
class Value;
}  // namespace llvm

namespace parcast::pass {

class Nodes {
 public:
  Nodes(llvm::ScalarEvolution& evolution, const llvm::DenseMap<const llvm::Loop*, int>& loops,
        const llvm::DataLayout& layout)
      : evolution_(evolution), loops_(loops), layout_(layout) {}

  /// Of a scalar evolution; none when it cannot be told without pointers.
  std::optional<int> of(const llvm::SCEV* evolution);
  /// Of a value as the instructions compute it.
  int of(llvm::Value* value);
  /// Where a pointer points to: a node of its own kind.
  int place(llvm::Value* pointer);

  const llvm::json::Array& table() const { return table_; }
  /// What the nodes refer to that can be looked at while the program runs: whole numbers that come from
  /// elsewhere.
  const std::map<int, llvm::Value*>& sources() const { return sources_; }

 private:
  int add(llvm::json::Array node);
  int source(llvm::Value* value, llvm::json::Array node);
  int describe(llvm::Value* value, int depth);
  int join(llvm::StringRef name, unsigned bits, const std::vector<int>& operands);

  llvm::ScalarEvolution& evolution_;
  const llvm::DenseMap<const llvm::Loop*, int>& loops_;
  const llvm::DataLayout& layout_;
  llvm::json::Array table_;
  std::map<std::string, int> numbers_;  // of equal nodes, by their text
  llvm::DenseMap<llvm::Value*, int> known_;
  llvm::DenseMap<const llvm::SCEV*, int> told_;  // they share their operands: each is gone through once
  std::map<int, llvm::Value*> sources_;
  int depth_ = 0;
};

}  // namespace parcast::pass
