// SPDX-License-Identifier: Apache-2.0
#pragma once
// Ranks that compute while they share memory: of each domain, when the next of its pieces ends. All pieces of a domain go on equally fast,
// so that one clock of work per domain tells for all of them when they are done. docs/models/memory_contention.md.

#include <cstdint>
#include <limits>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "predict/simulate/contention.h"
#include "trace/trace.h"

namespace parcast::simulate {

/// Of a piece: what it would take alone, in 2^-32 ps, so that a speed times whole picoseconds is work, exactly.
__extension__ using Work = unsigned __int128;
constexpr Work work_of(trace::Time alone) { return static_cast<Work>(alone) << 32; }
/// Whole picoseconds that the work takes alone; the last one need not be full.
constexpr trace::Time alone_time(Work work) { return static_cast<trace::Time>((work + 0xffffffffu) >> 32); }
/// floor(work x ratio), the ratio a multiple of 2^-32; so much that the run is refused where it would not fit.
Work scaled_work(Work work, std::int64_t ratio);

/// The works of a rank's pieces, in their order; equal ones that follow each other are held once.
class WorksOfRank {
 public:
  void add(Work work);
  /// The next piece's; nothing beyond the last that was added.
  bool next(Work& work);

 private:
  struct Run {
    Work work = 0;
    std::uint64_t pieces = 0;
  };
  std::vector<Run> runs_;
  std::size_t at_ = 0;
  std::uint64_t taken_ = 0;  // of the run at hand
};
using Works = std::vector<WorksOfRank>;

class ComputingDomains {
 public:
  /// `of` must outlive this.
  ComputingDomains(const Contention& of, std::size_t ranks);

  static constexpr trace::Time kNever = std::numeric_limits<trace::Time>::max();

  /// A piece begins that is done after so much work > 0. Times of calls never go back, and never beyond next_end().
  void begin(std::int32_t rank, trace::Time now, Work work);
  /// A piece begins that lasts until `end`, whatever work that is; of one object all pieces begin in one of the two ways.
  void begin_until(std::int32_t rank, trace::Time now, trace::Time end);
  /// When the next piece ends, if none begins before.
  trace::Time next_end() const { return ends_.empty() ? kNever : ends_.begin()->first; }

  struct Ended {
    std::int32_t rank = 0;
    Work work = 0;
  };
  /// Ends the pieces that end at next_end(); until the next call.
  std::span<const Ended> end();

 private:
  struct Piece {
    Work key = 0;   // the domain's clock of work, or the time, at which it ends
    std::int32_t rank = 0;
    Work begun = 0;  // the domain's clock of work then
    bool operator<(const Piece& other) const { return key > other.key || (key == other.key && rank > other.rank); }  // a heap's first is the earliest
  };
  struct Domain {
    Work done = 0;                  // by each of its pieces since the beginning, at `since`
    trace::Time since = 0, end = kNever;
    std::vector<Piece> pieces;      // a heap
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
