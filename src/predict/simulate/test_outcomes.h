// SPDX-License-Identifier: Apache-2.0
#pragma once
// Tests only: comparison of two outcomes of one run.

#include <gtest/gtest.h>

#include <ostream>

#include "predict/simulate/simulate.h"

namespace parcast::simulate {

inline void PrintTo(const RankOutcome& rank, std::ostream* out) {
  *out << "end " << rank.end << " compute " << rank.compute << " communication " << rank.communication
       << " contention " << rank.contention << (rank.finished ? "" : " hangs");
}

namespace testing {

/// Expects equal times and counts, to the unit.
inline void expect_same(const Outcome& one, const Outcome& other) {
  EXPECT_EQ(one.makespan, other.makespan);
  EXPECT_EQ(one.messages, other.messages);
  EXPECT_EQ(one.bytes, other.bytes);
  EXPECT_EQ(one.collective_messages, other.collective_messages);
  EXPECT_EQ(one.collective_bytes, other.collective_bytes);
  EXPECT_EQ(one.accesses, other.accesses);
  EXPECT_EQ(one.unreceived, other.unreceived);
  ASSERT_EQ(one.ranks.size(), other.ranks.size());
  for (std::size_t rank = 0; rank < other.ranks.size(); ++rank)
    EXPECT_EQ(one.ranks[rank], other.ranks[rank]) << "rank " << rank;
}

}  // namespace testing
}  // namespace parcast::simulate
