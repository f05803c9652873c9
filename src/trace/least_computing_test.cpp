// SPDX-License-Identifier: Apache-2.0
#include "trace/least_computing.h"

#include <gtest/gtest.h>

#include <string>

namespace parcast::trace {
namespace {

/// Two ranks that call barriers at the places; `first`, `second`: their sequences.
Trace trace_of(Sequence first, Sequence second, std::vector<Place> places) {
  Trace trace;
  trace.program = "app";
  trace.ranks = 2;
  for (std::uint32_t i = 0; i < places.size(); ++i)
    trace.operations.push_back(
        {.kind = Kind::collective, .pattern = recording::Pattern::barrier, .place = i});
  trace.places = std::move(places);
  trace.sequences = {std::move(first), std::move(second)};
  trace.sequence_of = {0, 1};
  return trace;
}

const Place kFill{"main/fill", "fill", "fill.c", 3, "barrier"},
    kSolve{"main/solve", "solve", "a.c", 9, "barrier"};

std::string steps_of(const Trace& trace, std::size_t rank) {
  std::string text;
  for (Walker walker(trace.sequences[trace.sequence_of[rank]]); walker.next();)
    text += walker.item().what() == Item::What::compute
                ? " c" + std::to_string(walker.item().time())
                : " " + trace.places[trace.operations[walker.item().index()].place].function;
  return text;
}

TEST(LeastComputing, EachTimeIsTheShortestOfItsRankAndPlace) {
  const std::vector<Trace> runs{
      trace_of({Item::compute(10), Item::operation(0), Item::compute(900), Item::operation(1)},
               {Item::compute(11), Item::operation(0), Item::compute(20), Item::operation(1)},
               {kFill, kSolve}),
      trace_of({Item::compute(700), Item::operation(0), Item::compute(21), Item::operation(1)},
               {Item::compute(12), Item::operation(0), Item::compute(19), Item::operation(1)},
               {kFill, kSolve})};
  const auto least = with_least_computing(runs);
  ASSERT_TRUE(least);
  EXPECT_EQ(steps_of(*least, 0), " c10 fill c21 solve");
  EXPECT_EQ(steps_of(*least, 1), " c11 fill c19 solve");
  EXPECT_EQ(least->assumptions.back(), "each computing time is the shortest of 2 recordings of this run");
}

TEST(LeastComputing, LoopsOfOneRecordingAreRoundsOfTheOther) {
  // Computing in pieces counts together; tables are numbered in another order.
  const std::vector<Trace> runs{
      trace_of({Item::loop(2, 3), Item::compute(5), Item::operation(0)}, {Item::operation(1)},
               {kFill, kSolve}),
      trace_of({Item::compute(4), Item::operation(1), Item::compute(3), Item::compute(1), Item::operation(1),
                Item::compute(9), Item::operation(1), Item::compute(0)},
               {Item::operation(0)}, {kSolve, kFill})};
  const auto least = with_least_computing(runs);
  ASSERT_TRUE(least);
  EXPECT_EQ(steps_of(*least, 0), " c4 fill c4 fill c5 fill");
  EXPECT_EQ(steps_of(*least, 1), " solve");
}

TEST(LeastComputing, OtherOperationsAreRefusedWithTheRank) {
  const Trace one = trace_of({Item::operation(0)}, {Item::operation(1)}, {kFill, kSolve});
  const Trace other_place = trace_of({Item::operation(0)}, {Item::operation(0)}, {kFill, kSolve});
  const Trace longer = trace_of({Item::operation(0)}, {Item::operation(1, 2)}, {kFill, kSolve});
  for (const Trace& other : {other_place, longer}) {
    const auto least = with_least_computing(std::vector{one, other});
    ASSERT_FALSE(least);
    EXPECT_EQ(least.error().where, "rank 1");
  }
  Trace third = one;
  third.ranks = 3, third.sequence_of = {0, 1, 1};
  EXPECT_FALSE(with_least_computing(std::vector{one, third}));
  EXPECT_FALSE(with_least_computing({}));
}

TEST(LeastComputing, OneTraceStaysAsItIs) {
  const Trace one = trace_of({Item::loop(2, 3), Item::compute(5), Item::operation(0)}, {}, {kFill});
  const auto least = with_least_computing(std::vector{one});
  ASSERT_TRUE(least);
  EXPECT_EQ(least->sequences[0].size(), 3u);
  EXPECT_TRUE(least->assumptions.empty());
}

}  // namespace
}  // namespace parcast::trace
