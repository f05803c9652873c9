// SPDX-License-Identifier: Apache-2.0
#include "source/counts/recognition.h"

#include <gmock/gmock.h>

#include <cmath>
#include <set>

#include "model/binding.h"
#include "model/place.h"

namespace parcast::program {
namespace {

using Values = Recognition::Values;

struct Point2 {
  double n, steps;
  std::int32_t p;
};

// Returns all processes of runs at some points.
std::vector<symbolic::Binding> processes_of(const std::vector<Point2>& points) {
  std::vector<symbolic::Binding> all;
  for (const Point2& point : points)
    for (std::int32_t r = 0; r < point.p; ++r) {
      const std::vector<double> given{point.n, point.steps};
      all.push_back(binding_of(place_at(given, point.p, r, {}), {"N", "steps"}, given));
    }
  return all;
}

template <class Of>
Values values_of(const std::vector<symbolic::Binding>& processes, Of of) {
  Values values;
  for (const auto& process : processes) values.push_back(of(process));
  return values;
}

std::int64_t whole(const symbolic::Binding& process, const char* name) {
  return std::llround(process.find(name)->second);
}
std::int64_t rows_of(const symbolic::Binding& process) {  // the first processes get the remainder
  const std::int64_t n = whole(process, "N"), p = whole(process, "p"), r = whole(process, "r");
  return n / p + (r < n % p ? 1 : 0);
}

// Expects that the formula equals the function at other points.
template <class Of>
void expect_gives(const symbolic::Expression& expression, Of of) {
  for (const auto& process : processes_of({{977, 13, 5}, {64, 100, 8}, {1000, 7, 1}})) {
    const auto value = symbolic::evaluate(expression, process);
    ASSERT_TRUE(value);
    EXPECT_EQ(*value, static_cast<double>(of(process))) << symbolic::to_text(expression);
  }
}

TEST(Recognition, SizesOfOneRun) {
  const auto processes = processes_of({{47, 20, 2}});
  const Recognition recognition({"N", "steps"}, processes, {});
  const auto check = [&](auto of) {
    const auto found = recognition.size(values_of(processes, of));
    ASSERT_FALSE(found.empty());
    expect_gives(found.front().expression, of);
  };
  check([](const auto& at) { return whole(at, "N"); });
  check([](const auto& at) { return whole(at, "steps") + 1; });
  check([](const auto& at) { return rows_of(at); });
  check([](const auto& at) { return rows_of(at) * whole(at, "N"); });
}

TEST(Recognition, PartsOfAGridThatIsNumberedAlongItsFirstDimensionFirst) {
  const auto processes = processes_of({{48, 20, 4}, {60, 33, 2}, {83, 41, 6}, {91, 17, 12}});
  // rows x columns = p with fewer rows than columns: 2 x 3 for 6, where MPI_Dims_create gives 3 x 2
  const auto block = [](const symbolic::Binding& at) {
    const std::int64_t n = whole(at, "N"), p = whole(at, "p"), r = whole(at, "r");
    std::int64_t rows = 1;
    for (std::int64_t k = 2; k * k <= p; ++k)
      if (p % k == 0) rows = k;
    const std::int64_t columns = p / rows, row = r / columns, column = r % columns;
    return std::pair{n / rows + (row < n % rows ? 1 : 0), n / columns + (column < n % columns ? 1 : 0)};
  };
  const auto columns = [&](const auto& at) { return block(at).second; };
  const Recognition first({"N", "steps"}, processes, {});
  const auto found = first.size(values_of(processes, columns));
  ASSERT_FALSE(found.empty());
  expect_gives(found.front().expression, columns);
  const auto volume = [&](const auto& at) { return block(at).first * block(at).second * whole(at, "N"); };
  const Recognition with({"N", "steps"}, processes, {}, first.parts_in(values_of(processes, columns)));
  const auto product = with.size(values_of(processes, volume));
  ASSERT_FALSE(product.empty());
  expect_gives(product.front().expression, volume);
}

TEST(Recognition, PartsThatStandInTheProgramAreLikelierThanOthers) {
  const auto processes = processes_of({{47, 20, 2}});
  const std::vector<Factor> parts =
      Recognition({"N", "steps"}, processes, {}).parts_in(values_of(processes, rows_of));
  ASSERT_FALSE(parts.empty());
  for (const Factor& part : parts) EXPECT_EQ(part.parameter, 0);
  const Recognition with({"N", "steps"}, processes, {}, parts);
  const auto bordered = [](const auto& at) { return (rows_of(at) + 2) * whole(at, "N"); };
  const auto found = with.size(values_of(processes, bordered));
  ASSERT_FALSE(found.empty());
  expect_gives(found.front().expression, bordered);
  // 192 x 48 does not involve the 100 rounds on 2 processes, although 49 is a part of 100 minus one
  const auto larger = processes_of({{192, 100, 2}});
  const auto of = Recognition({"N", "steps"}, larger, {}).parts_in(values_of(larger, rows_of));
  const Values values{192 * 48, 192 * 48};
  EXPECT_FALSE(Recognition({"N", "steps"}, larger, {}).size(values).empty());
  EXPECT_THAT(Recognition({"N", "steps"}, larger, {}, of).size(values), ::testing::IsEmpty());
}

TEST(Recognition, AParameterIsNoPartOfItself) {
  const auto processes = processes_of({{47, 20, 1}});
  EXPECT_THAT(Recognition({"N", "steps"}, processes, {}).parts_in(Values{47}), ::testing::IsEmpty());
}

TEST(Recognition, ASmallNumberThatNeverVariesIsNoSize) {
  const auto processes = processes_of({{20, 4, 2}});
  const Recognition recognition({"N", "steps"}, processes, {});
  EXPECT_THAT(recognition.size(Values{4, 4}), ::testing::IsEmpty());
  EXPECT_THAT(recognition.size(Values{std::nullopt, std::nullopt}), ::testing::IsEmpty());
  EXPECT_FALSE(recognition.size(Values{20, std::nullopt}).empty()) << "one process that saw it is enough";
}

TEST(Recognition, WhatSeveralFormulasGiveIsAmbiguous) {
  const auto processes = processes_of({{48, 48, 2}});
  const Recognition recognition({"N", "steps"}, processes, {});
  const auto found = recognition.size(values_of(processes, [](const auto& at) { return whole(at, "N"); }));
  ASSERT_GE(found.size(), 2u);
  EXPECT_TRUE(found.front().ambiguous);
}

TEST(Recognition, OnASquareGridEitherNumberingOfItIsAAlternative) {
  const auto processes = processes_of({{48, 20, 4}});
  const Recognition recognition({"N", "steps"}, processes, {2});
  const auto row = [](const auto& at) { return whole(at, "r") / whole(at, "g2_1"); };
  const auto found = recognition.size(values_of(processes, row));
  ASSERT_FALSE(found.empty());
  // On 4 x 2 processes, rank 5 is in row 2 by MPI's numbering. It is in row 1 if the first dimension is
  // numbered first.
  const symbolic::Binding at = binding_of(place_at(std::vector<double>{48, 20}, 8, 5, {}), {"N", "steps"},
                                          std::vector<double>{48, 20});
  std::set<double> rows;
  for (const symbolic::Expression& alternative : found.front().alternatives) {
    EXPECT_TRUE(recognition.differ(alternative, found.front().expression)) << symbolic::to_text(alternative);
    rows.insert(symbolic::evaluate(alternative, at).value());
  }
  rows.insert(symbolic::evaluate(found.front().expression, at).value());
  EXPECT_THAT(rows, ::testing::IsSupersetOf({2.0, 1.0}));
}

TEST(Recognition, WhatIsTheSameWithSomeOfEverySizeDoesNotDiffer) {
  const Recognition recognition({"N", "steps"}, processes_of({{48, 48, 4}}), {});
  const symbolic::Expression n = parameter_symbol("N"), steps = parameter_symbol("steps"),
                             round = symbolic::symbol("i0", symbolic::SymbolKind::loop_index);
  EXPECT_FALSE(recognition.differ(n - round, max(n - round, 0)));
  EXPECT_TRUE(recognition.differ(n, steps)) << "one may be larger alone";
  EXPECT_TRUE(recognition.differ(n / 4, n / processes_symbol()));
}

TEST(Recognition, AConstantIsAAlternativeOfASizeWhereItIsAboutAsShort) {
  const Recognition recognition({"N", "steps"}, processes_of({{9, 977, 2}}), {});
  EXPECT_THAT(recognition.count_as_size(Values{9, 9})->alternatives,
              ::testing::Contains(symbolic::Expression(9)));
  EXPECT_THAT(recognition.count_as_size(Values{977, 977})->alternatives,
              ::testing::Not(::testing::Contains(symbolic::Expression(977))));
}

TEST(Recognition, BlocksOfTheProgramsOwnGridComeFirst) {
  const auto processes = processes_of({{48, 9, 6}});  // 3 x 2
  const Recognition recognition({"N", "steps"}, processes, {2});
  const auto columns = [](const auto& at) {
    return whole(at, "N") / whole(at, "g2_1") + (whole(at, "c2_1") < whole(at, "N") % whole(at, "g2_1"));
  };
  const auto found = recognition.size(values_of(processes, columns));
  ASSERT_FALSE(found.empty());
  expect_gives(found.front().expression, columns);
}

TEST(Recognition, CountsOfSeveralRunsAreIdentified) {
  const auto processes = processes_of({{20, 5, 2}, {31, 5, 3}, {44, 8, 4}, {50, 11, 2}, {63, 7, 5}});
  Recognition recognition({"N", "steps"}, processes, {});
  const auto of = [](const auto& at) { return 3 * whole(at, "steps") * rows_of(at) + 7; };
  const auto found = recognition.count(values_of(processes, of));
  ASSERT_TRUE(found);
  expect_gives(found->expression, of);
}

TEST(Recognition, AProductIsACountOnlyWhereItTellsMoreThanItIsLong) {
  const auto processes = processes_of({{24, 20, 2}});
  const Recognition recognition({"N", "steps"}, processes, {});
  const auto square = recognition.count_as_size(Values{576, 576});
  ASSERT_TRUE(square);
  expect_gives(square->expression, [](const auto& at) { return whole(at, "N") * whole(at, "N"); });
  ASSERT_FALSE(recognition.size(Values{625, 625}).empty());  // (N + 1)^2
  EXPECT_FALSE(recognition.count_as_size(Values{625, 625}));
}

TEST(Recognition, WhatNothingGivesGrowsAsItDid) {
  const auto processes =
      processes_of({{24, 20, 2}, {40, 33, 3}, {64, 25, 4}, {64, 25, 1}, {30, 22, 6}, {90, 27, 2}});
  const Recognition recognition({"N", "steps"}, processes, {});
  const auto of = [](const symbolic::Binding& at) {
    return std::pow(at.find("N")->second, 2) / at.find("p")->second;
  };
  std::vector<double> ones(processes.size(), 1), squares, noisy, never;
  for (const auto& at : processes) {
    const double ripple = at.find("r")->second == 0 ? 1.03 : 0.97;
    squares.push_back(3.7 * of(at) * ripple);
    noisy.push_back(100 * ripple);
    never.push_back(at.find("N")->second == 24 ? 0 : of(at));
  }
  const auto growing = recognition.growth(squares, ones);
  ASSERT_TRUE(growing);
  for (const auto& at : processes_of({{500, 9, 8}, {1000, 100, 1}}))
    EXPECT_NEAR(*symbolic::evaluate(growing->ratio, at) / (3.7 * of(at)), 1, 0.1);
  const auto same = recognition.growth(noisy, ones);
  ASSERT_TRUE(same);
  EXPECT_TRUE(same->constant);  // within its variation
  EXPECT_FALSE(recognition.growth(never, ones));
  EXPECT_FALSE(Recognition({"N", "steps"}, processes_of({{24, 20, 2}, {40, 33, 3}}), {})
                   .growth({1, 1, 2, 2, 2}, {1, 1, 1, 1, 1}));
}

TEST(Recognition, WhereRunsChangeTogetherPowersAreMeans) {
  const auto processes =
      processes_of({{24, 20, 2}, {40, 33, 3}, {64, 25, 4}, {64, 29, 1}, {30, 22, 6}, {90, 27, 2}});
  const Recognition recognition({"N", "steps"}, processes, {});
  EXPECT_FALSE(recognition.grows());
  const auto of = [](const symbolic::Binding& at) {
    return std::pow(at.find("N")->second, 2) / at.find("p")->second;
  };
  std::vector<double> ones(processes.size(), 1), squares, noisy, never;
  for (const auto& at : processes) {
    const double ripple = at.find("r")->second == 0 ? 1.03 : 0.97;
    squares.push_back(3.7 * of(at) * ripple);
    noisy.push_back(100 * ripple);
    never.push_back(at.find("N")->second == 24 ? 0 : of(at));
  }
  const auto growing = recognition.trend(squares, ones);
  ASSERT_TRUE(growing);
  for (const auto& at : processes_of({{500, 9, 8}, {1000, 100, 1}}))
    EXPECT_NEAR(*symbolic::evaluate(*growing, at) / (3.7 * of(at)), 1, 0.1);
  EXPECT_FALSE(recognition.trend(noisy, ones));  // constant within its variation
  EXPECT_FALSE(recognition.trend(never, ones));
  EXPECT_FALSE(Recognition({"N", "steps"}, processes_of({{24, 20, 2}, {40, 33, 3}}), {})
                   .trend({1, 1, 2, 2, 2}, {1, 1, 1, 1, 1}));
}

TEST(Recognition, WhatIsNotThereInEveryRunIsAsAtTheLargestSizes) {
  // The products of the parameters are 480, 1600 and 1320.
  const Recognition recognition({"N", "steps"}, processes_of({{24, 20, 2}, {64, 25, 2}, {40, 33, 1}}), {});
  EXPECT_EQ(recognition.ratio_at_largest({0, 0, 3, 5, 100}, {1, 1, 2, 2, 1}), 2);
  EXPECT_EQ(recognition.ratio_at_largest({7, 7, 0, 0, 100}, {1, 1, 2, 2, 1}), std::nullopt);
  EXPECT_EQ(recognition.ratio_at_largest({7, 7, 3, 5, 100}, {1, 1, 0, 0, 1}), std::nullopt);
}

/// On 4 and 16 processes the sides of a square grid are also log2(p).
TEST(Recognition, GridsThatAProgramDoesNotMakeAreUnlikelyInCounts) {
  const auto processes = processes_of({{24, 20, 4}, {40, 33, 16}, {64, 25, 4}, {31, 29, 16}, {90, 27, 4}});
  const auto of = [](const symbolic::Binding& at) {
    return 11 * std::llround(std::log2(whole(at, "p"))) + 3 * whole(at, "N");
  };
  const auto formula = [&](const std::set<int>& made) {
    Recognition recognition({"N", "steps"}, processes, made);
    const auto found = recognition.count(values_of(processes, of));
    return found ? symbolic::to_text(found->expression) : "";
  };
  EXPECT_THAT(formula({2}), ::testing::HasSubstr("g2_"));
  EXPECT_THAT(formula({}),
              ::testing::AllOf(::testing::HasSubstr("log2"), ::testing::Not(::testing::HasSubstr("g2_"))));
}

// n/2 in each process, where p / Q is 2 in all runs. The data cannot distinguish this from n divided by the
// other sides of the grid.
TEST(Recognition, PartsOfAllProcessesAreNotMultipliedBySidesOfTheirGrid) {
  const std::vector<std::string> names{"n", "P", "Q", "R"};
  std::vector<symbolic::Binding> processes;
  for (const auto& given : {std::vector<double>{18, 2, 1, 1}, {26, 2, 1, 1}, {18, 2, 2, 1}})
    for (std::int32_t r = 0, p = static_cast<std::int32_t>(given[1] * given[2]); r < p; ++r)
      processes.push_back(binding_of(place_at(given, p, r, {}), names, given));
  Recognition recognition(names, processes, {});
  const auto found = recognition.count(values_of(processes, [](const auto& process) {
    return whole(process, "n") * whole(process, "n") * whole(process, "n") / 2;
  }));
  if (found) {
    EXPECT_EQ(symbolic::to_text(found->expression).find('Q'), std::string::npos)
        << symbolic::to_text(found->expression);
  }
}

TEST(Recognition, WhatWasVariedIsNoConstant) {
  EXPECT_TRUE(
      Recognition({"N", "steps"}, processes_of({{24, 20, 2}, {40, 33, 2}, {24, 20, 4}}), {}).all_varied());
  EXPECT_FALSE(
      Recognition({"N", "steps"}, processes_of({{24, 20, 2}, {40, 20, 2}, {24, 20, 4}}), {}).all_varied());
  EXPECT_FALSE(
      Recognition({"N", "steps"}, processes_of({{24, 20, 2}, {40, 33, 2}, {50, 40, 2}}), {}).all_varied());
  EXPECT_FALSE(Recognition({"N", "steps"}, processes_of({{24, 20, 2}, {40, 33, 4}}), {}).all_varied());
  // N: a side of all grids
  EXPECT_TRUE(Recognition({"N", "steps"}, processes_of({{2, 1, 2}, {2, 3, 6}, {2, 2, 4}}), {}).all_varied());
}

TEST(Recognition, WhatOneOfTwoProcessesDoesRestsOnAComparison) {
  const auto processes = processes_of({{47, 20, 2}});
  Recognition recognition({"N", "steps"}, processes, {});
  const auto not_first = [](const auto& at) { return whole(at, "r") > 0 ? 1 : 0; };
  const auto found = recognition.count(values_of(processes, not_first));
  ASSERT_TRUE(found);
  EXPECT_TRUE(found->ambiguous);  // it may be the rank, or a property of the last process
  expect_gives(found->expression, not_first);
}

TEST(Recognition, NumbersThatFollowFromNothingAreNotRecognised) {
  const auto processes = processes_of({{20, 5, 2}, {31, 5, 3}, {44, 8, 4}});
  Recognition recognition({"N", "steps"}, processes, {});
  EXPECT_FALSE(recognition.count(Values{101, 57, 311, 17, 93, 1009, 401, 23, 877}));
}

TEST(Recognition, RepeatsThatDisagreeAreNotRecognised) {
  auto processes = processes_of({{20, 5, 1}, {20, 5, 1}, {40, 5, 1}});
  Recognition recognition({"N", "steps"}, processes, {});
  EXPECT_FALSE(recognition.count(Values{21, 22, 41}));
}

}  // namespace
}  // namespace parcast::program
