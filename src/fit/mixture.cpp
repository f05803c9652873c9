// SPDX-License-Identifier: Apache-2.0
#include "fit/mixture.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "fit/dot.h"
#include "fit/law_weighing.h"
#include "fit/weighing.h"
#include "statistics/log_error.h"

namespace parcast::fit {
namespace {

using statistics::GrowthHypothesis;

// Returns the variance of each point's own noise, near one: from the expected noise of any run, and from its
// repetitions.
std::vector<double> noise_of(std::span<const double> relative_errors, const Prior& prior) {
  std::vector<double> noise(relative_errors.size());
  double mean_log = 0;
  for (std::size_t i = 0; i < noise.size(); ++i) {
    noise[i] = std::pow(prior.relative_noise, 2) + std::pow(relative_errors[i], 2);
    mean_log += std::log(noise[i]) / static_cast<double>(noise.size());
  }
  for (double& v : noise) v /= std::exp(mean_log);
  return noise;
}

// Returns the values, but none far below its two nearest neighbours. Relative to itself, a single small
// value, such as that of a message without bytes, would outweigh all others.
std::vector<double> plausible(std::span<const double> values, const PointSet& set) {
  constexpr double kFarBelow = 0.3;
  std::vector<double> out(values.begin(), values.end());
  for (std::size_t i = 0; i < set.neighbours.size(); ++i) {
    const auto [first, second] = set.neighbours[i];
    out[i] = std::max(out[i], kFarBelow * std::sqrt(values[first] * values[second]));
  }
  return out;
}

std::vector<double> chosen(std::span<const double> all, std::span<const std::size_t> rows) {
  std::vector<double> out;
  for (const std::size_t i : rows) out.push_back(all[i]);
  return out;
}

double weighted_median(std::vector<std::pair<double, double>>& values) {
  std::sort(values.begin(), values.end());
  double below = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double half = 0.5 * values[i].second;
    // Between the middles of two weights the median is interpolated, so that small weights cause no jumps.
    if (below + half >= 0.5) {
      if (i == 0) return values[0].first;
      const double before = below - 0.5 * values[i - 1].second;
      const double share = (0.5 - before) / (below + half - before);
      return values[i - 1].first + share * (values[i].first - values[i - 1].first);
    }
    below += values[i].second;
  }
  return values.back().first;
}

// Terms at one point: the same powers occur in many hypotheses.
class PowersAt {
 public:
  explicit PowersAt(std::span<const double> point)
      : point_(point), powers_(point.size()), log_powers_(point.size()) {
    for (const double x : point) logs_.push_back(std::log2(std::max(x, 1.0)));
  }

  double value(const GrowthHypothesis& h) {
    double sum = 0;
    for (const statistics::GrowthTerm& term : h.terms) sum += term.coefficient * shape(term);
    return sum;
  }
  double shape(const statistics::GrowthTerm& term) {
    double value = 1;
    for (std::size_t j = 0; j < point_.size(); ++j) {
      if (term.exponents[j] != 0) value *= once(powers_[j], point_[j], term.exponents[j]);
      if (term.log_powers[j] != 0) value *= once(log_powers_[j], logs_[j], term.log_powers[j]);
    }
    return value;
  }

 private:
  using Known = std::vector<std::pair<double, double>>;  // exponent, power
  static double once(Known& known, double base, double exponent) {
    for (const auto& [each, power] : known)
      if (each == exponent) return power;
    return known.emplace_back(exponent, std::pow(base, exponent)).second;
  }
  std::span<const double> point_;
  std::vector<double> logs_;
  std::vector<Known> powers_, log_powers_;  // per argument
};

// Computes the gradient of the formula's logarithm, in the same parameters as the hypothesis's factor.
std::size_t gradient(const Mixture::Part& part, std::span<const double> point, PowersAt& powers, double value,
                     std::array<double, 8>& g) {
  const GrowthHypothesis& h = part.hypothesis;
  if (part.law) {
    g[0] = 1;  // for the scale's logarithm
    return 1;
  }
  if (!h.fitted_exponents) {
    for (std::size_t k = 0; k < h.terms.size(); ++k) g[k] = powers.shape(h.terms[k]) / value;
    return h.terms.size();
  }
  std::size_t k = 0;
  g[k++] = 1;
  for (std::size_t j = 0; j < point.size() && k < h.factor.rows; ++j)
    if (h.terms[0].exponents[j] != 0) g[k++] = point[j] > 0 ? std::log(point[j]) : 0;
  return k;
}

}  // namespace

