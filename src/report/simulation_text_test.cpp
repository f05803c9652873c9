// SPDX-License-Identifier: Apache-2.0
#include "report/simulation_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace parcast::report {
namespace {

using testing::HasSubstr;
using trace::Item;
using trace::Kind;

/// Rank 0 computes 3 s and sends 1000 bytes to rank 1, which receives them with tag `tag`.
trace::Trace two(std::int32_t tag) {
  trace::Trace trace;
  trace.program = "halo";
  trace.ranks = 2;
  trace.operations = {{.kind = Kind::send, .peer = 1, .tag = 7, .bytes = 1000, .place = 0},
                      {.kind = Kind::receive, .peer = -1, .tag = tag, .bytes = 1000, .place = 1}};
  trace.sequences = {{Item::compute(3'000'000'000'000), Item::operation(0)}, {Item::operation(1)}};
  trace.sequence_of = {0, 1};
  trace.places = {{"main", "step", "halo.c", 12, "MPI_Send"},
                  {"main/solve", "step", "halo.c", 15, "MPI_Recv"}};
  trace.assumptions = {"one thing"};
  return trace;
}

simulate::Platform slow() {
  simulate::Platform platform;
  platform.name = "slow";
  platform.links = {{.latency = 1'000'000'000'000}};
  return platform;
}

TEST(SimulationText, SaysTheTimeAndHowItDivides) {
  const trace::Trace trace = two(7);
  const simulate::Platform platform = slow();
  const auto outcome = simulate::simulate(trace, platform);
  ASSERT_TRUE(outcome);
  const std::string text = simulation_text({trace, platform.name, platform.assumptions, *outcome}, {}, false);
  EXPECT_THAT(text, HasSubstr("halo, 2 ranks, on slow"));
  EXPECT_THAT(text, HasSubstr("4.00 s"));
  EXPECT_THAT(text, HasSubstr("compute 38 %"));  // 3 of 2 x 4 seconds
  EXPECT_THAT(text, HasSubstr("1 message with 1,000 bytes"));
  const auto json =
      nlohmann::json::parse(simulation_to_json({trace, platform.name, platform.assumptions, *outcome}));
  EXPECT_EQ(json["schema"], "parcast.simulation/1");
  EXPECT_DOUBLE_EQ(json["seconds"], 4.0);
  EXPECT_FALSE(json["hangs"]);
  EXPECT_DOUBLE_EQ(json["ranks"][0]["end"], 3.0);
  EXPECT_DOUBLE_EQ(json["ranks"][1]["idle"], 4.0);
  EXPECT_EQ(json["messages"], 1);
  EXPECT_EQ(json["bytes"], 1000);
  EXPECT_EQ(json["events"], 3);
  EXPECT_FALSE(json.contains("events_per_second"));  // the same input gives the same bytes
  EXPECT_EQ(json["assumptions"][0], "one thing");
}

TEST(SimulationText, AHangNamesRanksCallsAndLines) {
  const trace::Trace trace = two(8);
  const simulate::Platform platform = slow();
  const auto outcome = simulate::simulate(trace, platform);
  ASSERT_TRUE(outcome);
  const std::string text = simulation_text({trace, platform.name, platform.assumptions, *outcome}, {}, false);
  EXPECT_THAT(text, HasSubstr("would hang: 1 of 2 ranks"));
  EXPECT_THAT(text, HasSubstr("rank 1 waits since"));
  EXPECT_THAT(text, HasSubstr("MPI_Recv from rank 0, tag 8, 1,000 bytes (halo.c:15, in main/solve)"));
  const auto json =
      nlohmann::json::parse(simulation_to_json({trace, platform.name, platform.assumptions, *outcome}));
  EXPECT_TRUE(json["hangs"]);
  EXPECT_TRUE(json["seconds"].is_null());
  EXPECT_EQ(json["waiting"][0]["rank"], 1);
  EXPECT_EQ(json["waiting"][0]["operation"]["peer"], 0);
  EXPECT_EQ(json["waiting"][0]["operation"]["where"]["line"], 15);
  EXPECT_EQ(json["waiting"][0]["for_ranks"], std::vector<int>{0});
  EXPECT_EQ(json["unreceived"], 1);
}

TEST(SimulationText, SaysWhatSharingMemoryCosts) {
  trace::Trace trace = two(7);
  trace.sequences[1] = {Item::compute(1'000'000'000'000), Item::operation(1)};
  simulate::Platform platform = slow();
  platform.node_of = {5, 5}, platform.socket_of = {10, 10};
  platform.contention = simulate::Contention{.domain_of = {10, 10},
                                             .domains_per_node = 2,
                                             .speeds = {simulate::kOne, simulate::kOne, simulate::kOne / 2},
                                             .recorded = nullptr};
  const auto outcome = simulate::simulate(trace, platform);
  ASSERT_TRUE(outcome);
  // Both compute for 2 s at half speed; then rank 0 has 2 s left. Each loses 1 s.
  const std::string text = simulation_text({trace, platform.name, platform.assumptions, *outcome}, {}, false);
  EXPECT_THAT(text, HasSubstr("of it contention"));
  EXPECT_THAT(text, HasSubstr("sharing memory makes computing take 2.00 s longer, all ranks together; most "
                              "on socket 0 of node 5: 2.00 s of its"));
  const auto json =
      nlohmann::json::parse(simulation_to_json({trace, platform.name, platform.assumptions, *outcome}));
  EXPECT_DOUBLE_EQ(json["memory_contention"]["seconds"], 2);
  EXPECT_EQ(json["memory_contention"]["most"]["memory"], "socket 0 of node 5");
  EXPECT_DOUBLE_EQ(json["ranks"][0]["compute"], 4);
  EXPECT_DOUBLE_EQ(json["ranks"][0]["contention"], 1);
  EXPECT_DOUBLE_EQ(json["ranks"][1]["contention"], 1);
}

}  // namespace
}  // namespace parcast::report
