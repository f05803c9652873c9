// SPDX-License-Identifier: Apache-2.0
#include "predict/simulate/as_messages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "predict/simulate/simulate.h"
#include "predict/simulate/test_platform.h"
#include "predict/simulate/test_program.h"
#include "predict/simulate/test_random_trace.h"

namespace parcast::simulate {
namespace {

using recording::Pattern;
using simulate::testing::Body;
using simulate::testing::collective;
using simulate::testing::compute;
using simulate::testing::plain;
using simulate::testing::Program;
using trace::Kind;

/// With every message eager, a collective's messages never wait for requests of other ranks.
Platform eager() {
  Platform platform = plain();
  platform.links[0].eager_limit = kNotGiven;
  return platform;
}

// A broadcast of 8 bytes from rank 0 of 4; by the table of schedules 0 -> 2, 0 -> 1, 2 -> 3.
TEST(AsMessages, ABroadcastIsItsTree) {
  Program program;
  program.ranks.assign(4, Body{compute(1000), collective(Pattern::broadcast, 8)});
  const auto made = collectives_as_messages(to_trace(program), eager());
  ASSERT_TRUE(made) << to_string(made.error());
  EXPECT_EQ(made->replaced.at(Pattern::broadcast), 4u);
  std::vector<std::vector<std::string>> seen(4);
  for (std::size_t rank = 0; rank < 4; ++rank)
    for (trace::Walker walker(made->trace.sequences[made->trace.sequence_of[rank]]); walker.next();) {
      if (walker.item().what() == trace::Item::What::compute) continue;
      const trace::Operation& each = made->trace.operations[walker.item().index()];
      const std::string partner = std::to_string(static_cast<int>(rank) + each.peer);
      if (each.kind == Kind::start_send) seen[rank].push_back("to " + partner);
      if (each.kind == Kind::start_receive) seen[rank].push_back("from " + partner);
      if (each.kind != Kind::wait) EXPECT_EQ(each.bytes, 8u);
      EXPECT_NE(each.kind, Kind::collective);
    }
  using ::testing::ElementsAre;
  EXPECT_THAT(seen, ElementsAre(ElementsAre("to 2", "to 1"), ElementsAre("from 0"),
                                ElementsAre("from 0", "to 3"), ElementsAre("from 2")));
}

// By definition a collective is its schedule: the resulting trace takes exactly as long, whatever else
// happens.
TEST(AsMessages, RandomProgramsTakeAsLong) {
  std::uint64_t replaced = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    auto [trace, unused] = simulate::testing::random_case(seed);
    for (trace::Operation& each : trace.operations) each.mode = trace::Mode::standard;
    Platform platform = eager();
    platform.collectives = unused.collectives;
    const auto made = collectives_as_messages(trace, platform);
    ASSERT_TRUE(made) << to_string(made.error());
    for (const auto& [pattern, times] : made->replaced) replaced += times;
    const auto before = simulate(trace, platform), after = simulate(made->trace, platform);
    ASSERT_TRUE(before && after);
    EXPECT_EQ(before->ranks, after->ranks) << "seed " << seed;
    EXPECT_EQ(before->messages + before->collective_messages, after->messages) << "seed " << seed;
    EXPECT_EQ(before->bytes + before->collective_bytes, after->bytes) << "seed " << seed;
  }
  EXPECT_GT(replaced, 1000u);
}

TEST(AsMessages, WithoutCollectivesNothingChanges) {
  Program program;
  program.ranks = {Body{simulate::testing::send(1, 8)}, Body{simulate::testing::receive(0)}};
  const trace::Trace trace = to_trace(program);
  const auto made = collectives_as_messages(trace, eager());
  ASSERT_TRUE(made);
  EXPECT_TRUE(made->replaced.empty());
  EXPECT_EQ(made->trace.communicators.size(), trace.communicators.size());
}

TEST(AsMessages, ACollectiveWithoutAlgorithmIsAnError) {
  Program program;
  program.ranks.assign(2, Body{collective(Pattern::neighbourhood, 8)});
  const auto made = collectives_as_messages(to_trace(program), eager());
  ASSERT_FALSE(made);
  EXPECT_THAT(made.error().what, ::testing::HasSubstr("neighbourhood"));
}

}  // namespace
}  // namespace parcast::simulate
