// SPDX-License-Identifier: Apache-2.0
#pragma once
// When a max-plus recursion has become periodic, and how far it stays so.
//
// While the winners of all maxima stay the same, one iteration only copies and adds. Hence if over one period of c
// iterations every time grew by the same amount as over the period before, with every maximum won by the same
// candidate, then it grows so again, until a losing candidate that catches up reaches its winner.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <vector>

namespace parcast::dependence {

/// The state after an iteration, and how the maxima during it were won.
struct Snapshot {
  std::vector<double> times;   // of ranks, of messages on their way
  std::vector<double> parts;   // accumulated seconds
  std::vector<double> margins; // signed; a change of sign is a change of regime
  std::vector<std::int64_t> turns;  // of cyclic roots, modulo the number of ranks
};

/// A jump of `periods` times `length` iterations.
struct Jump {
  std::size_t length = 0;
  std::int64_t periods = 0;
};

class History {
 public:
  /// Periods to look for, ascending.
  explicit History(std::vector<std::size_t> lengths) : lengths_(std::move(lengths)) {}

  void add(Snapshot snapshot);
  void clear() { kept_.clear(); }
  /// The longest jump over at most `remaining` iterations, or no periods.
  Jump find(std::int64_t remaining) const;
  /// Times and parts after the jump from the last snapshot.
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
