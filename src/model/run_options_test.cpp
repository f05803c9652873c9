// SPDX-License-Identifier: Apache-2.0
#include "model/run_options.h"

#include <gmock/gmock.h>

namespace parcast::program {
namespace {

using ::testing::ElementsAre;

Point point(double P, double Q, double R, double n, std::int32_t processes) {
  return {{{"P", P}, {"Q", Q}, {"R", R}, {"n", n}}, processes};
}

const std::vector<std::string> kNames{"P", "Q", "R", "n"};

TEST(RunOptions, SidesOfAProcessGridAreTheFewestParametersThatMultiplyToP) {
  EXPECT_THAT(process_grid(kNames, {point(2, 1, 1, 8, 2), point(2, 1, 1, 13, 2), point(2, 2, 1, 8, 4)}),
              ElementsAre(true, true, false, false));
  EXPECT_THAT(process_grid(kNames, {point(2, 1, 1, 8, 2), point(2, 2, 1, 8, 4), point(2, 2, 2, 8, 8)}),
              ElementsAre(true, true, true, false));
  EXPECT_THAT(process_grid({"ranks", "n"}, {{{{"ranks", 3}, {"n", 8}}, 3}, {{{"ranks", 5}, {"n", 8}}, 5}}),
              ElementsAre(true, false));
}

TEST(RunOptions, NoGridWithoutTwoProcessCountsOrWhereOneRunDiffers) {
  EXPECT_THAT(process_grid(kNames, {point(2, 1, 1, 8, 2), point(2, 1, 1, 13, 2)}),
              ElementsAre(false, false, false, false));
  EXPECT_THAT(process_grid(kNames, {point(2, 1, 1, 8, 2), point(2, 2, 1, 8, 4), point(2, 2, 1, 8, 6)}),
              ElementsAre(false, false, false, false));
  EXPECT_THAT(process_grid(kNames, {point(0.5, 4, 1, 8, 2), point(0.5, 8, 1, 8, 4)}),
              ElementsAre(false, false, false, false));
  EXPECT_TRUE(process_grid({}, {{{}, 1}, {{}, 2}}).empty());
}

TEST(RunOptions, RunsThatAreProposedKeepTheGrid) {
  const std::vector<std::vector<double>> known{{2}, {1, 2}, {1}, {8, 13}};
  const auto runs = runs_by_price(kNames, known, {true, true, true, true}, {true, true, false, false});
  std::map<std::int32_t, int> of_size_8;
  for (const Point& run : runs) {
    EXPECT_EQ(run.parameters.at("P") * run.parameters.at("Q"), run.processes);
    EXPECT_EQ(run.parameters.at("R"), 1);  // may be a side, too
    of_size_8[run.processes] += run.parameters.at("n") == 8;
  }
  // Divisors: all combinations of two sides.
  EXPECT_THAT(of_size_8, ElementsAre(std::pair(1, 1), std::pair(2, 2), std::pair(3, 2), std::pair(4, 3),
                                     std::pair(5, 2), std::pair(6, 4), std::pair(7, 2), std::pair(8, 4),
                                     std::pair(9, 3), std::pair(12, 6), std::pair(16, 5)));
}

TEST(RunOptions, WithoutAGridEveryParameterVaries) {
  const auto runs = runs_by_price({"n"}, {{1}}, {true}, {false});
  EXPECT_EQ(runs.size(), 44u);  // eleven process counts; 1, and 2 in each of three ways
  EXPECT_EQ(point_text(runs.front(), {"n"}), "p = 1, n = 1");
}

std::vector<std::int32_t> allowed(const std::vector<std::int32_t>& recorded) {
  std::vector<Point> runs;
  for (const std::int32_t p : recorded) runs.push_back({{}, p});
  const ProcessRule rule(runs);
  std::vector<std::int32_t> out;
  for (std::int32_t p = 1; p <= 64; ++p)
    if (rule.allows(p)) out.push_back(p);
  return out;
}

TEST(RunOptions, ProgramsThatRanWithCubesOrSquaresAloneGetOthers) {
  EXPECT_THAT(allowed({1, 8, 27}), ElementsAre(1, 8, 27, 64));
  EXPECT_THAT(allowed({8, 1}), ElementsAre(1, 8, 27, 64));
  EXPECT_THAT(allowed({1, 4, 9}), ElementsAre(1, 4, 9, 16, 25, 36, 49, 64));
  EXPECT_THAT(allowed({2, 4, 8, 16}), ElementsAre(1, 2, 4, 8, 16, 32, 64));
}

TEST(RunOptions, FewCountsOrMixedOnesShowNoRule) {
  EXPECT_EQ(allowed({8}).size(), 64u);
  EXPECT_EQ(allowed({1, 2, 4}).size(), 64u);
  EXPECT_EQ(allowed({1, 2, 4, 6, 8}).size(), 64u);
}

TEST(RunOptions, APointIsFittedToTheGrid) {
  const std::vector<bool> grid{true, true, false, false};
  Point fits = point(2, 2, 1, 8, 4);
  fit_to_grid(fits, kNames, grid, "n");
  EXPECT_EQ(point_text(fits, kNames), "p = 4, P = 2, Q = 2, R = 1, n = 8");
  Point longer = point(2, 5, 1, 8, 4);
  fit_to_grid(longer, kNames, grid, "Q");
  EXPECT_EQ(longer.processes, 10);
  Point more = point(2, 2, 1, 8, 7);
  fit_to_grid(more, kNames, grid, "p");
  EXPECT_EQ(point_text(more, kNames), "p = 7, P = 7, Q = 1, R = 1, n = 8");
  Point free = point(2, 2, 1, 8, 7);
  fit_to_grid(free, kNames, {false, false, false, false}, "p");
  EXPECT_EQ(free.processes, 7);
}

}  // namespace
}  // namespace parcast::program
