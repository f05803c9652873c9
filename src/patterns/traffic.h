// SPDX-License-Identifier: Apache-2.0
#pragma once
// Senders and receivers of the messages in a segment, as input of the rules for patterns
// (docs/models/patterns.md).

#include <cstdint>
#include <vector>

namespace parcast::program {

/// All messages of a segment from one rank to another.
struct Pair {
  std::int32_t from = 0, to = 0;
  std::uint64_t messages = 0;
  double bytes = 0;         // of all messages
  std::uint32_t first = 0;  // position of the sender's first message; ascends in the order of its sends
  // number of the segment's senders to the sending rank from which that rank has received a message before
  std::uint32_t heard = 0;
};

/// The pairs of a segment, ordered by sender and then by receiver. No pair occurs twice, and no rank is
/// paired with itself.
class Traffic {
 public:
  /// Pairs may come in any order and more than once, with ranks in 0 .. ranks - 1. Messages from a rank to
  /// itself are dropped.
  Traffic(std::int32_t ranks, std::vector<Pair> pairs);

  std::int32_t ranks() const { return ranks_; }
  const std::vector<Pair>& pairs() const { return pairs_; }
  bool has(std::int32_t from, std::int32_t to) const { return find(from, to) != nullptr; }
  const Pair* find(std::int32_t from, std::int32_t to) const;
  /// The pairs with `rank` as sender have the indices begin(rank) .. begin(rank + 1) - 1.
  std::size_t begin(std::int32_t rank) const { return begin_[static_cast<std::size_t>(rank)]; }
  std::size_t receivers_of(std::int32_t rank) const { return begin(rank + 1) - begin(rank); }
  std::size_t senders_to(std::int32_t rank) const { return senders_[static_cast<std::size_t>(rank)]; }

  /// Returns whether all pairs have the same number of messages.
  bool even() const;
  /// Returns whether the messages of all pairs have the same size.
  bool one_size() const;
  /// Returns whether every pair has a pair in the other direction.
  bool both_ways() const;

  /// Returns the traffic among these ranks only, renumbered 0, 1, .. in the given order.
  Traffic among(const std::vector<std::int32_t>& members) const;
  /// Returns sets of ranks that exchange messages directly or through others. Each set is ascending, and the
  /// sets are ordered by their lowest rank. A rank that neither sends nor receives is in none.
  std::vector<std::vector<std::int32_t>> connected() const;

 private:
  std::int32_t ranks_;
  std::vector<Pair> pairs_;
  std::vector<std::size_t> begin_, senders_;
};

}  // namespace parcast::program
