// SPDX-License-Identifier: Apache-2.0
// Extrapolation judged as extrapolation: the largest points are predicted from the others.
#include <algorithm>
#include <cmath>
#include <set>

#include "fit/continued.h"
#include "fit/model.h"
#include "statistics/distribution.h"

namespace parcast::fit {
namespace {

constexpr std::size_t kFewest = 4;  // values of an argument, so that three are left to fit
constexpr double kWorst = 1e-6;     // probabilities beyond count as this: scores stay below 4.8

// The points at the argument's largest value; empty where it has too few.
std::vector<bool> at_largest(const Points& points, std::size_t argument) {
  std::set<double> values;
  for (const auto& point : points) values.insert(point[argument]);
  if (values.size() < kFewest) return {};
  std::vector<bool> mask(points.size(), false);
  for (std::size_t i = 0; i < points.size(); ++i) mask[i] = points[i][argument] == *values.rbegin();
  return mask;
}

}  // namespace

std::vector<Check> forward_checks(const Observed& observed, const Design& design, const Prior& prior) {
  std::vector<Check> checks;
  for (std::size_t j = 0; j < observed.points[0].size(); ++j) {
    const auto fold = at_largest(observed.points, j);
    if (fold.empty()) continue;
    const Observed smaller = without(observed, fold);
    const Mixture rest = Mixture::fit(smaller, without(design, fold), prior);
    for (std::size_t i = 0; i < fold.size(); ++i) {
      if (!fold[i]) continue;
      const auto& point = observed.points[i];
      checks.push_back({rest.at(point, doublings_beyond(smaller.points, point)), std::log(rest.typical(point)), continued(smaller, point),
                        std::log(observed.values[i])});
    }
  }
  return checks;
}

double score(const Check& check, double continued_weight) {
  const double moved = check.measured - (check.predicted(continued_weight) - check.middle);
  return statistics::normal_quantile(std::clamp(statistics::probability_below(check.mixture, moved), kWorst, 1 - kWorst));
}

}  // namespace parcast::fit
