// SPDX-License-Identifier: Apache-2.0
#include "fit_counts/identify.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <regex>

#include "base/text.h"
#include "fit_counts/evidence.h"
#include "fit_counts/testing/test_designs.h"
#include "observations/testing/synthetic_runs.h"

namespace parcast::program {
namespace {

using testing::full_design;
using testing::observe;
using Truth = std::function<std::int64_t(const Place&)>;

const std::vector<std::int32_t> kProcesses{1, 2, 3, 4, 6, 8, 9};
const std::vector<double> kSizes{21, 32, 45, 64, 83, 100, 137, 150};

Design one_parameter(const std::vector<double>& sizes = kSizes,
                     const std::vector<std::int32_t>& processes = kProcesses) {
  return full_design({"n"}, {sizes}, processes);
}

std::optional<Identified> identified(const Design& design, const Truth& truth) {
  return Identifier(design).identify(observe(design, truth));
}

std::optional<double> evaluate_at(const Design& design, const symbolic::Expression& expression,
                                  const std::vector<double>& parameters, std::int32_t p, std::int32_t r) {
  Count count;
  count.expression = expression;
  count.origin = Origin::exact;
  const auto value = value_of(count, testing::symbols_at(design, parameters, p, r));
  return value ? std::optional(value->value) : std::nullopt;
}

// Expects an exact count without alternatives that is right at points without a recording.
void expect_exact(const Design& design, const Truth& truth, const std::vector<std::vector<double>>& unseen) {
  const auto found = identified(design, truth);
  ASSERT_TRUE(found);
  const std::string text = symbolic::to_text(found->count.expression);
  EXPECT_EQ(found->count.origin, Origin::exact) << text << "; " << found->count.advice;
  EXPECT_TRUE(found->count.alternatives.empty());
  EXPECT_EQ(found->count.advice, "");
  for (const auto& parameters : unseen)
    for (const std::int32_t p : {5, 7, 12, 16, 25, 36})
      for (std::int32_t r = 0; r < p; ++r) {
        const auto value = evaluate_at(design, found->count.expression, parameters, p, r);
        ASSERT_TRUE(value) << text;
        ASSERT_EQ(*value, truth(place_at(parameters, p, r, design.grids)))
            << text << " at n = " << parameters[0] << ", p = " << p << ", r = " << r;
      }
}
void expect_exact(const Truth& truth) {
  expect_exact(one_parameter(), truth, {{50}, {128}, {1001}});
}

std::int64_t cyclic(std::int64_t n, std::int64_t P, std::int64_t c) {
  return n / P + (c < n % P ? 1 : 0);
}

// The point that an advice names; all its ranks are evaluated.
struct Advised {
  std::vector<double> parameters;
  std::int32_t processes = 0;
};
std::optional<Advised> advised(const Design& design, const std::string& advice) {
  std::smatch match;
  if (!std::regex_search(advice, match, std::regex(R"(\bp = (\d+))"))) return std::nullopt;
  Advised point;
  point.processes = std::stoi(match[1]);
  for (const std::string& name : design.parameters) {
    if (!std::regex_search(advice, match, std::regex("\\b" + name + R"( = ([-0-9.e+]+))")))
      return std::nullopt;
    point.parameters.push_back(*parse_double(match[1].str()));
  }
  return point;
}

bool was_recorded(const Design& design, const Advised& point) {
  return std::any_of(design.groups.begin(), design.groups.end(), [&](const Group& g) {
    return g.processes == point.processes && g.parameters == point.parameters;
  });
}

// Returns the number of distinct outcomes of the candidates at a point, which a recording there would
// distinguish.
std::size_t outcomes_at(const Design& design, const Count& count, const Advised& point) {
  std::set<std::vector<std::optional<double>>> outcomes;
  std::vector<symbolic::Expression> all = count.alternatives;
  all.push_back(count.expression);
  for (const auto& candidate : all) {
    outcomes.emplace();
    std::vector<std::optional<double>> values;
    for (std::int32_t r = 0; r < point.processes; ++r)
      values.push_back(evaluate_at(design, candidate, point.parameters, point.processes, r));
    outcomes.insert(values);
  }
  return outcomes.size() - 1;  // minus the empty one
}

void expect_ambiguous(const Design& design, const Truth& truth, const std::string& candidate) {
  const auto found = identified(design, truth);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->count.origin, Origin::ambiguous) << symbolic::to_text(found->count.expression);
  std::vector<std::string> texts{symbolic::to_text(found->count.expression)};
  for (const auto& other : found->count.alternatives) texts.push_back(symbolic::to_text(other));
  EXPECT_THAT(texts, ::testing::Contains(candidate));
  // Every candidate holds for every recording.
  for (const Group& group : design.groups)
    for (std::int32_t r = 0; r < group.processes; ++r) {
      const auto expected = truth(place_at(group.parameters, group.processes, r, design.grids));
      EXPECT_EQ(evaluate_at(design, found->count.expression, group.parameters, group.processes, r), expected);
      for (const auto& other : found->count.alternatives)
        EXPECT_EQ(evaluate_at(design, other, group.parameters, group.processes, r), expected)
            << symbolic::to_text(other);
    }
  const auto point = advised(design, found->count.advice);
  ASSERT_TRUE(point) << found->count.advice;
  EXPECT_FALSE(was_recorded(design, *point)) << found->count.advice;
  EXPECT_GT(outcomes_at(design, found->count, *point), 1u) << found->count.advice;
}

// Exact counts.

TEST(Identify, MultiplesOfANumberDoNotShowRemainders) {
  const Design even = one_parameter({20, 40, 60, 80, 100});
  const auto found =
      identified(even, [](const Place& at) { return 3 * at.parameters[0] + at.parameters[0] % 5; });
  ASSERT_TRUE(found);
  EXPECT_EQ(found->count.origin, Origin::ambiguous);
  EXPECT_EQ(symbolic::to_text(found->count.expression), "3*n");
  EXPECT_TRUE(found->count.alternatives.empty());
  EXPECT_TRUE(found->count.open.empty());
  EXPECT_EQ(found->count.advice, "a recording at p = 1, n = 21 would show what remainders do");
}

TEST(Identify, DivisorsDoNotShowWhatDoesNotDivide) {
  // gcd(n, p) is p wherever p divides n.
  const Design even = one_parameter({24, 36, 60, 72}, {1, 2, 3, 4, 6, 12});
  const auto found = identified(even, [](const Place& at) { return std::gcd(at.parameters[0], at.p); });
  ASSERT_TRUE(found);
  EXPECT_EQ(found->count.origin, Origin::ambiguous);
}

TEST(Identify, AFormMustBeShorterThanWhatItExplains) {
  // 4 p at p = 1, 2, 3, 4, 6 grows by 1, 1, 1, 2 steps of 4, encoded with 4 + 3 log2 2 + log2 3 bits. p has 2
  // bits, 4 is the step itself.
  const Design design = one_parameter(kSizes, {1, 2, 3, 4, 6});
  const FeatureTable table(design, false);
  const auto four_p = observe(design, [](const Place& at) { return 4 * at.p; });
  const auto forms = table.search(four_p, 1);
  ASSERT_EQ(forms.size(), 1u);
  ASSERT_EQ(forms[0].features.size(), 1u);
  EXPECT_NEAR(surplus_bits(forms[0], table, four_p, 1),
              7 + std::log2(3) - table.feature(forms[0].features[0]).bits, 1e-9);
  // A step between p = 1 and 2 is encoded with 4 + 1 bits: its form explains next to nothing.
  const auto found = identified(design, [](const Place& at) { return at.p > 1 ? 14 : 7; });
  ASSERT_TRUE(found);
  EXPECT_EQ(found->count.origin, Origin::ambiguous) << symbolic::to_text(found->count.expression);
  EXPECT_THAT(found->count.open, ::testing::Contains("p"));
}

// A dependence that no recording shows, whatever the formula is.
struct Hidden {
  const char* name;
  std::vector<std::pair<double, std::int32_t>> points;  // (n, p)
  Truth truth;
};

Design design_of(const std::vector<std::pair<double, std::int32_t>>& points) {
  Design design;
  design.parameters = {"n"};
  design.whole = {true};
  for (const auto& [n, p] : points) {
    design.groups.push_back({{n}, p, design.cells.size(), static_cast<std::size_t>(p)});
    for (std::int32_t r = 0; r < p; ++r)
      design.cells.push_back({design.groups.size() - 1, place_at(std::vector<double>{n}, p, r, {})});
  }
  return design;
}

TEST(Identify, VariablesThatWereNotVariedAloneAreOpen) {
  const Hidden all[]{
      {"weak scaling",
       {{1000, 1}, {2000, 2}, {3000, 3}, {4000, 4}, {6000, 6}, {8000, 8}},
       [](const Place& at) { return at.parameters[0] / at.p; }},
      {"a star",
       {{100, 1}, {145, 1}, {201, 1}, {260, 1}, {100, 2}, {100, 3}, {100, 4}, {100, 6}},
       [](const Place& at) { return (at.parameters[0] * at.parameters[0] % 91) * (at.p - 1); }},
      {"a constant on a star",
       {{100, 1}, {145, 1}, {201, 1}, {260, 1}, {100, 2}, {100, 3}, {100, 4}, {100, 6}},
       [](const Place& at) { return 7 + (at.parameters[0] - 100) * (at.p - 1); }},
  };
  for (const Hidden& hidden : all) {
    const auto found = identified(design_of(hidden.points), hidden.truth);
    if (found)
      EXPECT_EQ(found->count.origin, Origin::ambiguous)
          << hidden.name << ": " << symbolic::to_text(found->count.expression);
  }
}

TEST(Identify, WhatIsOpenSettlesOnlyWhereTheOthersWereVaried) {
  // n varied alone at p = 1 and p = 2, with a single value at p = 4: the formula is reliable at p = 1 and 2
  // only.
  std::vector<std::pair<double, std::int32_t>> points{{100, 4}};
  for (const double n : {100, 145, 201, 260, 307, 351, 402})
    for (const std::int32_t p : {1, 2}) points.push_back({n, p});
  std::sort(points.begin(), points.end(), [](const auto& a, const auto& b) {
    return std::pair(a.second, a.first) < std::pair(b.second, b.first);
  });
  const auto found =
      identified(design_of(points), [](const Place& at) { return 3 * at.parameters[0] * at.p; });
  ASSERT_TRUE(found);
  EXPECT_EQ(found->count.origin, Origin::ambiguous);
  EXPECT_THAT(found->count.open, ::testing::ElementsAre("p")) << symbolic::to_text(found->count.expression);
  EXPECT_THAT(found->count.settling, ::testing::ElementsAre(std::vector<double>{1}, std::vector<double>{2}));
}

TEST(Identify, APointWithoutAllItsRanksIsNoEvidence) {
  // Only rank 0 reached its end from p = 2 on; the counts of the others are unknown.
  Design design;
  design.parameters = {"n"};
  design.whole = {true};
  for (const std::int32_t p : kProcesses)
    for (const double n : kSizes) {
      design.groups.push_back({{n}, p, design.cells.size(), 1});
      design.cells.push_back({design.groups.size() - 1, place_at(std::vector<double>{n}, p, 0, {})});
    }
  const auto found = identified(design, [](const Place& at) { return 8 * at.parameters[0]; });
  ASSERT_TRUE(found);
  EXPECT_EQ(found->count.origin, Origin::ambiguous);
}

TEST(Identify, AGridOfTheProgramsOwnIsKnownWhereItWasRecorded) {
  ProcessGrid grid{2, false, {}, {false, false}};
  for (const std::int32_t p : {2, 4, 6, 8, 12, 16}) grid.recorded[p] = {p / 2, 2};
  const auto design = full_design({"n"}, {kSizes}, {2, 4, 6, 8, 12, 16}, {grid});
  const auto found = identified(design, [](const Place& at) {
    return 8 * cyclic(at.parameters[0], at.extents[2][0], at.coordinates[2][0]);
  });
  ASSERT_TRUE(found);
  EXPECT_EQ(found->count.origin, Origin::ambiguous);
  EXPECT_THAT(found->count.open, ::testing::Contains("p"));
}

// Expects right values at points without a recording, whatever the origin.
void expect_right(const Truth& truth) {
  const Design design = one_parameter();
  const auto found = identified(design, truth);
  ASSERT_TRUE(found);
  for (const double n : {50, 128, 1001})
    for (const std::int32_t p : {5, 7, 12, 16, 25})
      for (std::int32_t r = 0; r < p; ++r) {
        const double parameters[]{n};
        EXPECT_EQ(evaluate_at(design, found->count.expression, {n}, p, r),
                  truth(place_at(parameters, p, r, {})))
            << symbolic::to_text(found->count.expression) << " at n = " << n << ", p = " << p
            << ", r = " << r;
      }
}

TEST(Identify, LevelsOfHalvingAreFound) {
  expect_right(
      [](const Place& at) { return std::bit_width(static_cast<std::uint64_t>(at.parameters[0])) + 2; });
}

TEST(Identify, EverySecondRankButTheLastIsFound) {
  expect_right([](const Place& at) {
    return at.r % 2 == 0 && at.r + 1 < at.p ? at.parameters[0] * at.parameters[0] : 0;
  });
  expect_right([](const Place& at) { return at.r % 2 == 1 && at.r + 1 < at.p ? 8 * at.parameters[0] : 0; });
  expect_right([](const Place& at) { return at.r % 2 == 0 && at.r > 0 ? 8 * at.parameters[0] : 0; });
}

TEST(Identify, WithoutAGridOfTwoDimensionsPIsOpen) {
  // Columns of a 2-D grid: MPI_Dims_create leaves the second dimension at 1 until p = 4.
  const Truth columns = [](const Place& at) { return 8 * (at.parameters[0] / at.extents[2][1]); };
  const auto found = identified(one_parameter(kSizes, {1, 2, 3, 5, 7}), columns);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->count.origin, Origin::ambiguous);
  EXPECT_THAT(found->count.open, ::testing::ElementsAre("p"));
}

