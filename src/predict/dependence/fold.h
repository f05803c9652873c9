// SPDX-License-Identifier: Apache-2.0
#pragma once
// Detects when a max-plus recursion has become periodic, and for how many iterations it stays periodic.
//
// While the winners of all maxima stay the same, one iteration only copies and adds. Assume that over one
// period of c iterations every time grew by the same amount as over the period before. Assume also that the
// same candidate won every maximum. Then every time grows by the same amount again, until a losing candidate
// reaches its winner.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <vector>

namespace parcast::dependence {

/// The state after an iteration, and the margins of the maxima during it.
struct Snapshot {
  std::vector<double> times;        // of ranks, of messages under way
  std::vector<double> parts;        // accumulated seconds
  std::vector<double> margins;      // signed; a change of sign is a change of winner
  std::vector<std::int64_t> turns;  // of cyclic roots, modulo the number of ranks
};

/// A jump of `periods` times `length` iterations.
struct Jump {
  std::size_t length = 0;
  std::int64_t periods = 0;
};

class History {
 public:
  /// `lengths`: periods to search for, ascending.
  explicit History(std::vector<std::size_t> lengths) : lengths_(std::move(lengths)) {}

  void add(Snapshot snapshot);
  void clear() { kept_.clear(); }
  /// Returns the longest jump over at most `remaining` iterations, or a jump of 0 periods.
  Jump find(std::int64_t remaining) const;
  /// Returns times and parts after the jump from the last snapshot.
  Snapshot after(const Jump& jump) const;
  const Snapshot& last() const { return kept_.back(); }

 private:
  const Snapshot& back(std::size_t iterations) const { return kept_[kept_.size() - 1 - iterations]; }
  bool repeats(std::size_t length) const;
  std::int64_t periods_until_change(std::size_t length) const;

  std::vector<std::size_t> lengths_;
  std::deque<Snapshot> kept_;
};

}  // namespace parcast::dependence
