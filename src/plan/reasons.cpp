// SPDX-License-Identifier: Apache-2.0
#include "plan/reasons.h"

#include <algorithm>
#include <cmath>

namespace parcast::plan {
namespace {

using statistics::GrowthHypothesis;

constexpr double kSomeWeight = 0.05;      // in the mixture: formulas with less weight do not matter
constexpr double kSomeDifference = 0.05;  // of the answers at the point in question
constexpr double kApart = 2;              // standard deviations that separate two formulas

struct Formula {
  const GrowthHypothesis* hypothesis = nullptr;  // the most likely with the same terms
  double weight = 0;                             // of all with the same terms
};

bool same_terms(const GrowthHypothesis& a, const GrowthHypothesis& b) {
  if (a.fitted_exponents || b.fitted_exponents) return a.fitted_exponents && b.fitted_exponents;
  return std::ranges::equal(a.terms, b.terms, [](const auto& x, const auto& y) {
    return x.exponents == y.exponents && x.log_powers == y.log_powers;
  });
}

std::vector<Formula> formulas_of(const fit::Mixture& mixture) {
  std::vector<Formula> out;
  for (const auto& part : mixture.parts()) {
    const auto same = std::ranges::find_if(
        out, [&](const Formula& f) { return same_terms(*f.hypothesis, part.hypothesis); });
    if (same == out.end()) {
      out.push_back({&part.hypothesis, part.hypothesis.weight});
    } else {
      same->weight += part.hypothesis.weight;
    }
  }
  std::erase_if(out, [](const Formula& f) { return f.weight < kSomeWeight; });
  std::ranges::stable_sort(out, [](const Formula& a, const Formula& b) { return a.weight > b.weight; });
  return out;
}

// Returns the pair of formulas that the run separates and that matters most for the question.
std::optional<Separation> separation(const Fitted& fitted, const Point& run, const Point& asked) {
  const fit::Model& model = fitted.model();
  if (!model.mixture) return std::nullopt;
  const std::vector<double> there = model.arguments.coordinates(run),
                            question = model.arguments.coordinates(asked);
  const double noise = std::max(model.mixture->relative_noise(), 1e-12), count = fitted.count_at(run);
  const std::vector<Formula> formulas = formulas_of(*model.mixture);
  std::optional<Separation> best;
  double most = 0;
  for (std::size_t a = 0; a < formulas.size(); ++a)
    for (std::size_t b = a + 1; b < formulas.size(); ++b) {
      const GrowthHypothesis &one = *formulas[a].hypothesis, &other = *formulas[b].hypothesis;
      const double one_there = statistics::evaluate(one, there),
                   other_there = statistics::evaluate(other, there);
      const double apart = std::fabs(std::log(one_there / other_there)) / noise;
      const double matters =
          std::fabs(std::log(statistics::evaluate(one, question) / statistics::evaluate(other, question)));
      const double score = formulas[a].weight * formulas[b].weight * matters;
      if (!(apart >= kApart && matters >= kSomeDifference && score > most)) continue;
      most = score;
      best = {statistics::to_string(one, model.arguments.names),
              statistics::to_string(other, model.arguments.names),
              formulas[a].weight,
              formulas[b].weight,
              one_there * count,
              other_there * count,
              apart};
    }
  return best;
}

}  // namespace

Reasons reasons_for(const Fitted& fitted, const Point& run, const Point& asked) {
  const fit::Model& model = fitted.model();
  Reasons out;
  out.separates = separation(fitted, run, asked);
  out.repeats = std::ranges::find(fitted.kernel().points, run) != fitted.kernel().points.end();
  fit::Points known = model.observations.observed.points;
  const std::vector<double> question = model.arguments.coordinates(asked);
  out.beyond_before = out.beyond_after =
      known.empty() ? 0 : fit::doublings_beyond(fit::Extent(known), question);
  known.push_back(model.arguments.coordinates(run));
  out.beyond_after = fit::doublings_beyond(fit::Extent(known), question);
  return out;
}

}  // namespace parcast::plan
