// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "symbolic/random_expression.h"

namespace parcast::symbolic {
namespace {

const Expression n = symbol("n", SymbolKind::parameter);
const Expression p = symbol("p", SymbolKind::processes);
const Expression k = symbol("k", SymbolKind::loop_index);
const std::vector<Binding> kLarge{{{"n", 16}, {"p", 2}}, {{"n", 100}, {"p", 4}}, {{"n", 999}, {"p", 8}}};

TEST(Decide, WhatGoesOneWayEverywhereIsReplaced) {
  EXPECT_EQ(decide(conditional(n - p, n, p), kLarge), n);
  EXPECT_EQ(decide(conditional(p - n, n, p) + 1, kLarge), p + 1);
  EXPECT_EQ(decide(max(0, n - p) * min(n, p), kLarge), (n - p) * p);
  EXPECT_EQ(decide(floor(n) + ceil(p), kLarge), n + p);
}

TEST(Decide, WhatDiffersAtOnePointStays) {
  for (const Expression& kept : {conditional(n - 50, n, p), max(n, 50 * p), floor(n / p)})
    EXPECT_EQ(decide(kept, kLarge), kept);
}

TEST(Decide, WithoutPointsNothingIsDecided) {
  EXPECT_EQ(decide(max(n, p), {}), max(n, p));
}

TEST(Decide, WhatHasNoValueAtAPointStays) {
  const Expression kept = conditional(log2(n - 16), n, p);
  EXPECT_EQ(decide(kept, kLarge), kept);
}

TEST(Decide, ChoicesByTheIndexOfASeriesStay) {
  const Expression body = conditional(k - p, log2(k + 2), conditional(n - p, log2(k + 3), 0));
  EXPECT_EQ(decide(series(k, 0, n, body), kLarge),
            series(k, 0, n, conditional(k - p, log2(k + 2), log2(k + 3))));
}

}  // namespace
}  // namespace parcast::symbolic