// MPI_Dims_create leaves the third dimension at 1 until p = 8, so that n / extent equals n in all runs. Steps
// vary at the smallest n only, and rank 0 does not count.
TEST(Identify, AnExtentThatWas1InAllRunsIsNoPartOfACount) {
  const Design all = full_design({"n", "steps"}, {{800, 1200, 1600}, {8, 16}}, {2, 4});
  Design design = all;
  design.groups.clear(), design.cells.clear();
  for (const auto& group : all.groups) {
    if (group.parameters[0] > 800 && group.parameters[1] > 8) continue;
    design.groups.push_back(group);
    design.groups.back().first_cell = design.cells.size();
    design.groups.back().cell_count = static_cast<std::size_t>(group.processes) - 1;
    for (std::int32_t r = 1; r < group.processes; ++r)
      design.cells.push_back({design.groups.size() - 1, place_at(group.parameters, group.processes, r, {})});
  }
  const auto found =
      identified(design, [](const Place& at) { return (at.parameters[1] + 1) * (at.parameters[0] - 1); });
  ASSERT_TRUE(found);
  EXPECT_EQ(evaluate_at(design, found->count.expression, {3200, 8}, 8, 1), 9 * 3199)
      << symbolic::to_text(found->count.expression);
  EXPECT_THAT(symbolic::to_text(found->count.expression), ::testing::Not(::testing::HasSubstr("floor")));
}

