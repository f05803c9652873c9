// SPDX-License-Identifier: Apache-2.0
// Measures how often a rule finds the true degree of a polynomial: parcast_degrees_bench [TRIALS]
//
// y = sum over k up to the degree of (x / largest x)^k, with relative normal noise, at evenly spaced x from 1
// to the range; candidates are degrees 0 to 5. Prints the percentage of the trials, for plain leave-one-out
// cross-validation, the same with the one-standard-error rule, and tests of the highest coefficient at 10, 5
// and 1 %; and the means over the grid.
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "statistics/polynomial.h"
#include "statistics/random.h"

namespace {

using parcast::statistics::DegreeRule;

struct Rule {
  const char* name;
  DegreeRule rule;
  double level;
};

constexpr std::array<Rule, 5> kRules{{{"plain", DegreeRule::lowest_press, 0},
                                      {"one s.e.", DegreeRule::one_standard_error, 0},
                                      {"t 10%", DegreeRule::highest_significant, 0.1},
                                      {"t 5%", DegreeRule::highest_significant, 0.05},
                                      {"t 1%", DegreeRule::highest_significant, 0.01}}};

using Rates = std::array<double, kRules.size()>;

Rates rates(std::size_t degree, std::size_t points, double range, double noise, int trials) {
  Rates found{};
  for (int trial = 0; trial < trials; ++trial) {
    parcast::statistics::Random random(static_cast<std::uint64_t>(trial) + 1);
    std::vector<double> x, y;
    for (std::size_t i = 0; i < points; ++i) {
      x.push_back(1 + (range - 1) * static_cast<double>(i) / static_cast<double>(points - 1));
      double value = 0;
      for (std::size_t k = 0; k <= degree; ++k) value += std::pow(x.back() / range, static_cast<double>(k));
      y.push_back(value * (1 + noise * random.normal()));
    }
    for (std::size_t r = 0; r < kRules.size(); ++r)
      found[r] += *choose_degree(x, y, 5, kRules[r].rule, kRules[r].level) == degree;
  }
  for (double& rate : found) rate *= 100.0 / trials;
  return found;
}

void print(const Rates& row) {
  for (const double rate : row) std::printf("%10.1f", rate);
  std::printf("\n");
}

}  // namespace

int main(int argc, char** argv) {
  const int trials = argc > 1 ? std::atoi(argv[1]) : 1000;
  if (trials < 1) return std::fprintf(stderr, "usage: parcast_degrees_bench [TRIALS]\n"), 2;
  std::printf("per cent of %d trials in which the true degree is found\n\ndegree  points  range  noise",
              trials);
  for (const Rule& rule : kRules) std::printf("%10s", rule.name);
  std::printf("\n");
  Rates sums{};
  int rows = 0;
  for (const std::size_t degree : {1u, 2u, 3u})
    for (const std::size_t points : {6u, 10u, 20u})
      for (const double range : {4.0, 16.0})
        for (const double noise : {0.01, 0.05, 0.1}) {
          const Rates row = rates(degree, points, range, noise, trials);
          std::printf("%6zu  %6zu  %5g  %4g%%", degree, points, range, 100 * noise);
          print(row);
          for (std::size_t r = 0; r < row.size(); ++r) sums[r] += row[r];
          ++rows;
        }
  for (double& sum : sums) sum /= rows;
  std::printf("\nmean over the grid            ");
  print(sums);
}