void Mixture::begin(const Values& observed, const PointSet& set, const Prior& prior) {
  set_ = &set;
  relations_ = set.size() > 1 ? kRelations.size() : 1;
  whitenings_ = set.whitenings;
  if (observed.relative_errors.empty()) return;
  const std::vector<double> noise = noise_of(observed.relative_errors, prior);
  for (std::size_t k = 0; k < relations_; ++k)
    whitenings_[k] =
        std::make_shared<const Whitening>(set.cells, set.correlations_of(k), noise, kRelations[k].share);
}

Mixture Mixture::fit_laws(const Values& observed, const PointSet& set, const Prior& prior, Detail detail) {
  Mixture mixture;
  mixture.begin(observed, set, prior);
  WeighedLaws weighed =
      weigh_laws(observed, set, std::span(mixture.whitenings_).first(mixture.relations_), prior, detail);
  mixture.parts_ = std::move(weighed.parts);
  mixture.log_evidence_ = weighed.log_evidence;
  return mixture;
}

void Mixture::join(Mixture laws) {
  constexpr double kSums = 0.03;         // prior weight of sums, where laws compete
  constexpr double kNegligible = 0.004;  // fraction of the largest weight
  const double own = log_evidence_ + std::log(kSums), most = std::max(own, laws.log_evidence_);
  log_evidence_ = most + std::log(std::exp(own - most) + std::exp(laws.log_evidence_ - most));
  for (Part& part : parts_) part.hypothesis.weight *= std::exp(own - log_evidence_);
  for (Part& part : laws.parts_) {
    part.hypothesis.weight *= std::exp(laws.log_evidence_ - log_evidence_);
    parts_.push_back(std::move(part));
  }
  std::ranges::stable_sort(
      parts_, [](const Part& a, const Part& b) { return a.hypothesis.weight > b.hypothesis.weight; });
  const double least = kNegligible * parts_.front().hypothesis.weight;
  std::erase_if(parts_, [least](const Part& part) { return part.hypothesis.weight < least; });
  double total = 0;
  for (const Part& part : parts_) total += part.hypothesis.weight;
  for (Part& part : parts_) part.hypothesis.weight /= total;
}

Mixture Mixture::fit(const Values& observed, const PointSet& set, const ShapesOn& on, const Prior& prior,
                     Detail detail) {
  Mixture mixture;
  mixture.begin(observed, set, prior);
  const auto whitenings = std::span(mixture.whitenings_).first(mixture.relations_);
  const bool crossed = !on.shapes.processes.empty();
  const std::size_t most = crossed ? kMostSumsCrossed : kMostSums;
  // First relative to about the observed values, then to the expected ones. Otherwise the fit would favour
  // values that happen to be small, by the square of the noise.
  std::vector<double> expected = plausible(observed.values, set);
  const std::vector<Sum> sums = on.searched.empty() ? search(on, observed.values, expected, prior)
                                                    : search(on, chosen(observed.values, on.searched),
                                                             chosen(expected, on.searched), prior);
  Weighing weighing(observed, set, on, sums, prior);
  weighing.relative_to(expected);
  std::vector<Weighed> weighed = weighing.weigh(whitenings.first(1), false);
  normalise(weighed, most);
  std::vector<double> mean(expected.size(), 0.0), values(expected.size());
  for (const Weighed& each : weighed) {
    weighing.values_of(each, values);
    for (std::size_t i = 0; i < mean.size(); ++i) mean[i] += each.weight * values[i];
  }
  for (std::size_t i = 0; i < expected.size(); ++i)
    // outside this range the first guess is better
    if (const double ratio = mean[i] / expected[i]; ratio > 0.1 && ratio < 10) expected[i] = mean[i];
  weighing.relative_to(expected);
  weighed = weighing.weigh(whitenings, !crossed);
  mixture.log_evidence_ = normalise(weighed, most);
  mixture.parts_.reserve(weighed.size());
  for (const Weighed& each : weighed)
    mixture.parts_.push_back(weighing.part(each, *whitenings[each.relation], detail));
  return mixture;
}

double Mixture::relative_noise() const {
  double noise = 0;
  for (const Part& part : parts_) noise += part.hypothesis.weight * part.hypothesis.relative_noise;
  return noise;
}

Place Mixture::place(std::span<const double> point) const {
  Place place;
  place.point = point;
  for (std::size_t k = 1; k < relations_; ++k) {
    std::vector<double>& found = place.found[k];
    const std::size_t form = form_of(k);
    if (form > 0 && form < k) {
      found = place.found[form];
      for (double& entry : found) entry *= kRelations[k].share / kRelations[form].share;
    } else {
      for (const auto& known : set_->cells->places)
        found.push_back(kRelations[k].share * set_->correlation(kRelations[k], point, known));
    }
  }
  PowersAt powers(point);
  place.values.reserve(parts_.size());
  for (const Part& part : parts_)
    place.values.push_back(part.law ? part.scale * part.law->at(point[0]) : powers.value(part.hypothesis));
  return place;
}

