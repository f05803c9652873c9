// SPDX-License-Identifier: Apache-2.0
// The preferred one of several forms that hold, and the reported alternatives, on designs that leave a
// choice.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "fit_counts/identify.h"
#include "fit_counts/testing/test_designs.h"

namespace parcast::program {
namespace {

using Truth = std::function<std::int64_t(const Place&)>;

// Returns three sizes and three numbers of steps at even distances, on one and two processes in a line.
Design even_steps(std::vector<ProcessGrid> grids = {}) {
  return testing::full_design({"n", "t"}, {{8, 10, 12}, {100, 200, 300}}, {1, 2}, std::move(grids));
}

ProcessGrid own_grid() {
  ProcessGrid grid;
  grid.dimensions = 3;
  grid.from_dims_create = false;
  grid.recorded = {{1, {1, 1, 1}}, {2, {1, 1, 2}}};
  grid.periodic = {true, true, true};
  return grid;
}

struct Seen {
  Count count;
  double preferred = 0, lowest = 0, highest = 0;  // at the requested point
};

Seen given(const Design& design, const Truth& truth, double t, std::int32_t p) {
  Seen out;
  const auto found = Identifier(design).identify(testing::observe(design, truth));
  EXPECT_TRUE(found);
  if (!found) return out;
  out.count = found->count;
  const auto at = [&](const symbolic::Expression& e) {
    return symbolic::evaluate(e, testing::symbols_at(design, {8, t}, p, 0)).value();
  };
  out.preferred = out.lowest = out.highest = at(out.count.expression);
  for (const auto& other : out.count.alternatives) {
    out.lowest = std::min(out.lowest, at(other));
    out.highest = std::max(out.highest, at(other));
  }
  return out;
}

// In every 20th step something happens 19 times, only if there are partners. At t = 100, 200, 300 the step
// count t equals 100 floor(log2 t) - 500.
TEST(Alternatives, StepsOfAPeriodAreNoLogarithm) {
  const Truth truth = [](const Place& at) { return at.p > 1 ? 19 * (at.parameters[1] / 20) : 0; };
  for (const auto& design : {even_steps(), even_steps({own_grid()})}) {
    EXPECT_EQ(given(design, truth, 500, 2).preferred, 475);
    EXPECT_EQ(given(design, truth, 500, 1).preferred, 0);
  }
}

// Every 50th step except the first, on a single process only: halos separate it when there are more
// processes.
TEST(Alternatives, WhatASingleProcessDoesIsFound) {
  const Truth truth = [](const Place& at) { return at.p == 1 ? at.parameters[1] / 50 - 1 : 0; };
  for (const auto& design : {even_steps(), even_steps({own_grid()})}) {
    EXPECT_EQ(given(design, truth, 500, 1).preferred, 9);
    EXPECT_EQ(given(design, truth, 500, 2).preferred, 0);
  }
}

// Ten further steps show that only whole multiples count: fractions of t are shorter and wrong there.
TEST(Alternatives, WholeMultiplesAreFoundBehindFractionsThatHoldToo) {
  const Design design = testing::full_design({"t"}, {{60, 120, 180, 240, 300}}, {1, 2, 3, 4});
  const auto found = Identifier(design).identify(
      testing::observe(design, [](const Place& at) { return 7 * (at.parameters[0] / 20); }));
  ASSERT_TRUE(found);
  const auto at = [&](double t) {
    return symbolic::evaluate(found->count.expression, testing::symbols_at(design, {t}, 2, 0)).value();
  };
  EXPECT_EQ(at(370), std::floor(at(370)));
  EXPECT_EQ(at(360), 7 * 18);
}

TEST(Alternatives, OfManyTheToldOnesSpanWhatAllSay) {
  // t / 20 + 1 with partners. Forms of p that agree at 1 and 2 multiply with those of t; the logarithm is far
  // below at t = 1,200.
  const Seen all = given(
      even_steps(), [](const Place& at) { return at.p > 1 ? at.parameters[1] / 20 + 1 : 0; }, 1200, 2);
  EXPECT_EQ(all.preferred, 61);
  EXPECT_EQ(all.count.alternatives.size(), 8u);
  EXPECT_LE(all.lowest, 5 * 10 - 24) << "5 floor(log2 t) - 24 is among them";
}

TEST(Alternatives, ACountIsNotNegativeForSmallerProblems) {
  // 2 floor(log2 n) - 11 holds at 100, 200, 300 like n / 50 - 1, and gives -1 at 50.
  const Design design = testing::full_design({"n"}, {{100, 200, 300}}, {1, 2, 3, 4});
  const auto found = Identifier(design).identify(
      testing::observe(design, [](const Place& at) { return at.parameters[0] / 50 - 1; }));
  ASSERT_TRUE(found);
  std::vector<symbolic::Expression> all = found->count.alternatives;
  all.push_back(found->count.expression);
  for (const auto& form : all)
    EXPECT_EQ(symbolic::to_text(form).find("log2"), std::string::npos) << symbolic::to_text(form);
}

}  // namespace
}  // namespace parcast::program