TEST(Identify, NothingTimesWhatNeverVariedIsNoAlternativeOfNothing) {
  const auto found =
      identified(full_design({"n", "m"}, {{8, 13}, {2}}, {2, 4}), [](const Place&) { return 0; });
  ASSERT_TRUE(found);
  EXPECT_TRUE(found->count.expression.is_zero());
  EXPECT_TRUE(found->count.alternatives.empty());
}

TEST(Identify, RunsThatAreProposedKeepAProcessGrid) {
  Design design;  // P x Q processes; whether the count depends on Q or on p is open
  design.parameters = {"P", "Q"};
  design.whole = {true, true};
  for (const auto& [P, Q] : {std::pair(2, 1), std::pair(2, 2), std::pair(2, 3)}) {
    const std::vector<double> sides{static_cast<double>(P), static_cast<double>(Q)};
    design.groups.push_back({sides, P * Q, design.cells.size(), static_cast<std::size_t>(P * Q)});
    for (std::int32_t r = 0; r < P * Q; ++r)
      design.cells.push_back({design.groups.size() - 1, place_at(sides, P * Q, r, design.grids)});
  }
  const auto found = identified(design, [](const Place& place) { return place.p; });
  ASSERT_TRUE(found);
  const auto run = advised(design, found->count.advice);
  ASSERT_TRUE(run) << found->count.advice;
  EXPECT_EQ(run->parameters[0] * run->parameters[1], run->processes) << found->count.advice;
}

