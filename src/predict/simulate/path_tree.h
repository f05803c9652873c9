// SPDX-License-Identifier: Apache-2.0
#pragma once
// Sums over chains of causes. Every rank and every message under way has a chain that explains its time.
// Chains share their beginnings, so together they form a tree whose leaves are in use. Callers need only sums
// over a chain: nodes without references are removed, and runs of nodes without a branch are merged. The tree
// never has more nodes than about twice its leaves (or kAtLeast), however long the run.

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "trace/trace.h"

namespace parcast::simulate {

class PathTree {
 public:
  using Time = trace::Time;
  using Chain = std::uint32_t;  // refers to a node; kStart: nothing has happened yet
  static constexpr Chain kStart = 0xffffffff;
  static constexpr std::size_t kAtLeast = 1 << 16;

  struct Sum {
    std::uint64_t key = 0;
    Time time = 0;
    std::uint64_t count = 0;
  };

  /// Returns a second reference to the chain; each reference must be dropped.
  Chain share(Chain chain) {
    if (chain != kStart) ++nodes_[chain].uses;
    return chain;
  }
  void drop(Chain chain);
  /// Adds to the sum of `key`. Other references to the chain do not see the addition.
  void add(Chain& chain, std::uint64_t key, Time time, std::uint64_t count = 1);
  /// Returns the sums of the complete chain, by key.
  std::vector<Sum> sums(Chain chain) const;

  std::size_t nodes() const { return nodes_.size() - free_.size(); }

 private:
  struct Node {
    Chain before = kStart;
    std::uint32_t uses = 0;  // references by chains and by following nodes; 0: free
    std::vector<Sum> sums;   // by key
  };
  Chain make(Chain before);
  static void add_to(std::vector<Sum>& sums, const Sum& sum);
  void merge_unbranched();

  std::vector<Node> nodes_;
  std::vector<Chain> free_;
  std::size_t merge_at_ = kAtLeast;
};

}  // namespace parcast::simulate
