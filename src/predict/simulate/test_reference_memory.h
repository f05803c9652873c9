// SPDX-License-Identifier: Apache-2.0
#pragma once
// Tests only, a part of the plain interpreter (test_reference.h): computing of ranks that share memory. Every
// piece stores its remaining work, and all pieces advance together from one moment to the next.
// docs/models/memory_contention.md.

#include <cstdint>
#include <vector>

#include "predict/simulate/noise.h"
#include "predict/simulate/platform.h"

namespace parcast::simulate::reference {

class Memory {
 public:
  __extension__ using Work = __int128;  // in 2^-32 ps
  enum class Times { as_recorded, shared };

  /// `works`: by rank, in order of its pieces, their times alone; empty: the times of the trace.
  Memory(const Platform& platform, std::int32_t ranks, Times times, std::vector<std::vector<Work>> works);

  /// Returns false when the piece takes no time; otherwise the piece ends at a later moment.
  bool begin(std::int32_t rank, Time now, Time given);
  struct Ended {
    std::int32_t rank = 0;
    Time begun = 0, lost = 0;
  };
  /// Advances all pieces to `now`, and returns those that end now.
  std::vector<Ended> end(Time now);
  /// Returns when the next piece ends if none begins or ends before; the largest Time if there is none.
  Time next(Time now);
  /// As recorded: the work of every piece, by rank.
  const std::vector<std::vector<Work>>& found() const { return found_; }

 private:
  struct Piece {
    bool going = false;
    Time begun = 0, until = 0;  // as recorded: its end
    Work whole = 0, done = 0;
    std::int64_t speed = 0;  // since the last moment
  };
  Work alone(std::size_t rank, Time given);

  const Platform& platform_;
  Times times_;
  std::vector<std::vector<Work>> works_, found_;
  std::vector<std::size_t> pieces_begun_;
  std::vector<NoiseOfRank> noise_;
  std::vector<Piece> pieces_;  // by rank
  Time last_ = 0;
};

}  // namespace parcast::simulate::reference
