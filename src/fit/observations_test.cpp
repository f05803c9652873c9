// SPDX-License-Identifier: Apache-2.0
#include "fit/observations.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace parcast::fit {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

TEST(Observations, OneNumberStandsForRepetitions) {
  EXPECT_EQ(of(Statistic::mean, std::vector<double>{1, 2, 6}), 3);
  EXPECT_EQ(of(Statistic::median, std::vector<double>{6, 1, 2}), 2);
  EXPECT_EQ(of(Statistic::minimum, std::vector<double>{6, 1, 2}), 1);
  EXPECT_EQ(of(Statistic::maximum, std::vector<double>{1, 6, 2}), 6);
}

TEST(Observations, AParameterThatNeverVariesIsNamed) {
  const Arguments arguments = usable_arguments({{2, 5}, {4, 5}, {8, 5}, {16, 5}}, {"p", "n"});
  EXPECT_THAT(arguments.names, ElementsAre("p"));
  EXPECT_EQ(arguments.fixed[1], 5);
  ASSERT_THAT(arguments.notes, SizeIs(1));
  EXPECT_THAT(arguments.notes[0], HasSubstr("n was never varied"));
}

TEST(Observations, ParametersThatMoveTogetherAreToldApartNever) {
  // nodes is a quarter of p; size corresponds to p one to one, without a law.
  const Arguments arguments =
      usable_arguments({{4, 1, 7}, {8, 2, 3}, {16, 4, 9}, {32, 8, 2}}, {"p", "nodes", "size"});
  EXPECT_THAT(arguments.names, ElementsAre("p"));
  ASSERT_THAT(arguments.notes, SizeIs(2));
  EXPECT_THAT(arguments.notes[0], HasSubstr("nodes moves together with p"));
  EXPECT_THAT(arguments.notes[1], HasSubstr("size moves together with p"));
}

TEST(Observations, AProductOfOthersIsNoParameterOfItsOwn) {
  // p = px py at all points, although no two columns correspond one to one.
  const Arguments arguments =
      usable_arguments({{1, 1, 1}, {1, 2, 2}, {2, 1, 2}, {2, 2, 4}, {4, 2, 8}, {2, 4, 8}}, {"px", "py", "p"});
  EXPECT_THAT(arguments.names, ElementsAre("px", "py"));
  EXPECT_THAT(arguments.notes.back(), HasSubstr("p moves together with px, py"));
}

TEST(Observations, CrossedParametersAreBothUsed) {
  const Arguments arguments = usable_arguments({{1, 10}, {1, 20}, {2, 10}, {2, 20}}, {"p", "n"});
  EXPECT_THAT(arguments.names, ElementsAre("p", "n"));
  EXPECT_THAT(arguments.notes, ElementsAre(HasSubstr("p has 2 values"), HasSubstr("n has 2 values")));
  EXPECT_THAT(arguments.notes[0], HasSubstr("measure at 2 more values"));
}

TEST(Observations, ZerosAndNegativesAreLeftOutWithASentence) {
  const Kernel kernel{"", "time", "s", {{1}, {2}, {4}, {8}}, {{1}, {0}, {-2}, {3}}};
  const Observations seen = observe(kernel, usable_arguments(kernel.points, {"p"}), Statistic::mean);
  EXPECT_THAT(seen.observed.values, ElementsAre(1, 3));
  EXPECT_FALSE(seen.zero);
  EXPECT_THAT(seen.notes,
              ElementsAre(HasSubstr("1 of 4 points is 0"), HasSubstr("1 of 4 points is negative")));
}

TEST(Observations, AllZerosAreNoLack) {
  const Kernel kernel{"", "time", "s", {{1}, {2}}, {{0}, {0}}};
  const Observations seen = observe(kernel, usable_arguments(kernel.points, {"p"}), Statistic::mean);
  EXPECT_TRUE(seen.zero);
  EXPECT_THAT(seen.notes, SizeIs(0));
}

TEST(Observations, RepetitionsTellTheErrorOfTheirMean) {
  // One repeated point: variance 1 around 10. So a run has an error of 10 %, the mean of four runs 5 %. With
  // fewer than three repeated points all noise is relative.
  const double away = std::sqrt(0.75);
  const Kernel kernel{"", "time", "s", {{1}, {2}}, {{10 - away, 10 + away, 10 - away, 10 + away}, {40}}};
  const Observations seen = observe(kernel, usable_arguments(kernel.points, {"p"}), Statistic::mean);
  ASSERT_THAT(seen.observed.relative_errors, SizeIs(2));
  EXPECT_NEAR(seen.observed.relative_errors[0], 0.05, 0.002);
  EXPECT_NEAR(seen.observed.relative_errors[1], 0.10, 0.004);
  EXPECT_NEAR(seen.worst, 1 + away / 10, 1e-12);
}

TEST(Observations, ValuesDrawnAtRandomDoNotMoveTogether) {
  // Every value of p occurs with one of n, in random order.
  const Points drawn{{1.1, 5.2}, {2.3, 1.4}, {3.1, 9.9}, {4.7, 2.2}, {5.5, 7.1}, {6.2, 3.3}, {7.9, 8.4}};
  EXPECT_EQ(usable_arguments(drawn, {"p", "n"}).names, (std::vector<std::string>{"p", "n"}));
  Points ordered = drawn;
  for (std::size_t i = 0; i < ordered.size(); ++i) ordered[i][1] = 100 - std::exp(static_cast<double>(i));
  EXPECT_EQ(usable_arguments(ordered, {"p", "n"}).names, (std::vector<std::string>{"p"}));
}

TEST(Observations, NumbersThatAreNotComputedWithAreLeftOut) {
  const Kernel kernel{"", "time", "s", {{1}, {2}, {4}, {1e40}, {8}}, {{1}, {1e-320}, {3}, {4}, {1e31}}};
  const Observations found = observe(kernel, usable_arguments(kernel.points, {"p"}), Statistic::mean);
  EXPECT_EQ(found.observed.points, (Points{{1}, {4}}));
  ASSERT_THAT(found.notes, SizeIs(1));
  EXPECT_THAT(found.notes[0],
              HasSubstr("3 of 5 points have a number smaller than 1e-30 or larger than 1e30"));
}

}  // namespace
}  // namespace parcast::fit
