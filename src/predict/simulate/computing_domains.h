// SPDX-License-Identifier: Apache-2.0
#pragma once
// Ranks that compute while they share memory. For each memory domain it computes when the next piece of
// computing ends. All pieces of a domain proceed at the same speed, so one clock of work per domain gives the
// end of each piece. docs/models/memory_contention.md.

#include <cstdint>
#include <limits>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "predict/simulate/contention.h"
#include "trace/trace.h"

namespace parcast::simulate {

/// Duration of a piece of computing that runs alone, in 2^-32 ps, so that speed times integer picoseconds is
/// exactly work.
__extension__ using Work = unsigned __int128;
constexpr Work work_of(trace::Time alone) {
  return static_cast<Work>(alone) << 32;
}
/// Returns the picoseconds that the work takes alone, rounded up.
constexpr trace::Time alone_time(Work work) {
  return static_cast<trace::Time>((work + 0xffffffffu) >> 32);
}
/// Returns floor(work x ratio), where the ratio is a multiple of 2^-32; limited to a value at which the run
/// is refused.
Work scaled_work(Work work, std::int64_t ratio);

/// The work of a rank's pieces, in their order; consecutive equal values are stored once.
class WorksOfRank {
 public:
  void add(Work work);
  /// Sets `work` to that of the next piece. Returns false, and leaves it, after the last piece.
  bool next(Work& work);

 private:
  struct Run {
    Work work = 0;
    std::uint64_t pieces = 0;
  };
  std::vector<Run> runs_;
  std::size_t at_ = 0;
  std::uint64_t taken_ = 0;  // pieces taken from the current run
};
using Works = std::vector<WorksOfRank>;

class ComputingDomains {
 public:
  /// `of` must outlive this object.
  ComputingDomains(const Contention& of, std::size_t ranks);

  static constexpr trace::Time kNever = std::numeric_limits<trace::Time>::max();

  /// Begins a piece that ends after this work, which is > 0. Times of calls never decrease, and never exceed
  /// next_end().
  void begin(std::int32_t rank, trace::Time now, Work work);
  /// Begins a piece that lasts until `end`, however much work that is. All pieces of one object begin in one
  /// of the two ways.
  void begin_until(std::int32_t rank, trace::Time now, trace::Time end);
  /// Returns when the next piece ends, if none begins before.
  trace::Time next_end() const { return ends_.empty() ? kNever : ends_.begin()->first; }

  struct Ended {
    std::int32_t rank = 0;
    Work work = 0;
  };
  /// Ends the pieces that end at next_end(). The result is valid until the next call.
  std::span<const Ended> end();

 private:
  struct Piece {
    Work key = 0;  // the domain's clock of work, or the time, at which the piece ends
    std::int32_t rank = 0;
    Work begun = 0;  // the domain's clock of work at its beginning
    // the front of a heap is the earliest
    bool operator<(const Piece& other) const {
      return key > other.key || (key == other.key && rank > other.rank);
    }
  };
  struct Domain {
    Work done = 0;  // by each of its pieces since the beginning, at time `since`
    trace::Time since = 0, end = kNever;
    std::vector<Piece> pieces;  // a heap
  };

  Domain& advance(std::int32_t rank, trace::Time now);
  void add(Domain& domain, const Piece& piece);
  void look_ahead(Domain& domain);
  std::int64_t speed(const Domain& domain) const { return of_.speeds[domain.pieces.size()]; }

  const Contention& of_;
  std::vector<Domain> domains_;
  std::set<std::pair<trace::Time, std::uint32_t>> ends_;  // of domains in which some rank computes
  std::vector<Ended> ended_;
  bool timed_ = false;
};

}  // namespace parcast::simulate