TEST(Identify, APowerOfAParameterIsExact) {
  expect_exact([](const Place& at) { return 3 * at.parameters[0] * at.parameters[0] + 7; });
  expect_exact([](const Place& at) { return at.parameters[0] * at.parameters[0] * at.parameters[0]; });
}

TEST(Identify, AConstantIsExactOnceEveryVariableTookThreeValues) {
  expect_exact([](const Place&) { return std::int64_t{20}; });
  expect_exact([](const Place&) { return std::int64_t{0}; });
}

TEST(Identify, FormsOfTheProcessCountAreExact) {
  expect_exact([](const Place& at) { return at.p; });
  expect_exact([](const Place& at) { return at.p * (at.p - 1); });
  expect_exact([](const Place& at) { return at.parameters[0] * (at.p - 1); });
}

TEST(Identify, TheDepthOfATreeIsExact) {
  const Design design = one_parameter(kSizes, {1, 2, 3, 4, 5, 6, 8, 9, 12, 16, 17});
  expect_exact(design,
               [](const Place& at) { return 5 * std::bit_width(static_cast<std::uint64_t>(at.p - 1)); },
               {{50}, {128}});
}

TEST(Identify, BlocksOfRowsAndTheirBytesAreExactByRank) {
  expect_exact([](const Place& at) { return cyclic(at.parameters[0], at.p, at.r); });
  expect_exact([](const Place& at) { return 8 * at.parameters[0] * cyclic(at.parameters[0], at.p, at.r); });
}

