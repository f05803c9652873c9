// SPDX-License-Identifier: Apache-2.0
#include "trace/region_ratio.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace parcast::trace {
namespace {

/// Operation 0 is called in main/fill, 1 in main/solve/halo (function exchange, line 97 of solve.c), 2 in no
/// known place.
Trace trace_of(Sequence sequence) {
  Trace trace;
  trace.program = "app";
  trace.ranks = 1;
  trace.operations = {{.kind = Kind::collective, .pattern = recording::Pattern::barrier, .place = 0},
                      {.kind = Kind::collective, .pattern = recording::Pattern::barrier, .place = 1},
                      {.kind = Kind::collective, .pattern = recording::Pattern::barrier}};
  trace.places = {{"main/fill", "fill", "fill.c", 3, "MPI_Barrier"},
                  {"main/solve/halo", "exchange", "src/solve.c", 97, "MPI_Barrier"}};
  trace.sequences = {std::move(sequence)};
  trace.sequence_of = {0};
  return trace;
}

std::string steps_of(const Trace& trace) {
  std::string text;
  for (Walker walker(trace.sequences[0]); walker.next();)
    text += walker.item().what() == Item::What::compute ? " c" + std::to_string(walker.item().time())
                                                        : " o" + std::to_string(walker.item().index());
  return text;
}

const Sequence kThree{Item::compute(10),   Item::operation(0), Item::compute(100), Item::operation(1),
                      Item::compute(1000), Item::operation(2), Item::compute(7)};

TEST(RegionRatio, NamesARegionAPartOfAPathAFunctionOrALine) {
  for (const char* name : {"main/solve/halo", "solve", "solve/halo", "exchange", "solve.c:97"}) {
    Trace trace = trace_of(kThree);
    ASSERT_TRUE(scale_regions(trace, std::vector{RegionRatio{name, 2.5}})) << name;
    EXPECT_EQ(steps_of(trace), " c10 o0 c250 o1 c1000 o2 c7") << name;
    EXPECT_EQ(trace.assumptions.size(), 1u);
  }
}

TEST(RegionRatio, RatiosOfSeveralRegionsMultiply) {
  Trace trace = trace_of(kThree);
  ASSERT_TRUE(scale_regions(trace, std::vector{RegionRatio{"main", 3}, RegionRatio{"halo", 0.5}}));
  EXPECT_EQ(steps_of(trace), " c30 o0 c150 o1 c1000 o2 c7");
}

TEST(RegionRatio, WhatComesAfterTheLastCallBelongsToIt) {
  Trace trace = trace_of({Item::operation(0), Item::compute(7)});
  ASSERT_TRUE(scale_regions(trace, std::vector{RegionRatio{"fill", 0}}));
  EXPECT_EQ(steps_of(trace), " o0 c0");
}

TEST(RegionRatio, ARoundThatEndsBeforeAnotherRegionStandsAlone) {
  // Computing at the end of a round precedes operation 0, except in the last round, where it precedes 1.
  Trace trace = trace_of({Item::loop(2, 4), Item::operation(0), Item::compute(10), Item::operation(1)});
  ASSERT_TRUE(scale_regions(trace, std::vector{RegionRatio{"solve", 3}}));
  EXPECT_EQ(steps_of(trace), " o0 c10 o0 c10 o0 c10 o0 c30 o1");
  EXPECT_EQ(trace.sequences[0].size(), 6u);
  EXPECT_TRUE(check(trace));
}

TEST(RegionRatio, RegionsWithoutCallsAreSaid) {
  Trace trace = trace_of(kThree);
  const auto scaled = scale_regions(trace, std::vector{RegionRatio{"halo", 2}, RegionRatio{"hal", 2}});
  ASSERT_FALSE(scaled);
  EXPECT_NE(to_string(scaled.error()).find("no call lies in hal"), std::string::npos);
  EXPECT_NE(scaled.error().hint.find("exchange"), std::string::npos);
  EXPECT_EQ(steps_of(trace), steps_of(trace_of(kThree)));
}

TEST(RegionRatio, RatiosAndTimesOutOfRangeAreSaid) {
  Trace trace = trace_of({Item::compute(kLongest / 2), Item::operation(0)});
  for (const double ratio : {-1.0, 1e7, std::nan("")})
    EXPECT_FALSE(scale_regions(trace, std::vector{RegionRatio{"fill", ratio}})) << ratio;
  EXPECT_FALSE(scale_regions(trace, std::vector{RegionRatio{"fill", 3}}));
  EXPECT_EQ(trace.sequences[0][0].time(), kLongest / 2);
}

/// Same result by unrolling: each computing word belongs to the next operation.
std::string unrolled(const Trace& trace, const std::vector<double>& ratios) {
  std::vector<std::pair<char, std::int64_t>> steps;
  for (Walker walker(trace.sequences[0]); walker.next();)
    steps.emplace_back(
        walker.item().what() == Item::What::compute ? 'c' : 'o',
        walker.item().what() == Item::What::compute ? walker.item().time() : walker.item().index());
  std::string text;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    auto [what, value] = steps[i];
    if (what == 'c') {
      std::size_t next = i;
      while (next < steps.size() && steps[next].first != 'o') ++next;
      if (next == steps.size())
        for (next = i; next > 0 && steps[next].first != 'o';) --next;
      if (steps[next].first == 'o')
        value =
            std::llround(static_cast<double>(value) * ratios[static_cast<std::size_t>(steps[next].second)]);
    }
    text += std::string(" ") + what + std::to_string(value);
  }
  return text;
}

void grow(Sequence& sequence, std::mt19937& random, int depth) {
  const auto below = [&](unsigned n) { return static_cast<std::uint32_t>(random() % n); };
  for (std::uint32_t count = 1 + below(4); count > 0; --count) {
    const std::uint32_t kind = below(depth > 2 ? 2 : 3);
    if (kind == 0) sequence.push_back(Item::compute(1 + below(9)));
    if (kind == 1) sequence.push_back(Item::operation(below(3), 1 + below(2)));
    if (kind == 2) {
      Sequence body;
      grow(body, random, depth + 1);
      sequence.push_back(Item::loop(static_cast<std::uint32_t>(body.size()), 1 + below(3)));
      sequence.insert(sequence.end(), body.begin(), body.end());
    }
  }
}

TEST(RegionRatio, LoopsAreScaledAsIfUnrolled) {
  std::mt19937 random(7);
  for (int trial = 0; trial < 3000; ++trial) {
    Sequence sequence;
    grow(sequence, random, 0);
    Trace trace = trace_of(sequence);
    const std::string expected = unrolled(trace, {3, 5, 1});
    ASSERT_TRUE(scale_regions(trace, std::vector{RegionRatio{"fill", 3}, RegionRatio{"halo", 5}}));
    ASSERT_EQ(steps_of(trace), expected) << trial;
  }
}

}  // namespace
}  // namespace parcast::trace
