// SPDX-License-Identifier: Apache-2.0
// Validates extrapolation: the largest points are predicted from the others.
#include <algorithm>
#include <cmath>

#include "fit/continued.h"
#include "fit/model.h"
#include "statistics/distribution.h"

namespace parcast::fit {
namespace {

constexpr double kWorst = 1e-6;  // smaller probabilities count as this: scores stay below 4.8

std::vector<double> part_of(const std::vector<double>& all, std::span<const std::size_t> rows) {
  std::vector<double> out;
  if (all.empty()) return out;
  for (const std::size_t i : rows) out.push_back(all[i]);
  return out;
}

Mixture fit_rest(const Design& design, const Fold& fold, const Values& values, const Prior& prior,
                 Detail detail) {
  const auto sums = [&] {
    return Mixture::fit(values, fold.rest, {*design.shapes, fold.shapes, fold.searched}, prior, detail);
  };
  if (!fold.rest.laws) return sums();
  Mixture laws = Mixture::fit_laws(values, fold.rest, prior, detail);
  if (!Mixture::sums_beside_laws(fold.rest)) return laws;
  Mixture both = sums();
  both.join(std::move(laws));
  return both;
}

}  // namespace

std::vector<Check> forward_checks(const Observed& observed, const Design& design, const Prior& prior,
                                  std::span<const Fold> folds, Detail detail) {
  std::vector<Check> checks;
  for (const Fold& fold : folds) {
    const std::vector<double> values = part_of(observed.values, fold.kept),
                              errors = part_of(observed.relative_errors, fold.kept);
    const Mixture rest = fit_rest(design, fold, {values, errors}, prior, detail);
    for (std::size_t k = 0; k < fold.left_out.size(); ++k) {
      const std::size_t i = fold.left_out[k];
      const Place place = rest.place(fold, k, *design.shapes, observed.points[i]);
      Check check{
          fold.argument, fold.beyond[k], {}, std::log(rest.typical(place)), {}, std::log(observed.values[i])};
      if (detail == Detail::distributions)
        check.mixture =
            rest.at(place, (fold.of_processes ? kErrorOverProcesses : kErrorPerDoubling) * fold.beyond[k]);
      if (fold.continuations[k]) check.continued = fold.continuations[k]->of(values);
      checks.push_back(std::move(check));
    }
  }
  return checks;
}

double score(const Check& check, double continued_weight) {
  const double moved = check.measured - (check.predicted(continued_weight) - check.middle);
  return statistics::normal_quantile(
      std::clamp(statistics::probability_below(check.mixture, moved), kWorst, 1 - kWorst));
}

}  // namespace parcast::fit
