// SPDX-License-Identifier: Apache-2.0
#include "predict/simulate/path_tree.h"

#include <algorithm>

namespace parcast::simulate {

void PathTree::add_to(std::vector<Sum>& sums, const Sum& sum) {
  const auto at = std::lower_bound(sums.begin(), sums.end(), sum.key,
                                   [](const Sum& each, std::uint64_t key) { return each.key < key; });
  if (at == sums.end() || at->key != sum.key) {
    sums.insert(at, sum);
    return;
  }
  at->time += sum.time;
  at->count += sum.count;
}

PathTree::Chain PathTree::make(Chain before) {
  if (nodes() >= merge_at_) merge_unbranched();
  Chain made;
  if (free_.empty()) {
    made = static_cast<Chain>(nodes_.size());
    nodes_.emplace_back();
  } else {
    made = free_.back();
    free_.pop_back();
  }
  nodes_[made].before = before;
  nodes_[made].uses = 1;
  return made;
}

void PathTree::drop(Chain chain) {
  while (chain != kStart && --nodes_[chain].uses == 0) {
    nodes_[chain].sums.clear();
    free_.push_back(chain);
    chain = nodes_[chain].before;
  }
}

void PathTree::add(Chain& chain, std::uint64_t key, Time time, std::uint64_t count) {
  if (chain == kStart || nodes_[chain].uses > 1) chain = make(chain);  // the reference moves to the new node
  add_to(nodes_[chain].sums, {key, time, count});
}

std::vector<PathTree::Sum> PathTree::sums(Chain chain) const {
  std::vector<Sum> all;
  for (; chain != kStart; chain = nodes_[chain].before)
    for (const Sum& sum : nodes_[chain].sums) add_to(all, sum);
  return all;
}

/// Merges each node with a single follower into that follower. The smaller list is inserted into the larger
/// one, so that no sum is moved often.
void PathTree::merge_unbranched() {
  for (Node& node : nodes_) {
    if (node.uses == 0) continue;
    while (node.before != kStart && nodes_[node.before].uses == 1) {
      const Chain merged = node.before;
      Node& before = nodes_[merged];
      if (before.sums.size() > node.sums.size()) std::swap(before.sums, node.sums);
      for (const Sum& sum : before.sums) add_to(node.sums, sum);
      node.before = before.before;
      before.sums.clear();
      before.uses = 0;
      free_.push_back(merged);
    }
  }
  merge_at_ = std::max(kAtLeast, 2 * nodes());
}

}  // namespace parcast::simulate
