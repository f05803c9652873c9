// SPDX-License-Identifier: Apache-2.0
#include "model/quantities.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/binding.h"
#include "model/model.h"

namespace parcast::program {
namespace {

using symbolic::ceil;
using symbolic::conditional;
using symbolic::Expression;
using symbolic::floor;
using symbolic::modulo;

const Expression n = parameter_symbol("N"), m = parameter_symbol("M"), p = processes_symbol(),
                 r = rank_symbol();

std::vector<std::string> given(const std::vector<Quantity>& quantities) {
  std::vector<std::string> out;
  for (const Quantity& each : quantities) out.push_back(each.name + " = " + to_text(each.expression));
  return out;
}

std::vector<Quantity> of(const std::vector<Weighed>& counts) {
  return derived_quantities(counts, {"N", "M", "p", "r"});
}

TEST(Quantities, AreTheLargestSizesInCountsByTheirShare) {
  const Expression rows = floor(n / p) + conditional(modulo(n, p) - r - 1, Expression(1), Expression(0));
  const Expression columns = ceil(m / p) + 2;
  const auto found = of({{100 * rows * m, 0.125},
                         {100 * rows * columns + 7 * n, 0.5},
                         {100 * columns, 0.25},
                         {3 * n * n, 0.125}});
  EXPECT_THAT(given(found),
              testing::ElementsAre("M_part = " + to_text(columns), "N_part = " + to_text(rows)));
  EXPECT_EQ(found[0].counts, 2);
  EXPECT_DOUBLE_EQ(found[0].share, 0.75);
  EXPECT_DOUBLE_EQ(found[1].share, 0.625);
}

TEST(Quantities, WhatWasGivenOrIsNoSizeIsNone) {
  EXPECT_THAT(of({{n * (n - 2), 1}}), testing::IsEmpty()) << "a parameter with a border";
  EXPECT_THAT(of({{n * conditional(p - 2, Expression(1), Expression(0)), 1}}), testing::IsEmpty())
      << "whether, and not how much";
  EXPECT_THAT(of({{n * n / p, 1}}), testing::IsEmpty());
  EXPECT_THAT(of({}), testing::IsEmpty());
}

TEST(Quantities, HaveNamesOfTheirOwn) {
  const auto found = derived_quantities(
      std::vector<Weighed>{
          {floor(n / p) * ceil(n / p) * floor(n / p + m / p) * ceil(log2(p)) * floor(p / Expression(2)), 1}},
      {"N", "M", "N_part"});
  std::vector<std::string> names;
  for (const Quantity& each : found) names.push_back(each.name);
  EXPECT_THAT(names, testing::UnorderedElementsAre("N_part2", "N_part3", "M_N_part", "p_rounds", "p_part"));
}

TEST(Quantities, TheIndexOfASumIsNoneOfThem) {
  const Expression k = symbol("k", symbolic::SymbolKind::loop_index);
  const Expression sum =
      symbolic::series(k, Expression(0), floor(n / p), floor(k * k / Expression(3)) * ceil(m / p));
  EXPECT_THAT(given(of({{sum, 1}})),
              testing::UnorderedElementsAre("N_part = floor(N/p)", "M_part = ceil(M/p)"));
}

TEST(Quantities, StandInEquationsByTheirNames) {
  const Expression rows = floor(n / p) + 2;
  const auto found = of({{rows * m, 1}});
  EXPECT_EQ(with_names(100 * rows * m + n, found), 100 * parameter_symbol("N_part") * m + n);
  EXPECT_EQ(with_names(100 * rows, found), 100 * parameter_symbol("N_part"));
  const Expression k = symbol("k", symbolic::SymbolKind::loop_index);
  const Expression sum = symbolic::series(k, Expression(1), rows, floor(k * k / Expression(3)) * rows);
  const Expression named = with_names(sum, found);
  for (const double value : {0.0, 1.0, 7.0}) {
    // The name's value is that of its expression, so both are equal.
    const symbolic::Binding at{{"N", value * 4}, {"M", 1}, {"p", 4}},
        with{{"N_part", value + 2}, {"N", value * 4}, {"M", 1}, {"p", 4}};
    EXPECT_EQ(*symbolic::evaluate(sum, at), *symbolic::evaluate(named, with));
  }
}

TEST(Quantities, AreRenamedToWhatIsFree) {
  const auto found = of({{floor(n / p) * ceil(m / p), 1}});
  const std::set<std::string> taken{"N", "M", "p", "r"};
  const auto names = renamed(found, {{"N_part", "rows"}}, taken);
  ASSERT_TRUE(names) << to_string(names.error());
  std::vector<std::string> all;
  for (const Quantity& each : *names) all.push_back(each.name);
  EXPECT_THAT(all, testing::UnorderedElementsAre("rows", "M_part"));
  const auto swapped = renamed(found, {{"N_part", "M_part"}, {"M_part", "N_part"}}, taken);
  ASSERT_TRUE(swapped) << to_string(swapped.error());
  for (std::size_t i = 0; i < found.size(); ++i)
    EXPECT_EQ((*swapped)[i].name, found[i].name == "N_part" ? "M_part" : "N_part");
  const auto chained = renamed(found, {{"N_part", "M_part"}, {"M_part", "rows"}}, taken);
  ASSERT_TRUE(chained);
  for (std::size_t i = 0; i < found.size(); ++i)
    EXPECT_EQ((*chained)[i].name, found[i].name == "N_part" ? "M_part" : "rows");
  const auto why = [&](const std::string& from, const std::string& to) {
    return to_string(renamed(found, {{from, to}}, taken).error());
  };
  EXPECT_THAT(why("N_prt", "rows"), testing::HasSubstr("no derived quantity N_prt"));
  EXPECT_THAT(why("N_prt", "rows"), testing::HasSubstr("N_part"));
  EXPECT_THAT(why("N_part", "M"), testing::HasSubstr("the name M is taken"));
  EXPECT_THAT(why("N_part", "2d"), testing::HasSubstr("is no name"));
  EXPECT_THAT(why("N_part", ""), testing::HasSubstr("is no name"));
  EXPECT_THAT(why("N_part", "M_part"), testing::HasSubstr("two derived quantities"));
}

}  // namespace
}  // namespace parcast::program
