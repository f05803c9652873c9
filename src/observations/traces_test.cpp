// SPDX-License-Identifier: Apache-2.0
// Reduces recordings with several threads per process.
#include "observations/traces.h"

#include <gtest/gtest.h>

#include "observations/testing/synthetic_runs.h"

namespace parcast::program {
namespace {

using recording::CallClass;

TEST(Traces, ComputingOfThreadsAtTheSameTimeCountsOnce) {
  const Traces traces = reduce({testing::two_threads()}, {0});
  ASSERT_EQ(traces.traces.size(), 2u);
  double all = 0;
  for (const auto& [id, totals] : traces.traces[0].transitions) all += totals.time.total;
  EXPECT_NEAR(all, 6.89e-3, 1e-12);
  for (const auto& [id, totals] : traces.traces[0].transitions) {
    if (traces.transitions[static_cast<std::size_t>(id)].to == kOutside) continue;
    if (traces.keys[static_cast<std::size_t>(traces.transitions[static_cast<std::size_t>(id)].to)]
            .call_class != CallClass::region_end)
      continue;
    EXPECT_EQ(totals.traversals, 2);
    EXPECT_NEAR(totals.time.total, 5e-3, 1e-12);
    EXPECT_NEAR(totals.time.mean, 2.5e-3, 1e-9);
  }
}

}  // namespace
}  // namespace parcast::program
