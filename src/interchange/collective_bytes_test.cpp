// SPDX-License-Identifier: Apache-2.0
#include "interchange/collective_bytes.h"

#include <gtest/gtest.h>

namespace parcast::interchange {
namespace {

using recording::Pattern;

Place place(Pattern pattern, bool root = false, std::uint64_t rank = 0, bool exclusive = false) {
  return {pattern, exclusive, root, 4, rank};
}

TEST(CollectiveBytes, TheRootOfABroadcastOf100BytesTo4RanksExchanges400) {
  EXPECT_EQ(exchanged(place(Pattern::broadcast, true), {100, 0}), (CollectiveBytes{400, 100}));
  EXPECT_EQ(exchanged(place(Pattern::broadcast), {0, 100}), (CollectiveBytes{0, 100}));
}

TEST(CollectiveBytes, TheRootOfAReductionGetsAPartOfEachRank) {
  EXPECT_EQ(exchanged(place(Pattern::reduce, true), {8, 8}), (CollectiveBytes{8, 32}));
  EXPECT_EQ(exchanged(place(Pattern::reduce), {8, 0}), (CollectiveBytes{8, 0}));
}

TEST(CollectiveBytes, AScanGoesToTheRanksBehindAndComesFromThoseBefore) {
  EXPECT_EQ(exchanged(place(Pattern::scan, false, 1), {8, 8}), (CollectiveBytes{24, 16}));
  EXPECT_EQ(exchanged(place(Pattern::scan, false, 1, true), {8, 8}), (CollectiveBytes{16, 8}));
}

TEST(CollectiveBytes, ARootThatWorksInPlaceContributesItsPartAllTheSame) {
  EXPECT_EQ(contributed(place(Pattern::gather, true), {0, 300}), (CollectiveBytes{100, 400}));
  EXPECT_EQ(contributed(place(Pattern::scatter, true), {300, 0}), (CollectiveBytes{400, 100}));
  EXPECT_EQ(contributed(place(Pattern::reduce, true), {0, 24}), (CollectiveBytes{8, 8}));
}

TEST(CollectiveBytes, WhatARankContributesIsFoundAgain) {
  struct Case {
    Place place;
    CollectiveBytes own;
  };
  for (const auto& [at, own] :
       {Case{place(Pattern::barrier), {0, 0}}, Case{place(Pattern::broadcast, true), {100, 0}},
        Case{place(Pattern::broadcast), {0, 100}}, Case{place(Pattern::reduce, true), {8, 8}},
        Case{place(Pattern::gather, true), {100, 400}}, Case{place(Pattern::scatter, true), {400, 100}},
        Case{place(Pattern::allreduce), {24, 24}}, Case{place(Pattern::allgather), {10, 40}},
        Case{place(Pattern::alltoall), {80, 40}}, Case{place(Pattern::reduce_scatter), {40, 10}},
        Case{place(Pattern::scan, false, 3), {8, 8}}, Case{place(Pattern::scan, false, 3, true), {8, 8}}})
    EXPECT_EQ(contributed(at, exchanged(at, own)), own) << static_cast<int>(at.pattern);
}

TEST(CollectiveBytes, NumbersThatDoNotFitAndCommunicatorsWithoutMembersAreNoFault) {
  EXPECT_EQ(exchanged(place(Pattern::allreduce), {UINT64_MAX, 1}), (CollectiveBytes{UINT64_MAX, 4}));
  EXPECT_EQ(contributed({Pattern::allreduce, false, false, 0, 0}, {8, 8}), (CollectiveBytes{0, 0}));
  EXPECT_EQ(contributed({Pattern::scan, false, false, 2, 7}, {8, 80}), (CollectiveBytes{10, 10}));
}

}  // namespace
}  // namespace parcast::interchange
