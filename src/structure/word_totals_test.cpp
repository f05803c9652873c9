// SPDX-License-Identifier: Apache-2.0
#include "structure/word_totals.h"

#include <gtest/gtest.h>

namespace parcast::program {
namespace {

using trace::Item;

// a, then 3 times (b, twice c), then a: a b c c b c c b c c a.
TEST(WordTotals, CountsAndFollowersInLoopsAreThoseOfTheUnfoldedSequence) {
  const std::vector<Item> words{Item::operation(0), Item::compute(5),      Item::loop(2, 3),
                                Item::operation(1), Item::operation(2, 2), Item::operation(0)};
  const WordTotals totals = totals_of_words(words, {7, 8, 9});
  EXPECT_EQ(totals.executions, (std::map<Mark, std::int64_t>{{7, 2}, {8, 3}, {9, 6}}));
  EXPECT_EQ(totals.followed, (std::map<std::pair<Mark, Mark>, std::int64_t>{
                                 {{7, 8}, 1}, {{8, 9}, 3}, {{9, 9}, 3}, {{9, 8}, 2}, {{9, 7}, 1}}));
  EXPECT_EQ(totals.first, 7);
  EXPECT_EQ(totals.last, 7);
}

// b is left out: 4 times (a, twice (b)), then c.
TEST(WordTotals, OperationsThatAreNotCountedAreSkipped) {
  const std::vector<Item> words{Item::loop(3, 4), Item::operation(0), Item::loop(1, 2), Item::operation(1),
                                Item::operation(2)};
  const WordTotals totals = totals_of_words(words, {0, kNotCounted, 1});
  EXPECT_EQ(totals.executions, (std::map<Mark, std::int64_t>{{0, 4}, {1, 1}}));
  EXPECT_EQ(totals.followed, (std::map<std::pair<Mark, Mark>, std::int64_t>{{{0, 0}, 3}, {{0, 1}, 1}}));
}

TEST(WordTotals, ASequenceWithoutCountedOperationsHasNoEnds) {
  const WordTotals totals =
      totals_of_words(std::vector<Item>{Item::compute(3), Item::operation(0, 5)}, {kNotCounted});
  EXPECT_TRUE(totals.executions.empty());
  EXPECT_EQ(totals.first, kNotCounted);
}

}  // namespace
}  // namespace parcast::program
