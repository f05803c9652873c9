// SPDX-License-Identifier: Apache-2.0
#pragma once
// Who sends to whom in a segment of a program, as rules of patterns look at it (docs/models/patterns.md).

#include <cstdint>
#include <vector>

namespace parcast::program {

/// All messages of a segment from one rank to another.
struct Pair {
  std::int32_t from = 0, to = 0;
  std::uint64_t messages = 0;
  double bytes = 0;         // of all of them
  std::uint32_t first = 0;  // when the sender sends the first of them: ascending in the order of its sends
  std::uint32_t heard = 0;  // from how many of those that send to it in the segment the sender has received something by then
};

/// The pairs of a segment, ordered by sender and then by receiver, no pair twice, nobody with itself.
class Traffic {
 public:
  /// Pairs may come in any order and more than once, with ranks of 0 .. ranks - 1; what a rank sends to itself is left out.
  Traffic(std::int32_t ranks, std::vector<Pair> pairs);

  std::int32_t ranks() const { return ranks_; }
  const std::vector<Pair>& pairs() const { return pairs_; }
  bool has(std::int32_t from, std::int32_t to) const { return find(from, to) != nullptr; }
  const Pair* find(std::int32_t from, std::int32_t to) const;
  /// The numbers of a rank's pairs as sender are begin(rank) .. begin(rank + 1) - 1.
  std::size_t begin(std::int32_t rank) const { return begin_[static_cast<std::size_t>(rank)]; }
  std::size_t receivers_of(std::int32_t rank) const { return begin(rank + 1) - begin(rank); }
  std::size_t senders_to(std::int32_t rank) const { return senders_[static_cast<std::size_t>(rank)]; }

  /// Every pair has as many messages as any other.
  bool even() const;
  /// Messages of all pairs are of one size.
  bool one_size() const;
  /// For every pair there is that of the other direction.
  bool both_ways() const;

  /// Of these ranks alone, which are then called 0, 1, .. in the order given.
  Traffic among(const std::vector<std::int32_t>& members) const;
  /// Ranks that exchange messages directly or over others, each set ascending, the sets by their least rank; who neither sends nor
  /// receives is in none.
  std::vector<std::vector<std::int32_t>> connected() const;

 private:
  std::int32_t ranks_;
  std::vector<Pair> pairs_;
  std::vector<std::size_t> begin_, senders_;
};

}  // namespace parcast::program
