// SPDX-License-Identifier: Apache-2.0
#include "statistics/random.h"

#include <gtest/gtest.h>

#include <vector>

#include "statistics/summary.h"

namespace parcast::statistics {
namespace {

// splitmix64 of seed 0 begins 0xe220a8397b1dcdaf, 0x6e789e6aa1b965f4, 0x06c45d188009454f, 0xf88bb8a8724c81ec;
// from that state the generator's first word is rotl(s1 * 5, 7) * 9.
TEST(Random, StartsFromThePublishedSequences) {
  const std::uint64_t s1 = 0x6e789e6aa1b965f4u;
  const std::uint64_t times = s1 * 5;
  EXPECT_EQ(Random(0).next(), ((times << 7) | (times >> 57)) * 9);
}

TEST(Random, SameSeedSameNumbers) {
  Random a(7);
  Random b(7);
  Random c(8);
  int equal = 0;
  for (int i = 0; i < 100; ++i) {
    const std::uint64_t word = a.next();
    EXPECT_EQ(word, b.next());
    equal += word == c.next();
  }
  EXPECT_EQ(equal, 0);
}

TEST(Random, MomentsOfTheDistributions) {
  Random random(1);
  std::vector<double> uniform;
  std::vector<double> normal;
  std::vector<double> exponential;
  for (int i = 0; i < 40000; ++i) {
    uniform.push_back(random.uniform());
    normal.push_back(random.normal());
    exponential.push_back(random.exponential());
  }
  // Four standard errors of each mean and deviation.
  EXPECT_NEAR(summarize(uniform)->mean, 0.5, 4 * 0.2887 / 200);
  EXPECT_NEAR(summarize(normal)->mean, 0, 4.0 / 200);
  EXPECT_NEAR(summarize(normal)->standard_deviation, 1, 4 * 0.7071 / 200);
  EXPECT_NEAR(quantile(normal, 0.975), 1.96, 0.06);
  EXPECT_NEAR(summarize(exponential)->mean, 1, 4.0 / 200);
  EXPECT_GE(summarize(exponential)->minimum, 0);
}

TEST(Random, BelowIsUniformOverItsRange) {
  Random random(3);
  std::vector<int> counts(7);
  for (int i = 0; i < 70000; ++i) ++counts[random.below(7)];
  for (const int count : counts) EXPECT_NEAR(count, 10000, 4 * 93);  // sqrt(70000 / 7 * 6 / 7)
}

}  // namespace
}  // namespace parcast::statistics