TEST(Identify, OtherRoundingsOfABlockAreExactByRank) {
  expect_exact([](const Place& at) {
    const std::int64_t n = at.parameters[0];
    return 16 * ((at.r + 1) * n / at.p - at.r * n / at.p);
  });
  expect_exact([](const Place& at) {
    const std::int64_t n = at.parameters[0];
    return n / at.p + (at.r == at.p - 1 ? n % at.p : 0);
  });
}

TEST(Identify, RowsBelowThePivotOfACyclicEliminationAreExact) {
  // Gaussian elimination: the updates of rank r over all steps, the sum of k over its rows k.
  expect_exact([](const Place& at) {
    std::int64_t sum = 0;
    for (std::int64_t k = at.r; k < at.parameters[0]; k += at.p) sum += k;
    return sum;
  });
}

TEST(Identify, TheRootAndTheOthersAreExact) {
  expect_exact([](const Place& at) { return at.r == 0 ? at.p - 1 : 0; });
  expect_exact([](const Place& at) { return at.r == 0 ? std::int64_t{0} : 8 * at.parameters[0]; });
}

TEST(Identify, BytesOfAHaloOnAGridAreExactByCoordinate) {
  ProcessGrid grid{2, true, {}, {false, false}};
  for (const std::int32_t p : kProcesses) grid.recorded[p] = balanced_dimensions(p, 2);
  const Design design = full_design({"n"}, {kSizes}, kProcesses, {grid});
  // Eight bytes for each column of the block and one ghost at each end, sent to a neighbour above; edges have
  // none.
  expect_exact(design,
               [](const Place& at) {
                 return at.coordinates[2][0] == 0
                            ? 0
                            : 8 * (cyclic(at.parameters[0], at.extents[2][1], at.coordinates[2][1]) + 2);
               },
               {{50}, {128}});
  expect_exact(design,
               [](const Place& at) {
                 return cyclic(at.parameters[0], at.extents[2][0], at.coordinates[2][0]) *
                        cyclic(at.parameters[0], at.extents[2][1], at.coordinates[2][1]);
               },
               {{50}, {128}});
}

// log2 p agrees with the number of dimensions that several ranks share at 1, 2, 4 and 8.
TEST(Identify, MessagesAlongEachDividedDimensionOfAGridAreExact) {
  ProcessGrid grid{3, true, {}, {true, true, true}};
  for (const std::int32_t p : kProcesses) grid.recorded[p] = balanced_dimensions(p, 3);
  const Design design = full_design({"n"}, {kSizes}, kProcesses, {grid});
  const auto along = [](std::int32_t least) {
    return [least](const Place& at) {
      return std::int64_t{28} *
             std::ranges::count_if(at.extents[3], [&](std::int32_t extent) { return extent >= least; });
    };
  };
  expect_exact(design, along(2), {{50}, {128}});
  const auto where_neighbours_differ = identified(design, along(3));
  ASSERT_TRUE(where_neighbours_differ);
  EXPECT_EQ(evaluate_at(design, where_neighbours_differ->count.expression, {50}, 27, 0), 84);
}

TEST(Identify, MessagesToAllNeighboursInAGridWithEndsAreExact) {
  ProcessGrid grid{3, true, {}, {false, false, false}};
  for (const std::int32_t p : kProcesses) grid.recorded[p] = balanced_dimensions(p, 3);
  expect_exact(full_design({"n"}, {kSizes}, kProcesses, {grid}),
               [](const Place& at) {
                 std::int64_t neighbours = 0;
                 for (std::size_t k = 0; k < 3; ++k)
                   neighbours += (at.coordinates[3][k] > 0) + (at.coordinates[3][k] + 1 < at.extents[3][k]);
                 return neighbours * at.parameters[0];
               },
               {{50}, {128}});
}

