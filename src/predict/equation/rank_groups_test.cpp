// SPDX-License-Identifier: Apache-2.0
#include "predict/equation/rank_groups.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "model/binding.h"
#include "statistics/random.h"

namespace parcast::predict {
namespace {

using symbolic::Expression;

Expression read(const std::string& text) {
  const auto parsed = symbolic::parse(text, program::symbol_kinds({{"n", {}}}));
  EXPECT_TRUE(parsed.ok()) << text;
  return parsed.ok() ? *parsed : Expression(0);
}

std::vector<Expression> through(const std::vector<std::string>& texts) {
  std::vector<Expression> outputs;
  for (const std::string& text : texts) outputs.push_back(read(text));
  return rank_dependence(outputs);
}

std::vector<std::string> sorted_texts(const std::vector<Expression>& expressions) {
  std::vector<std::string> out;
  for (const Expression& e : expressions) out.push_back(to_text(e));
  std::sort(out.begin(), out.end());
  return out;
}

std::vector<std::string> dependence(const std::vector<std::string>& texts) {
  return sorted_texts(through(texts));
}

std::vector<std::string> all(const std::vector<std::string>& texts) {
  std::vector<Expression> out;
  for (const std::string& text : texts) out.push_back(read(text));
  return sorted_texts(out);
}

TEST(RankGroups, WhatAllRanksShareIsNoDependence) {
  EXPECT_TRUE(dependence({"n^2/p + ceil(n/p)", "7"}).empty());
}

TEST(RankGroups, AStepIsTakenWholeAndWhatIsBuiltOnItIsNot) {
  EXPECT_EQ(
      dependence({"3*n*floor((n + c2_0)/g2_0)", "log2(floor((n + c2_0)/g2_0))*floor((n + c2_0)/g2_0)^2"}),
      all({"floor((n + c2_0)/g2_0)"}));
  EXPECT_EQ(dependence({"min(r, 1) + if(r - n >= 0, n, 1) + mod(r, 3)"}),
            all({"min(r, 1)", "if(r - n >= 0, n, 1)", "mod(r, 3)"}));
}

TEST(RankGroups, AStepOfTheRankItselfBesideAnotherHidesIt) {
  EXPECT_EQ(dependence({"ceil((r + floor(r/2))/n)"}), all({"ceil((r + floor(r/2))/n)"}));
  EXPECT_EQ(dependence({"r*n + floor(r/2)"}), all({"r", "floor(r/2)"}));
}

TEST(RankGroups, ASumOverAnIndexIsTakenWhole) {
  EXPECT_EQ(dependence({"sum(k, 1, n, ceil((n - r)/k))"}), all({"sum(k, 1, n, ceil((n - r)/k))"}));
}

// Ranks that agree on the dependence agree on all outputs: sums and products of random step functions of the
// rank.
TEST(RankGroups, RanksThatAgreeOnTheDependenceAgreeOnEveryOutput) {
  statistics::Random random(5);
  const auto pick = [&](std::vector<std::string> from) { return from[random.below(from.size())]; };
  std::size_t agreeing = 0;
  for (int i = 0; i < 300; ++i) {
    std::string text = pick({"n", "r", "c1_0"});
    for (std::uint64_t depth = 0; depth < 1 + random.below(4); ++depth) {
      const std::string other = pick({"n", "3", "p", "r", "min(r, 2)", "ceil((n - r)/p)"});
      text = pick({"(" + text + " + " + other + ")", "(" + text + ")*" + other,
                   "floor((" + text + ")/" + other + ")", "ceil((" + other + " - (" + text + "))/3)",
                   "mod(" + text + ", 4)", "max(" + text + ", " + other + ")",
                   "if(" + text + " - " + other + " >= 0, " + other + ", 2)", "log2(2 + (" + text + ")^2)"});
    }
    const Expression output = read(text);
    const std::vector<Expression> places = through({text});
    const auto at = [](const Expression& e, int rank) {
      const auto value = symbolic::evaluate(e, {{"n", 41}, {"p", 12}, {"r", rank}, {"c1_0", rank}});
      return value.ok() ? *value : std::nan("");
    };
    for (int a = 0; a < 12; ++a)
      for (int b = a + 1; b < 12; ++b) {
        const bool agree = std::all_of(places.begin(), places.end(),
                                       [&](const Expression& e) { return at(e, a) == at(e, b); });
        if (!agree || std::isnan(at(output, a))) continue;
        ++agreeing;
        EXPECT_EQ(at(output, a), at(output, b)) << text << " on ranks " << a << " and " << b;
      }
  }
  EXPECT_GT(agreeing, 1000u);
}

TEST(RankGroups, DistinctKeepsTheFirstOfEquals) {
  const std::vector<double> columns{9, 1, 1, 2, 1,  // width 5
                                    9, 5, 5, 5, 6};
  EXPECT_EQ(distinct(columns, 5, 1, 4), (std::vector<std::size_t>{1, 3, 4}));
  EXPECT_EQ(distinct({}, 5, 1, 4), (std::vector<std::size_t>{1}));
}

}  // namespace
}  // namespace parcast::predict
