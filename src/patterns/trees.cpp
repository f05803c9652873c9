// SPDX-License-Identifier: Apache-2.0
// Patterns in which one rank reaches all, or all reach one.
#include <algorithm>

#include "patterns/rules.h"

namespace parcast::program {
namespace {

/// A tree in which every rank but the root has one parent, which sends to it.
struct MessageTree {
  std::int32_t root = 0;
  std::vector<std::int32_t> parent;  // for the root: -1
};

/// Returns the tree of the edges. Empty unless every rank but the root is the end of exactly one edge and all
/// are reached from the root.
std::optional<MessageTree> tree_of(std::int32_t ranks,
                                   const std::vector<std::pair<std::int32_t, std::int32_t>>& edges) {
  if (edges.size() != static_cast<std::size_t>(ranks) - 1) return std::nullopt;
  MessageTree tree{-1, std::vector<std::int32_t>(static_cast<std::size_t>(ranks), -1)};
  for (const auto& [from, to] : edges) {
    if (tree.parent[static_cast<std::size_t>(to)] >= 0) return std::nullopt;
    tree.parent[static_cast<std::size_t>(to)] = from;
  }
  for (std::int32_t rank = 0; rank < ranks; ++rank)
    if (tree.parent[static_cast<std::size_t>(rank)] < 0) tree.root = rank;
  for (std::int32_t rank = 0; rank < ranks; ++rank) {
    std::int32_t steps = 0;
    for (std::int32_t at = rank; at != tree.root; at = tree.parent[static_cast<std::size_t>(at)])
      if (++steps >= ranks) return std::nullopt;  // a cycle without the root
  }
  return tree;
}

/// Returns whether the tree is binomial. With ranks counted from the root, the parent clears the lowest bit,
/// or the highest.
bool binomial(const MessageTree& tree) {
  const auto p = static_cast<std::int32_t>(tree.parent.size());
  bool lowest = true, highest = true;
  for (std::int32_t rank = 0; rank < p; ++rank) {
    if (rank == tree.root) continue;
    const std::int32_t own = (rank - tree.root + p) % p,
                       parent = (tree.parent[static_cast<std::size_t>(rank)] - tree.root + p) % p;
    std::int32_t top = own;
    while ((top & (top - 1)) != 0) top &= top - 1;
    lowest = lowest && parent == (own & (own - 1));
    highest = highest && parent == own - top;
  }
  return lowest || highest;
}

enum class Shape { star, chain, binomial, other };

Shape shape_of(const MessageTree& tree) {
  std::vector<std::int32_t> children(tree.parent.size());
  for (const std::int32_t parent : tree.parent)
    if (parent >= 0) ++children[static_cast<std::size_t>(parent)];
  if (children[static_cast<std::size_t>(tree.root)] == static_cast<std::int32_t>(children.size()) - 1)
    return Shape::star;
  if (std::all_of(children.begin(), children.end(), [](std::int32_t count) { return count <= 1; }))
    return Shape::chain;
  return binomial(tree) ? Shape::binomial : Shape::other;
}

std::string text_of(Shape shape) {
  switch (shape) {
    case Shape::star:
      return "star";
    case Shape::chain:
      return "chain";
    case Shape::binomial:
      return "binomial tree";
    case Shape::other:
      break;
  }
  return "tree";
}

/// Returns whether the tree is a chain of descending ranks, possibly wrapping around.
bool downwards(const MessageTree& tree) {
  const auto p = static_cast<std::int32_t>(tree.parent.size());
  for (std::int32_t rank = 0; rank < p; ++rank)
    if (const std::int32_t parent = tree.parent[static_cast<std::size_t>(rank)];
        parent >= 0 && (parent + p - 1) % p != rank)
      return false;
  return true;
}

std::vector<std::pair<std::int32_t, std::int32_t>> edges_of(const Traffic& traffic, bool turned) {
  std::vector<std::pair<std::int32_t, std::int32_t>> edges;
  for (const Pair& pair : traffic.pairs())
    edges.emplace_back(turned ? pair.to : pair.from, turned ? pair.from : pair.to);
  return edges;
}

/// Returns whether every rank sends after it has received all messages that it passes on.
bool waits_for_all(const Traffic& traffic) {
  return std::all_of(traffic.pairs().begin(), traffic.pairs().end(),
                     [&](const Pair& pair) { return pair.heard >= traffic.senders_to(pair.from); });
}

Classified rooted(MessagePattern pattern, Shape shape, const char* word, std::int32_t root,
                  const char* table) {
  return {
      .pattern = pattern, .form = text_of(shape) + " " + word + " " + std::to_string(root), .table = table};
}

}  // namespace

std::optional<Classified> broadcast_in(const Traffic& traffic) {
  if (traffic.ranks() < 3 || !traffic.even() || !waits_for_all(traffic)) return std::nullopt;
  const auto tree = tree_of(traffic.ranks(), edges_of(traffic, false));
  if (!tree) return std::nullopt;
  const Shape shape = shape_of(*tree);
  if (shape == Shape::chain && downwards(*tree)) return std::nullopt;
  return rooted(MessagePattern::broadcast, shape, "from", tree->root,
                traffic.one_size() ? "broadcast" : "scatter");
}

std::optional<Classified> reduction_in(const Traffic& traffic) {
  if (traffic.ranks() < 3 || !traffic.even() || !waits_for_all(traffic)) return std::nullopt;
  const auto tree = tree_of(traffic.ranks(), edges_of(traffic, true));
  if (!tree) return std::nullopt;
  return rooted(MessagePattern::combine, shape_of(*tree), "to", tree->root,
                traffic.one_size() ? "reduce" : "gather");
}

std::optional<Classified> reduction_and_broadcast_in(const Traffic& traffic) {
  const auto p = static_cast<std::size_t>(traffic.ranks());
  if (p < 3 || traffic.pairs().size() != 2 * (p - 1) || !traffic.even() || !traffic.both_ways())
    return std::nullopt;
  // A message goes down if its sender has received from all its neighbours before. It goes up if the sender
  // has received from all but the parent.
  std::vector<std::pair<std::int32_t, std::int32_t>> down;
  for (const Pair& pair : traffic.pairs())
    if (pair.heard >= traffic.senders_to(pair.from)) down.emplace_back(pair.from, pair.to);
  const auto tree = tree_of(traffic.ranks(), down);
  if (!tree) return std::nullopt;
  for (const Pair& pair : traffic.pairs())
    if (tree->parent[static_cast<std::size_t>(pair.from)] == pair.to &&
        pair.heard + 1 != traffic.senders_to(pair.from))
      return std::nullopt;
  return Classified{.pattern = MessagePattern::combine,
                    .form = text_of(shape_of(*tree)) + " to " + std::to_string(tree->root) + " and back",
                    .table = "allreduce"};
}

}  // namespace parcast::program
