// SPDX-License-Identifier: Apache-2.0
#include "predict/memory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "predict/intervals.h"
#include "predict/model_builder.h"
#include "predict/question.h"

namespace parcast::predict {
namespace {

using namespace by_hand;

/// Memory of 1,000 bytes and 100 for each of `argument`, known without error; recorded at p = 1, 2 and 4, n =
/// 10 and 20.
program::Model holds(const Expression& argument) {
  Builder b;
  b.add_parameter("n", {10, 20});
  b.model.processes = {1, 2, 4};
  b.model.residence.arguments = {argument};
  b.model.residence.growth = proportional(argument, 100).growth;
  statistics::GrowthHypothesis& fit = b.model.residence.growth.hypotheses[0];
  fit.terms.push_back({1000, {0}, {0}});
  fit.factor = statistics::Matrix(2, 2);
  return b.model;
}

/// A megabyte, with a relative standard error of 0.1 and ten degrees of freedom: Student's 95 % quantile is
/// 1.8124611.
program::Model holds_a_megabyte() {
  Builder b;
  b.add_parameter("n", {10, 20});
  b.model.processes = {1, 2, 4};
  statistics::GrowthHypothesis fit;
  fit.terms = {{1e6, {}, {}}};
  fit.weight = 1;
  fit.factor = statistics::Matrix(1, 1);
  fit.factor(0, 0) = 1e6;
  fit.relative_noise = 0.1;
  fit.degrees_of_freedom = 10;
  b.model.residence.growth.hypotheses = {fit};
  return b.model;
}
constexpr double kHalf = 0.18124611;  // of the logarithm

machine::Machine nodes_of(std::int32_t cores) {
  machine::Machine m = simple_machine(1e-6, 1e-7, 1e-9);
  m.cores_per_node = cores;
  return m;
}

double bytes(const program::Model& model, std::int32_t cores, const Question& question) {
  const auto found = memory_per_node(model, nodes_of(cores), question);
  EXPECT_TRUE(found.has_value());
  return found ? found->value : NAN;
}

/// Rows of a rank when n are distributed with the larger shares on the first ranks, or on the last.
Expression first_have_more() {
  return floor((parameter("n") - r() - 1) / p()) + 1;
}
Expression last_have_more() {
  return floor((parameter("n") + r()) / p());
}

TEST(MemoryPerNode, IsWhatAllRanksOfANodeHold) {
  const program::Model model = holds(parameter("n") / p());
  EXPECT_DOUBLE_EQ(bytes(model, 1, ask(4, {{"n", 20}})), 1500);
  EXPECT_DOUBLE_EQ(bytes(model, 4, ask(4, {{"n", 20}})), 4 * 1500);
  EXPECT_DOUBLE_EQ(bytes(model, 8, ask(4, {{"n", 20}})), 4 * 1500);   // no more than there are processes
  EXPECT_DOUBLE_EQ(bytes(model, 4, ask(10, {{"n", 20}})), 4 * 1200);  // 4, 4 and 2 processes
  Question spread = ask(4, {{"n", 20}});
  spread.ranks_per_node = 2;
  EXPECT_DOUBLE_EQ(bytes(model, 4, spread), 2 * 1500);
  spread.ranks_per_node.reset(), spread.threads = 4;
  EXPECT_DOUBLE_EQ(bytes(model, 4, spread), 1500);
}

TEST(MemoryPerNode, IsThatOfTheNodeWhoseRanksHoldMost) {
  // Ten rows on four ranks: 3, 3, 2, 2, or 2, 2, 3, 3.
  for (const Expression& rows : {first_have_more(), last_have_more()}) {
    const program::Model model = holds(rows);
    EXPECT_DOUBLE_EQ(bytes(model, 1, ask(4, {{"n", 10}})), 1300);
    EXPECT_DOUBLE_EQ(bytes(model, 2, ask(4, {{"n", 10}})), 2 * 1300);
    // 3 + 3 + 2 rows, and one rank alone; 2 + 2 + 3, and one alone.
    EXPECT_DOUBLE_EQ(bytes(model, 3, ask(4, {{"n", 10}})), rows == first_have_more() ? 3800 : 3700);
    EXPECT_DOUBLE_EQ(bytes(model, 4, ask(4, {{"n", 10}})), 5000);
  }
  // On three ranks 3, 3, 4 rows: two ranks with 3 hold more than one with 4.
  EXPECT_DOUBLE_EQ(bytes(holds(last_have_more()), 2, ask(3, {{"n", 10}})), 2600);
  // A grid of 2 x 2 with three rows: two for ranks 0 and 1, one for 2 and 3.
  const Expression of_grid =
      floor((parameter("n") - program::coordinate_symbol(2, 0) - 1) / program::extent_symbol(2, 0)) + 1;
  EXPECT_DOUBLE_EQ(bytes(holds(of_grid), 2, ask(4, {{"n", 3}})), 2400);
}

TEST(MemoryPerNode, OfVeryManyRanksLooksAtSome) {
  constexpr std::int32_t kMany = 1 << 20;
  // Four rows on each of the first five ranks, three on the others; node 0 has sixteen ranks.
  const Question question = ask(kMany, {{"n", 3.0 * kMany + 5}});
  EXPECT_DOUBLE_EQ(bytes(holds(first_have_more()), 16, question), 16 * 1000 + 100 * (5 * 4 + 11 * 3));
  EXPECT_DOUBLE_EQ(bytes(holds(last_have_more()), 16, question), 16 * 1000 + 100 * (5 * 4 + 11 * 3));
  // All on one node: from a sample, in which one of 256 is the first rank.
  EXPECT_NEAR(bytes(holds(first_have_more()), kMany, question) / (1000.0 * kMany + 100 * (3.0 * kMany + 5)),
              1, 1e-3);
}

TEST(MemoryPerNode, ErrsAlikeInAllRanks) {
  const auto found = memory_per_node(holds_a_megabyte(), nodes_of(4), ask(6, {{"n", 10}}));
  ASSERT_TRUE(found);
  EXPECT_DOUBLE_EQ(found->value, 4e6);
  EXPECT_NEAR(found->low, 4e6 * std::exp(-kHalf), 4);
  EXPECT_NEAR(found->high, 4e6 * std::exp(kHalf), 4);
  EXPECT_EQ(found->level, 0.9);
  EXPECT_EQ(found->unit, "B");
  Question surer = ask(6, {{"n", 10}});
  surer.level = 0.98;  // 99 % quantile: 2.7637695
  EXPECT_NEAR(memory_per_node(holds_a_megabyte(), nodes_of(4), surer)->high, 4e6 * std::exp(0.27637695), 4);
  // Ranks that hold different amounts: each with its own interval.
  const auto exactly = memory_per_node(holds(first_have_more()), nodes_of(3), ask(4, {{"n", 10}}));
  EXPECT_NEAR(exactly->low, 3800, 1e-2);
  EXPECT_NEAR(exactly->high, 3800, 1e-2);
}

TEST(MemoryPerNode, MayFollowWhatNeverVaried) {
  program::Model model = holds_a_megabyte();
  model.parameters[0].values = {10};
  const auto ends = [&](std::int32_t processes, double n) {
    const auto found = memory_per_node(model, nodes_of(1), ask(processes, {{"n", n}}));
    EXPECT_DOUBLE_EQ(found->value, 1e6);
    return std::pair(found->low / 1e6 * std::exp(kHalf), found->high / 1e6 * std::exp(-kHalf));
  };
  EXPECT_NEAR(ends(4, 10).first, 1, 1e-6);
  EXPECT_NEAR(ends(4, 40).first, 1, 1e-6);
  EXPECT_NEAR(ends(4, 40).second, 4, 1e-6);
  EXPECT_NEAR(ends(4, 5).first, 0.5, 1e-6);
  EXPECT_NEAR(ends(4, 5).second, 1, 1e-6);
  // p: a process may hold its part of the data, or all data.
  model.processes = {2};
  EXPECT_NEAR(ends(8, 10).first, 0.25, 1e-6);
  EXPECT_NEAR(ends(8, 10).second, 1, 1e-6);
  EXPECT_NEAR(ends(1, 10).first, 1, 1e-6);
  EXPECT_NEAR(ends(1, 40).second, 8, 1e-6);
}

TEST(MemoryPerNode, OfOnePointIsMeasured) {
  program::Model model = holds_a_megabyte();
  const auto origin = [&] { return memory_per_node(model, nodes_of(1), ask(4, {{"n", 10}}))->origin; };
  program::Source source;
  source.parameters = {{"n", 10}};
  source.processes = 4;
  model.sources = {source, source};
  EXPECT_EQ(origin(), Origin::measured);
  source.processes = 2;
  model.sources.push_back(source);
  EXPECT_EQ(origin(), Origin::fitted);
}

TEST(MemoryPerNode, IsUnknownWhereNothingTells) {
  EXPECT_FALSE(memory_per_node(Builder().model, nodes_of(1), ask(4)));
  // No value on one process.
  const program::Model model = holds(parameter("n") / (p() - 1));
  EXPECT_FALSE(memory_per_node(model, nodes_of(1), ask(1, {{"n", 10}})));
  EXPECT_TRUE(memory_per_node(model, nodes_of(1), ask(2, {{"n", 10}})));
}

TEST(MemoryPerNode, IsPartOfEveryAnswer) {
  const Estimate seconds{1, 0.9, 1.1, 0.9, "s", Origin::fitted};
  const Prediction known = answer_of("any", holds_a_megabyte(), nodes_of(4), ask(6, {{"n", 10}}), seconds);
  ASSERT_TRUE(known.memory_per_node);
  EXPECT_DOUBLE_EQ(known.memory_per_node->value, 4e6);
  EXPECT_FALSE(answer_of("any", Builder().model, nodes_of(4), ask(6), seconds).memory_per_node);
}

TEST(MemoryPerNode, ThatExceedsTheMachineIsWarnedOf) {
  machine::Machine m = nodes_of(4);
  const auto said = [&](const program::Model& model, const Question& question) {
    std::string out;
    for (const Warning& warning : question_warnings(model, m, question))
      if (warning.code == "memory") out += warning.text + " | " + warning.hint;
    return out;
  };
  const Question question = ask(4, {{"n", 10}});
  EXPECT_EQ(said(holds_a_megabyte(), question), "");  // the memory of a node is unknown
  m.memory_per_node = 5e6;
  EXPECT_EQ(said(holds_a_megabyte(), question), "");
  m.memory_per_node = 4.5e6;
  EXPECT_EQ(said(holds_a_megabyte(), question),
            "the run needs about 4.00 MB per node (3.34 MB to 4.79 MB), paper has 4.50 MB: it may page or "
            "fail, which the time does not count | ask for more nodes or fewer processes per node");
  m.memory_per_node = 3e6;
  EXPECT_THAT(said(holds_a_megabyte(), question),
              testing::HasSubstr("paper has 3.00 MB: it would page or fail"));
  m.memory_per_node = 5e5, m.cores_per_node = 1;
  EXPECT_THAT(said(holds_a_megabyte(), question),
              testing::HasSubstr("| ask for more processes, or a machine with more memory"));
  EXPECT_EQ(said(Builder().model, ask(4)), "");
}

}  // namespace
}  // namespace parcast::predict
