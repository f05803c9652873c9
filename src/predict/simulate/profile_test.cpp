// SPDX-License-Identifier: Apache-2.0
#include "predict/simulate/profile.h"

#include <gtest/gtest.h>

#include <array>

#include "predict/simulate/test_platform.h"
#include "predict/simulate/test_program.h"
#include "predict/simulate/test_random_trace.h"

namespace parcast::simulate {
namespace {

using simulate::testing::compute;
using simulate::testing::plain;
using simulate::testing::receive;
using simulate::testing::send;
using simulate::testing::start_receive;
using simulate::testing::start_send;
using simulate::testing::to_trace;
using simulate::testing::wait;
using trace::Kind;

TEST(Profile, EachRanksRowsAddUpToItsOutcome) {
  std::uint64_t rows = 0;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    SCOPED_TRACE(::testing::Message() << "random_case(" << seed << ")");
    auto [trace, platform] = simulate::testing::random_case(seed, false);
    trace.places = {{"a", "", "", 0, "MPI_X"}, {"b", "", "", 0, "MPI_Y"}};
    for (std::size_t i = 0; i < trace.operations.size(); ++i)
      if (i % 3 != 0) trace.operations[i].place = i % 2;
    Profile profile(trace);
    const std::array<Observer*, 1> observers{&profile};
    const auto outcome = simulate(trace, platform, Trust::none, observers);
    ASSERT_TRUE(outcome);
    Spent all;
    for (std::int32_t rank = 0; rank < trace.ranks; ++rank) {
      Spent sum;
      for (const Profile::Row& row : profile.rows(rank)) sum += row.spent, ++rows;
      const RankOutcome& expected = outcome->ranks[static_cast<std::size_t>(rank)];
      EXPECT_EQ(sum.compute, expected.compute);
      EXPECT_EQ(sum.communication, expected.communication);
      EXPECT_EQ(sum.time(), expected.end);
      all += sum;
    }
    EXPECT_EQ(all.messages, outcome->messages);
    EXPECT_EQ(all.bytes, outcome->bytes);
    EXPECT_EQ(all.collective_messages, outcome->collective_messages);
    EXPECT_EQ(all.collective_bytes, outcome->collective_bytes);
    Spent by_site;
    for (const SiteSums& site : sums_by_site(profile, trace.ranks)) by_site += site.sum;
    EXPECT_EQ(by_site, all);
  }
  EXPECT_GT(rows, 5000u);
}

/// Rank 0 exchanges with itself like MPI_Sendrecv, twice; then it starts two sends one after the other, and
/// waits.
TEST(Profile, AnExchangeIsOneCallAndComputingBelongsToTheCallBehindIt) {
  trace::Trace trace;
  trace.ranks = 1;
  trace.places = {{"main/halo", "", "", 0, "MPI_Sendrecv"},
                  {"main/out", "", "", 0, "MPI_Isend"},
                  {"main/out", "", "", 0, "MPI_Waitall"},
                  {"main/in", "", "", 0, "MPI_Irecv"}};
  trace.request_sets = {{1, 2}, {1, 2, 3, 4}};
  trace.operations = {{.kind = Kind::start_receive, .bytes = 8, .place = 0},
                      {.kind = Kind::start_send, .bytes = 8, .place = 0},
                      {.kind = Kind::wait, .requests = 0, .place = 0},
                      {.kind = Kind::start_send, .bytes = 100, .place = 1},
                      {.kind = Kind::start_receive, .bytes = 100, .place = 3},
                      {.kind = Kind::wait, .requests = 1, .place = 2}};
  using trace::Item;
  trace.sequences = {{Item::compute(7), Item::loop(3, 2), Item::operation(0), Item::operation(1),
                      Item::operation(2), Item::compute(50), Item::operation(4, 2), Item::operation(3, 2),
                      Item::operation(5), Item::compute(9)}};
  trace.sequence_of = {0};
  Profile profile(trace);
  const std::array<Observer*, 1> observers{&profile};
  const auto outcome = simulate(trace, plain(), Trust::none, observers);
  ASSERT_TRUE(outcome) << to_string(outcome.error());
  ASSERT_EQ(profile.rows(0).size(), 4u);
  const auto& exchange = profile.rows(0)[0].spent;
  EXPECT_EQ(exchange.calls, 2u);
  EXPECT_EQ(exchange.compute, 7);
  EXPECT_EQ(exchange.messages, 2u);
  EXPECT_EQ(exchange.bytes, 16u);
  EXPECT_EQ(exchange.communication, 2 * ((300 + 8) + (200 + 4)));
  EXPECT_EQ(profile.rows(0)[1].spent.calls, 2u);  // MPI_Isend, twice
  EXPECT_EQ(profile.rows(0)[1].spent.compute, 0);
  EXPECT_EQ(profile.rows(0)[2].spent.calls, 1u);   // MPI_Waitall
  EXPECT_EQ(profile.rows(0)[2].spent.compute, 9);  // at the end: of the last call
  EXPECT_EQ(profile.rows(0)[3].spent.calls, 2u);   // MPI_Irecv
  EXPECT_EQ(profile.rows(0)[3].spent.compute, 50);
}

TEST(Profile, SaysWhichRankSpendsMost) {
  const auto trace =
      to_trace({.ranks = {{compute(10), send(1, 8)}, {compute(500), receive(0), compute(5)}, {}}});
  Profile profile(trace);
  const std::array<Observer*, 1> observers{&profile};
  ASSERT_TRUE(simulate(trace, plain(), Trust::none, observers));
  const auto sites = sums_by_site(profile, trace.ranks);
  ASSERT_EQ(sites.size(), 2u);
  EXPECT_EQ(sites[0].site.kind, Kind::receive);
  EXPECT_EQ(sites[0].most_at, 1);
  EXPECT_EQ(sites[0].ranks, 1);
  EXPECT_EQ(sites[0].sum.compute, 505);
  EXPECT_EQ(sites[1].sum.time(), 10 + 308);
}

TEST(Profile, OfSeveralRanksAtOnePlaceTheLongestIsNamed) {
  const auto trace = to_trace({.ranks = {{compute(10), send(3, 8)},
                                         {compute(900), send(3, 8)},
                                         {compute(20), send(3, 8)},
                                         {receive(0), receive(1), receive(2)}}});
  Profile profile(trace);
  const std::array<Observer*, 1> observers{&profile};
  ASSERT_TRUE(simulate(trace, plain(), Trust::none, observers));
  const auto sites = sums_by_site(profile, trace.ranks);
  ASSERT_EQ(sites.size(), 2u);
  EXPECT_EQ(sites[1].site.kind, Kind::send);
  EXPECT_EQ(sites[1].ranks, 3);
  EXPECT_EQ(sites[1].most_at, 1);
  EXPECT_EQ(sites[1].most, 900 + 308);
}

}  // namespace
}  // namespace parcast::simulate