Place Mixture::place(const Fold& fold, std::size_t number, const Shapes& shapes,
                     std::span<const double> point) const {
  Place place;
  place.point = point;
  for (std::size_t k = 1; k < relations_; ++k) place.known[k] = fold.related[k][number];
  place.values.reserve(parts_.size());
  if (!fold.searched.empty()) {  // the point may have no row of shapes
    PowersAt powers(point);
    for (const Part& part : parts_) place.values.push_back(powers.value(part.hypothesis));
    return place;
  }
  const std::span<const double> terms = shapes.on(fold.left_out[number]);
  for (const Part& part : parts_) {
    if (part.law) {
      place.values.push_back(part.scale * part.law->at(point[0]));
      continue;
    }
    double value = 0;
    for (std::size_t k = 0; k < part.terms.size(); ++k)
      value += part.hypothesis.terms[k].coefficient * terms[part.terms[k]];
    place.values.push_back(part.terms.empty() ? statistics::evaluate(part.hypothesis, point) : value);
  }
  return place;
}

std::vector<statistics::StudentComponent> Mixture::at(const Place& place, double error) const {
  const std::size_t n = set_->cells->count();
  std::array<std::vector<double>, kRelations.size()> whitened;
  std::array<double, kRelations.size()> explained{};
  for (std::size_t s = 1; s < relations_; ++s) {
    whitened[s].assign(place.related(s).begin(), place.related(s).end());
    whitenings_[s]->apply_to_cells(whitened[s]);
    explained[s] = dot(whitened[s].data(), whitened[s].data(), n);
  }
  std::vector<statistics::StudentComponent> out;
  out.reserve(parts_.size());
  PowersAt powers(place.point);
  double total = 0;
  for (std::size_t p = 0; p < parts_.size(); ++p) {
    const GrowthHypothesis& h = parts_[p].hypothesis;
    const double value = place.values[p];
    if (!(value > 0) || !std::isfinite(value)) continue;
    std::array<double, 8> g{};
    const std::size_t parameters = gradient(parts_[p], place.point, powers, value, g),
                      errors = parts_[p].errors;
    double location = std::log(value);
    if (errors > 0) {
      location += dot(place.related(errors).data(), parts_[p].carried.data(), n);
      for (std::size_t k = 0; k < parameters; ++k)
        g[k] -= dot(whitened[errors].data(), parts_[p].columns.data() + k * n, n);
    }
    double squares = 0;
    for (std::size_t k = 0; k < h.factor.columns; ++k) {
      double sum = 0;
      for (std::size_t i = 0; i < parameters; ++i) sum += g[i] * h.factor(i, k);
      squares += sum * sum;
    }
    const double of_parameters = std::sqrt(squares) * h.relative_noise,
                 of_point = std::sqrt(std::max(0.0, 1 - explained[errors])) * h.relative_noise;
    const bool in_logarithms = parts_[p].law || h.fitted_exponents;
    const double scale = std::hypot(
        in_logarithms ? of_parameters : statistics::error_of_logarithm(of_parameters), of_point, error);
    out.push_back({h.weight, location, std::max(scale, 1e-12), h.degrees_of_freedom});
    total += h.weight;
  }
  for (auto& c : out) c.weight /= total;
  return out;
}

double Mixture::typical(const Place& place) const {
  std::vector<std::pair<double, double>> values;
  values.reserve(parts_.size());
  for (std::size_t p = 0; p < parts_.size(); ++p) {
    const Part& part = parts_[p];
    double location = std::log(place.values[p]);
    if (part.errors > 0)
      location += dot(place.related(part.errors).data(), part.carried.data(), part.carried.size());
    if (std::isfinite(location)) values.push_back({location, part.hypothesis.weight});
  }
  return values.empty() ? 0 : std::exp(weighted_median(values));
}

const Mixture::Part& Mixture::shown(const Points& points) const {
  constexpr double kSomeWeight = 0.2;  // of the largest
  std::vector<double> away(parts_.size(), 0);
  for (const auto& point : points) {
    std::vector<std::pair<double, double>> values;
    values.reserve(parts_.size());
    PowersAt powers(point);
    for (const Part& part : parts_)
      values.push_back({std::log(powers.value(part.hypothesis)), part.hypothesis.weight});
    std::vector<std::pair<double, double>> sorted = values;
    const double median = weighted_median(sorted);
    for (std::size_t i = 0; i < parts_.size(); ++i) away[i] += std::fabs(values[i].first - median);
  }
  std::size_t best = 0;
  for (std::size_t i = 1; i < parts_.size(); ++i)
    if (parts_[i].hypothesis.weight >= kSomeWeight * parts_[0].hypothesis.weight &&
        away[i] < 0.9 * away[best])
      best = i;
  return parts_[best];
}

}  // namespace parcast::fit
