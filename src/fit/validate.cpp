// SPDX-License-Identifier: Apache-2.0
// Extrapolation judged as extrapolation: the largest points are predicted from the others.
#include <algorithm>
#include <cmath>
#include <set>

#include "fit/model.h"
#include "statistics/distribution.h"

namespace parcast::fit {
namespace {

constexpr std::size_t kFewest = 4;  // values of an argument, so that three are left to fit
constexpr double kWorst = 1e-6;     // probabilities beyond count as this: scores stay below 4.8

std::vector<bool> at_largest(const Points& points, std::size_t argument, std::size_t values_out) {
  std::set<double> values;
  for (const auto& point : points) values.insert(point[argument]);
  std::vector<bool> mask(points.size(), false);
  if (values.size() < kFewest + values_out - 1) return {};
  const double limit = *std::prev(values.end(), static_cast<std::ptrdiff_t>(values_out));
  for (std::size_t i = 0; i < points.size(); ++i) mask[i] = points[i][argument] >= limit;
  return mask;
}

}  // namespace

std::vector<std::vector<bool>> forward_folds(const Points& points) {
  std::vector<std::vector<bool>> folds;
  for (std::size_t j = 0; !points.empty() && j < points[0].size(); ++j)
    for (const std::size_t out : {1u, 2u})
      if (auto mask = at_largest(points, j, out); !mask.empty()) folds.push_back(std::move(mask));
  return folds;
}

std::vector<double> forward_errors(const Observed& observed, const Design& design, const Prior& prior) {
  std::vector<double> errors;
  for (const auto& fold : forward_folds(observed.points)) {
    const Mixture rest = Mixture::fit(without(observed, fold), without(design, fold), prior);
    for (std::size_t i = 0; i < fold.size(); ++i)
      if (fold[i]) errors.push_back(std::log(rest.typical(observed.points[i]) / observed.values[i]));
  }
  return errors;
}

std::vector<double> forward_scores(const Observed& observed, const Design& design, const Prior& prior) {
  std::vector<double> scores;
  for (std::size_t j = 0; j < observed.points[0].size(); ++j) {
    const auto fold = at_largest(observed.points, j, 1);
    if (fold.empty()) continue;
    const Observed smaller = without(observed, fold);
    const Mixture rest = Mixture::fit(smaller, without(design, fold), prior);
    for (std::size_t i = 0; i < fold.size(); ++i) {
      if (!fold[i]) continue;
      const auto at = rest.at(observed.points[i], doublings_beyond(smaller.points, observed.points[i]));
      const double below = statistics::probability_below(at, std::log(observed.values[i]));
      scores.push_back(statistics::normal_quantile(std::clamp(below, kWorst, 1 - kWorst)));
    }
  }
  return scores;
}

}  // namespace parcast::fit