TEST(Identify, TwoParametersTogetherAreExact) {
  const Design design =
      full_design({"n", "steps"}, {{32, 45, 64, 100, 137, 150}, {5, 10, 17, 24, 41}}, kProcesses);
  expect_exact(design, [](const Place& at) { return 2 * at.parameters[1] * at.parameters[0] + 1; },
               {{50, 8}, {128, 40}});
  expect_exact(design,
               [](const Place& at) { return at.parameters[1] * 8 * cyclic(at.parameters[0], at.p, at.r); },
               {{50, 8}, {128, 40}});
}

TEST(Identify, EveryTenthStepRoundedUpIsExact) {
  const Design design = full_design({"steps"}, {{7, 20, 33, 41, 58, 90, 104, 115}}, {1, 2, 3, 4, 6});
  expect_exact(design, [](const Place& at) { return (at.parameters[0] + 9) / 10; }, {{11}, {50}, {1001}});
}

TEST(Identify, NumbersOutOfEverydayRangeStayExact) {
  const Design design = one_parameter({100'000, 250'000, 700'001, 1'000'003, 2'000'003});
  expect_exact(design, [](const Place& at) { return 8 * at.parameters[0] * at.parameters[0]; },
               {{3'000'017}});
}

// Ambiguous counts.

TEST(Identify, OneAndTwoProcessesDoNotTellFormsOfPApart) {
  // At p in {1, 2}: p = 1 + log2 p = p^2 - 2 p + 2.
  expect_ambiguous(
      one_parameter(kSizes, {1, 2}), [](const Place& at) { return at.p; }, "p");
  expect_ambiguous(
      one_parameter(kSizes, {1, 2}), [](const Place& at) { return at.parameters[0] * (at.p - 1); },
      "n*p - n");
}

TEST(Identify, GrowthThatOneProcessCountAboveOneCannotShowIsNotPreferred) {
  const Truth two_on_several = [](const Place& at) { return 2 * (at.p - 1); };
  const auto at = [&](const Design& design, std::int32_t p) {
    const auto found = identified(design, two_on_several);
    return found ? evaluate_at(design, found->count.expression, {32}, p, 0) : std::nullopt;
  };
  const Design without_grid = one_parameter(kSizes, {1, 2});
  EXPECT_EQ(at(without_grid, 2), 2);
  EXPECT_EQ(at(without_grid, 64), 2);
  expect_ambiguous(without_grid, two_on_several, "2*p - 2");
  // 2 for each divided dimension of 2 x 2 x 1 and 2 x 2 x 2
  const Design in_grid = full_design({"n"}, {kSizes}, {1, 2}, {{3, true}});
  EXPECT_EQ(at(in_grid, 4), 4);
  EXPECT_EQ(at(in_grid, 8), 6);
  EXPECT_EQ(at(in_grid, 64), 6);
  // 3 and 6 processes show growth.
  EXPECT_EQ(at(one_parameter(kSizes, {1, 3, 6}), 64), 126);
}

TEST(Identify, TwoValuesOfAParameterNeverSuffice) {
  for (const auto& sizes : std::vector<std::vector<double>>{{32, 64}, {10, 1000}, {7, 8}}) {
    const auto found = identified(one_parameter(sizes), [](const Place& at) { return 4 * at.parameters[0]; });
    ASSERT_TRUE(found);
    EXPECT_EQ(found->count.origin, Origin::ambiguous);
    EXPECT_FALSE(found->count.advice.empty());
    EXPECT_THAT(found->count.open, ::testing::Contains("n"));
  }
}

TEST(Identify, NothingIsExactWithoutAPointKeptOut) {
  // Three groups: three values of n, one of p.
  const auto found =
      identified(one_parameter({32, 64, 100}, {4}), [](const Place& at) { return at.parameters[0]; });
  ASSERT_TRUE(found);
  EXPECT_EQ(found->count.origin, Origin::ambiguous);
}

TEST(Identify, OneProcessCountLeavesTheDependenceOnPOpen) {
  const auto found = identified(one_parameter(kSizes, {4}), [](const Place& at) { return at.parameters[0]; });
  ASSERT_TRUE(found);
  EXPECT_EQ(found->count.origin, Origin::ambiguous);
  EXPECT_THAT(found->count.open, ::testing::ElementsAre("p"));
}

TEST(Identify, AHundredTripsAtOneSizeOfFiftyMayBeTwiceTheSize) {
  expect_ambiguous(
      one_parameter({50}), [](const Place&) { return std::int64_t{100}; }, "2*n");
  expect_ambiguous(
      one_parameter({50}), [](const Place&) { return std::int64_t{100}; }, "100");
}

TEST(Identify, AParameterThatNeverVariedMayHideInWhatVaries) {
  // 20 steps of p messages.
  const Design design = full_design({"n", "steps"}, {kSizes, {20}}, kProcesses);
  expect_ambiguous(
      design, [](const Place& at) { return 20 * at.p; }, "p*steps");
}

TEST(Identify, ASingleRecordingGivesConstantsAndNoFormula) {
  const Design design = full_design({}, {}, {4});
  const auto found = identified(design, [](const Place&) { return std::int64_t{7}; });
  ASSERT_TRUE(found);
  EXPECT_NE(found->count.origin, Origin::exact);
  EXPECT_EQ(found->count.expression, symbolic::Expression(7));
}

TEST(Identify, ADesignWithoutAnyPlaceGivesNothing) {
  Design design;
  design.parameters = {"n"};
  design.whole = {true};
  EXPECT_FALSE(Identifier(design).identify({}));
}

TEST(Identify, ChangedAtOnePlaceACountIsNotTheFormula) {
  const Design design = one_parameter();
  const auto truth = [](const Place& at) { return 8 * cyclic(at.parameters[0], at.p, at.r); };
  testing::Numbers numbers(21);
  for (int round = 0; round < 8; ++round) {
    auto values = observe(design, truth);
    values[static_cast<std::size_t>(numbers.uniform() * static_cast<double>(values.size()))] += 1;
    const auto found = Identifier(design).identify(values);
    EXPECT_FALSE(found && found->count.origin == Origin::exact) << symbolic::to_text(found->count.expression);
  }
}

TEST(Identify, ExpressionsAgreeWithTheObservationsWhateverTheirOrigin) {
  const Design design = one_parameter({5, 9, 14, 22}, {1, 2, 3, 4});
  testing::Numbers numbers(77);
  for (int round = 0; round < 30; ++round) {
    const auto a = static_cast<std::int64_t>(numbers.uniform() * 5),
               b = static_cast<std::int64_t>(numbers.uniform() * 5),
               c = static_cast<std::int64_t>(numbers.uniform() * 5);
    const Truth truth = [&](const Place& at) {
      return a * at.parameters[0] + b * at.p + c * cyclic(at.parameters[0], at.p, at.r);
    };
    const auto found = identified(design, truth);
    if (!found) continue;
    for (const Cell& cell : design.cells) {
      const Group& group = design.groups[cell.group];
      ASSERT_EQ(evaluate_at(design, found->count.expression, group.parameters, group.processes,
                            static_cast<std::int32_t>(cell.place.r)),
                truth(cell.place))
          << symbolic::to_text(found->count.expression);
    }
  }
}

// Functions outside the family, with random constants. None may be called exact and be wrong.
struct Outside {
  const char* name;
  std::function<std::int64_t(const Place&, std::int64_t, std::int64_t)> value;
};
const Outside kOutsiders[]{
    {"n log n",
     [](const Place& at, auto a, auto b) {
       const auto n = static_cast<double>(at.parameters[0]);
       return static_cast<std::int64_t>(std::floor(static_cast<double>(a) * n * std::log2(n))) + b;
     }},
    {"a power of n that is no whole number",
     [](const Place& at, auto a, auto b) {
       return static_cast<std::int64_t>(
                  std::floor(static_cast<double>(a) * std::pow(static_cast<double>(at.parameters[0]), 1.5))) +
              b;
     }},
    {"a threshold in n",
     [](const Place& at, auto a, auto b) { return at.parameters[0] > 40 + a ? 2 * at.parameters[0] : b; }},
    {"a threshold in p",
     [](const Place& at, auto a, auto b) {
       return at.p > 3 ? a * at.parameters[0] + b : (a + 1) * at.parameters[0];
     }},
    {"a remainder of n", [](const Place& at, auto a, auto b) { return at.parameters[0] % (a + 5) + b; }},
    {"a remainder of n squared",
     [](const Place& at, auto a, auto b) { return (at.parameters[0] * at.parameters[0] + b) % (7 + a); }},
    {"a quotient by an unusual number",
     [](const Place& at, auto a, auto b) { return at.parameters[0] * b / (2 * a + 11); }},
    {"n log p",
     [](const Place& at, auto a, auto b) {
       return static_cast<std::int64_t>(std::floor(static_cast<double>(a * at.parameters[0]) *
                                                   std::log2(static_cast<double>(at.p) + 0.5))) +
              b;
     }},
    {"the number of divisors",
     [](const Place& at, auto a, auto b) {
       std::int64_t count = 0;
       for (std::int64_t d = 1; d <= at.parameters[0]; ++d) count += at.parameters[0] % d == 0;
       return a * count + b;
     }},
    {"data-dependent",
     [](const Place& at, auto a, auto b) {
       testing::Numbers noise(static_cast<std::uint64_t>(at.parameters[0] * 1000 + at.p * 31 + a * 7 + b));
       noise.next();
       return static_cast<std::int64_t>(noise.uniform() * 8);
     }},
};

TEST(Identify, NoFunctionOutsideOfTheFamilyIsCalledExactAndPredictedWrong) {
  testing::Numbers numbers(2);
  const Design designs[]{one_parameter(), one_parameter({20, 30, 47, 60}, {1, 2, 3, 4}),
                         one_parameter({16, 33, 64, 128, 250, 300}, {1, 2, 3, 4, 8})};
  std::vector<Identifier> identifiers;
  int tried = 0, wrong = 0;
  for (const Design& design : designs) {
    Identifier identifier(design);
    for (const Outside& outside : kOutsiders)
      for (int round = 0; round < 4; ++round) {
        const auto a = 1 + static_cast<std::int64_t>(numbers.uniform() * 6);
        const auto b = static_cast<std::int64_t>(numbers.uniform() * 9);
        const Truth truth = [&](const Place& at) { return outside.value(at, a, b); };
        const auto values = observe(design, truth);
        const auto& found = identifier.identify(values);
        ++tried;
        if (!found || found->count.origin != Origin::exact) continue;
        for (const double n : {50.0, 73.0, 200.0, 333.0})
          for (const std::int32_t p : {5, 7, 16}) {
            const double parameters[]{n};
            if (evaluate_at(design, found->count.expression, {n}, p, 1) ==
                truth(place_at(parameters, p, 1, {})))
              continue;
            ADD_FAILURE() << outside.name << " with " << a << ", " << b << " is called exactly "
                          << symbolic::to_text(found->count.expression);
            ++wrong;
            break;
          }
      }
  }
  EXPECT_EQ(tried, 120);
  EXPECT_EQ(wrong, 0);
}

// 197 and 531 rounds are no formula of the size; one less than it is one, and so are 8 n + 16 bytes.
TEST(Identify, AFormulaWithAsManyNumbersAsPointsIsNone) {
  const auto design = [](double a, double b) { return one_parameter({a, b}, {1}); };
  EXPECT_FALSE(
      identified(design(20, 40), [](const Place& at) { return at.parameters[0] == 20 ? 197 : 531; }));
  // Four different counts at six points are no 4959 p floor(n/20) - 5510 p - 19836 floor(n/20) + 23897.
  EXPECT_FALSE(identified(one_parameter({16, 24, 32}, {2, 4}), [](const Place& at) {
    return at.p == 4 ? 1857 : at.parameters[0] == 16 ? 12877 : 2959;
  }));
  const auto less = identified(design(20, 40), [](const Place& at) { return at.parameters[0] - 1; });
  ASSERT_TRUE(less);
  EXPECT_EQ(symbolic::to_text(less->count.expression), "n - 1");
  const auto bytes = identified(design(60, 90), [](const Place& at) { return 8 * at.parameters[0] + 16; });
  ASSERT_TRUE(bytes);
  EXPECT_EQ(symbolic::to_text(bytes->count.expression), "8*n + 16");
}

// Parts of three sizes on 1 to 4 processes: 191 = 48 + 48 + 48 + 47. Features that come near them on one
// process (2 floor(n/2)) do not on three.
TEST(Identify, LinesOfSeveralProcessCountsEstablishAPartTogether) {
  expect_exact(one_parameter({128, 191, 256}, {1, 2, 3, 4}),
               [](const Place& at) { return 24 * cyclic(at.parameters[0], at.p, at.r); }, {{50}, {1001}});
}

double accidental_of_three_rows(const std::vector<std::int32_t>& processes) {
  const Design design = one_parameter({128, 191, 256}, processes);
  const FeatureTable table(design, false);
  const auto values = observe(design, [](const Place& at) { return 3 * at.parameters[0]; });
  const auto forms = table.search(values, 1);
  EXPECT_FALSE(forms.empty());
  return forms.empty() ? 0 : accidental_matches(forms[0], table, values, 0);
}

TEST(Identify, LinesWithEqualCountsAreNoFurtherEvidence) {
  EXPECT_EQ(accidental_of_three_rows({1, 2, 3, 4}), accidental_of_three_rows({1}));
}

}  // namespace
}  // namespace parcast::program
