// SPDX-License-Identifier: Apache-2.0
#include "patterns/matrix.h"

#include <gtest/gtest.h>

#include "trace/builder.h"

namespace parcast::program {
namespace {

using trace::Kind;

// Rank 0 sends 8 bytes to rank 1 five times in each of three rounds, and reads 100 bytes of rank 2. Rank 2
// sends one message to itself.
trace::Trace small_run() {
  trace::Builder builder("run", 3);
  const std::uint32_t send = builder.operation({.kind = Kind::send, .peer = 1, .bytes = 8});
  const std::uint32_t read = builder.operation({.kind = Kind::start_read, .peer = 2, .bytes = 100});
  const std::uint32_t receive = builder.operation({.kind = Kind::receive, .peer = -1});
  const std::uint32_t to_itself = builder.operation({.kind = Kind::send, .peer = 0, .bytes = 1});
  builder.sequence(0, {trace::Item::loop(2, 3), trace::Item::compute(10), trace::Item::operation(send, 5),
                       trace::Item::operation(read)});
  builder.sequence(1, {trace::Item::operation(receive, 15)});
  builder.sequence(2, {trace::Item::operation(to_itself)});
  return builder.finish();
}

TEST(TrafficOfARun, CountsWhatLoopsRepeat) {
  const Traffic traffic = traffic_of_run(small_run());
  ASSERT_NE(traffic.find(0, 1), nullptr);
  EXPECT_EQ(traffic.find(0, 1)->messages, 15u);
  EXPECT_EQ(traffic.find(0, 1)->bytes, 120);
}

TEST(TrafficOfARun, TheOwnerOfMemorySendsWhatIsRead) {
  const Traffic traffic = traffic_of_run(small_run());
  ASSERT_NE(traffic.find(2, 0), nullptr);
  EXPECT_EQ(traffic.find(2, 0)->bytes, 100);
  EXPECT_EQ(traffic.pairs().size(), 2u);
}

}  // namespace
}  // namespace parcast::program
