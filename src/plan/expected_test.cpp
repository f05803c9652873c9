// SPDX-License-Identifier: Apache-2.0
#include "plan/expected.h"

#include <gtest/gtest.h>

#include "plan/test_line.h"

namespace parcast::plan {
namespace {

// Eleven points of a line with alternating errors: nine degrees of freedom.
Line eleven_points() {
  std::vector<Point> points;
  std::vector<double> logarithms;
  for (int i = 0; i <= 10; ++i) {
    points.push_back({static_cast<double>(i)});
    logarithms.push_back(2 + 0.3 * i + (i % 2 ? 0.05 : -0.05));
  }
  return {points, logarithms};
}

// x = 0, 1, 2, ln t = 0, 1, 2 + d: residuals d/6, -d/3, d/6, so s^2 = d^2/6 with one degree of freedom;
// leverage of 3 is 1/3 + 2. Student's t with one degree has probability 0.95 below 6.3138.
TEST(Expected, TheLineOfTheseTestsIsThatOfTheTextbook) {
  const Line line({{0}, {1}, {2}}, {0, 1, 2.6});
  EXPECT_NEAR(line.scale(), 0.6 / std::sqrt(6), 1e-12);
  EXPECT_NEAR(line.leverage({3}, {3}), 1.0 / 3 + 2, 1e-12);
  EXPECT_NEAR(width(line.at({3}, 0.9)), 2 * 6.3137515 * 0.6 / std::sqrt(6) * std::sqrt(10.0 / 3), 1e-5);
}

TEST(Expected, AWidthIsTheLogarithmOfARatio) {
  EXPECT_DOUBLE_EQ(width({10, 5, 20}), std::log(4));
  EXPECT_EQ(width({10, 10, 10}), 0);
  EXPECT_EQ(width({0, 0, 0}), 0);
}

// Uniform between 1/2 and 3/2; after a run that measured y every interval has width y, so the mean is 1.
class Uniform : public Belief {
 public:
  explicit Uniform(double known = 0) : known_(known) {}
  Interval at(const Point&, double level) const override {
    if (known_ > 0) return {1, 1, std::exp(known_)};
    return {1, 1 - level / 2, 1 + level / 2};
  }
  std::unique_ptr<const Belief> after(const Point&, double value) const override {
    return std::make_unique<Uniform>(value);
  }

 private:
  double known_;
};

TEST(Expected, OutcomesAreTheMiddlesOfEquallyProbablePartsOnBothSides) {
  EXPECT_NEAR(expected_width(Uniform(), {1}, {2}, 0.9), 1, 1e-12);
}

TEST(Expected, AgreesWithTheClosedFormOfALine) {
  const Line line = eleven_points();
  for (const double run : {0.0, 5.0, 10.0, 14.0, 20.0})
    for (const double asked : {5.0, 20.0, 40.0}) {
      const double closed = expected_width_of_line(line, {run}, {asked}, 0.9);
      EXPECT_NEAR(expected_width(line, {run}, {asked}, 0.9) / closed, 1, 0.01) << run << " " << asked;
    }
}

// Compares the closed form with the mean of many outcomes: quantiles of the t distribution.
TEST(Expected, TheClosedFormIsTheMeanOverManyOutcomes) {
  const Line line = eleven_points();
  constexpr int kDraws = 20000;
  double sum = 0;
  for (int k = 0; k < kDraws; ++k) {
    const double t = statistics::student_t_quantile((k + 0.5) / kDraws, line.degrees());
    const double outcome =
        std::log(line.at({14}, 0.5).value) + t * line.scale() * std::sqrt(1 + line.leverage({14}, {14}));
    sum += width(line.after({14}, std::exp(outcome))->at({40}, 0.9));
  }
  EXPECT_NEAR(sum / kDraws / expected_width_of_line(line, {14}, {40}, 0.9), 1, 1e-4);
}

}  // namespace
}  // namespace parcast::plan
