// SPDX-License-Identifier: Apache-2.0
// Extrapolation judged as extrapolation: the largest points are predicted from the others.
#include <algorithm>
#include <cmath>

#include "fit/continued.h"
#include "fit/model.h"
#include "statistics/distribution.h"

namespace parcast::fit {
namespace {

constexpr double kWorst = 1e-6;     // probabilities beyond count as this: scores stay below 4.8

Observed part_of(const Observed& observed, const Fold& fold) {
  Observed out{fold.rest.points, {}, {}};
  for (const std::size_t i : fold.kept) {
    out.values.push_back(observed.values[i]);
    if (!observed.relative_errors.empty()) out.relative_errors.push_back(observed.relative_errors[i]);
  }
  return out;
}

}  // namespace

std::vector<Check> forward_checks(const Observed& observed, const Design& design, const Prior& prior, std::span<const Fold> folds, bool whole_mixtures) {
  std::vector<Check> checks;
  for (const Fold& fold : folds) {
    const Observed smaller = part_of(observed, fold);
    const auto shapes = fold.shapes ? fold.shapes : std::make_shared<const Shapes>(restricted(*design.shapes, fold.kept));
    const Mixture rest = Mixture::fit(smaller, fold.rest, *shapes, prior);
    for (std::size_t k = 0; k < fold.left_out.size(); ++k) {
      const std::size_t i = fold.left_out[k];
      const auto& point = observed.points[i];
      const Place place = rest.place(fold, k, *design.shapes, point);
      checks.push_back({fold.argument, fold.beyond[k],
                        whole_mixtures ? rest.at(place, fold.beyond[k]) : std::vector<statistics::StudentComponent>{}, std::log(rest.typical(place)),
                        continued(smaller, point), std::log(observed.values[i])});
    }
  }
  return checks;
}

double score(const Check& check, double continued_weight) {
  const double moved = check.measured - (check.predicted(continued_weight) - check.middle);
  return statistics::normal_quantile(std::clamp(statistics::probability_below(check.mixture, moved), kWorst, 1 - kWorst));
}

}  // namespace parcast::fit
