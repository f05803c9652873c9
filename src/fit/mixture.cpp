// SPDX-License-Identifier: Apache-2.0
#include "fit/mixture.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <optional>

#include "statistics/growth_basis.h"
#include "statistics/growth_search.h"

namespace parcast::fit {
namespace {

using statistics::GrowthHypothesis;
using statistics::growth::Basis;

constexpr double kNegligible = 0.004;  // of the largest weight
constexpr std::size_t kMostParts = 32;
constexpr double kPowerLawCost = 0.5;  // its exponents have a prior density of one per unit

// The variance of each point's own noise, near one: what is expected of any run, and what its repetitions say.
std::vector<double> noise_of(const Observed& observed, const Prior& prior) {
  std::vector<double> noise(observed.values.size(), 1.0);
  if (observed.relative_errors.empty()) return noise;
  double mean_log = 0;
  for (std::size_t i = 0; i < noise.size(); ++i) {
    noise[i] = std::pow(prior.relative_noise, 2) + std::pow(observed.relative_errors[i], 2);
    mean_log += std::log(noise[i]) / static_cast<double>(noise.size());
  }
  for (double& v : noise) v /= std::exp(mean_log);
  return noise;
}

// The values, but none far below its two nearest neighbours: relative to itself a single small value, such as that of a
// message of no bytes, would outweigh all others.
std::vector<double> plausible(const Observed& observed, const Design& design) {
  constexpr double kFarBelow = 0.3;
  const std::size_t n = observed.values.size();
  std::vector<double> out = observed.values;
  if (n < 4) return out;
  const auto& near = design.correlations[0];
  for (std::size_t i = 0; i < n; ++i) {
    std::size_t first = n, second = n;
    for (std::size_t j = 0; j < n; ++j) {
      if (j == i) continue;
      if (first == n || near[i * n + j] > near[i * n + first]) {
        second = first, first = j;
      } else if (second == n || near[i * n + j] > near[i * n + second]) {
        second = j;
      }
    }
    out[i] = std::max(out[i], kFarBelow * std::sqrt(observed.values[first] * observed.values[second]));
  }
  return out;
}

// The noise that repetitions announce joins the opinion held before.
statistics::GrowthOptions options_of(const Observed& observed, const Prior& prior) {
  double squares = 0;
  for (const double e : observed.relative_errors) squares += e * e / static_cast<double>(observed.relative_errors.size());
  statistics::GrowthOptions options;
  options.expected_relative_noise = std::sqrt(prior.relative_noise * prior.relative_noise + squares);
  options.expected_noise_weight = prior.weight;
  return options;
}

// A term's column relative to the expected values, at unit root mean square before it was whitened.
struct Column {
  double scale = 1;
  std::vector<double> entries;
};

// One least squares problem per hypothesis and share of discrepancy, with the evidence of its outcome. Rows are relative to
// `expected`; hypotheses share their whitened columns.
class Fitter {
 public:
  Fitter(const Observed& observed, const Design& design, const Prior& prior, const std::vector<Whitening>& whitenings, std::span<const double> expected)
      : observed_(observed), design_(design), whitenings_(whitenings), expected_(expected), options_(options_of(observed, prior)),
        evidence_(observed.values.size(), options_), columns_(whitenings.size()) {
    for (const Whitening& whitening : whitenings_) {
      targets_.emplace_back();
      for (std::size_t i = 0; i < expected.size(); ++i) targets_.back().push_back(observed.values[i] / expected[i]);
      whitening.apply(targets_.back());
    }
  }

  std::optional<Mixture::Part> sum_of_terms(const Sum& sum, std::size_t errors) {
    const std::size_t n = expected_.size();
    Mixture::Part part;
    part.errors = errors;
    std::vector<double> scales;
    Basis basis(targets_[errors]);
    for (const std::size_t term : sum.all()) {
      const Column& column = column_of(term, errors);
      scales.push_back(column.scale);
      if (!basis.add(column.entries)) return std::nullopt;
      part.columns.insert(part.columns.end(), column.entries.begin(), column.entries.end());
    }
    const std::vector<double> c = basis.coefficients();
    if (!std::ranges::all_of(c, [](double v) { return v > 0; })) return std::nullopt;
    GrowthHypothesis& h = part.hypothesis;
    h.factor = basis.inverse_triangle();
    for (std::size_t k = 0; k < sum.count; ++k) {
      h.terms.push_back(design_.shapes.terms[sum.terms[k]]);
      h.terms.back().coefficient = c[k] * scales[k];
      for (std::size_t j = 0; j < sum.count; ++j) h.factor(k, j) *= scales[k];
      for (std::size_t i = 0; i < n; ++i) part.columns[k * n + i] /= scales[k];
    }
    if (!finish(part, basis, sum.count, sum.cost)) return std::nullopt;
    return part;
  }

  std::optional<Mixture::Part> power_law(std::size_t errors) const {
    const std::size_t n = observed_.values.size(), arguments = observed_.points[0].size();
    std::vector<std::size_t> taken;
    Mixture::Part part;
    part.errors = errors;
    std::vector<double> target(n), column(n, 1.0);
    for (std::size_t i = 0; i < n; ++i) target[i] = std::log(observed_.values[i]);
    const double middle = std::accumulate(target.begin(), target.end(), 0.0) / static_cast<double>(n);
    for (double& entry : target) entry -= middle;
    whitenings_[errors].apply(target);
    Basis basis(target);
    whitenings_[errors].apply(column);
    basis.add(column);
    part.columns = column;
    for (std::size_t j = 0; j < arguments && basis.size() < statistics::growth::kMaximalColumns; ++j) {
      if (distinct_values(observed_.points, j) < 2) continue;
      for (std::size_t i = 0; i < n; ++i) {
        if (observed_.points[i][j] <= 0) return std::nullopt;
        column[i] = std::log(observed_.points[i][j]);
      }
      whitenings_[errors].apply(column);
      if (!basis.add(column)) return std::nullopt;
      part.columns.insert(part.columns.end(), column.begin(), column.end());
      taken.push_back(j);
    }
    if (taken.empty() || basis.size() > statistics::growth::most_parameters(n)) return std::nullopt;
    const std::vector<double> c = basis.coefficients();
    if (std::find(c.begin() + 1, c.end(), 0.0) != c.end()) return std::nullopt;  // a simpler sum says the same
    GrowthHypothesis& h = part.hypothesis;
    h.fitted_exponents = true;
    h.terms.push_back({std::exp(c[0] + middle), std::vector<double>(arguments), std::vector<int>(arguments)});
    for (std::size_t k = 0; k < taken.size(); ++k) h.terms[0].exponents[taken[k]] = c[k + 1];
    h.factor = basis.inverse_triangle();
    if (!finish(part, basis, basis.size(), kPowerLawCost)) return std::nullopt;
    return part;
  }

 private:
  const Column& column_of(std::size_t term, std::size_t errors) {
    auto& columns = columns_[errors];
    if (columns.empty()) columns.resize(design_.shapes.size());
    Column& column = columns[term];
    if (!column.entries.empty()) return column;
    const auto shape = design_.shapes.of(term);
    double squares = 0;
    for (std::size_t i = 0; i < shape.size(); ++i) {
      column.entries.push_back(shape[i] / expected_[i]);
      squares += column.entries[i] * column.entries[i];
    }
    column.scale = std::sqrt(static_cast<double>(shape.size()) / squares);
    for (double& entry : column.entries) entry *= column.scale;
    whitenings_[errors].apply(column.entries);
    return column;
  }

  // Noise, weight, and what is carried on, from the logarithms of values / formula: relative to the expected values, a formula
  // that is far too low would only be wrong by one everywhere, which related errors explain. False where the formula vanishes
  // at a point: it cannot have made a positive value.
  bool finish(Mixture::Part& part, const Basis& basis, std::size_t parameters, double cost) const {
    GrowthHypothesis& h = part.hypothesis;
    part.carried.resize(observed_.values.size());
    for (std::size_t i = 0; i < part.carried.size(); ++i) {
      const double value = statistics::evaluate(h, observed_.points[i]);
      if (!(value > 0) || !std::isfinite(value)) return false;
      part.carried[i] = std::log(observed_.values[i] / value);
    }
    const Whitening& whitening = whitenings_[part.errors];
    whitening.apply(part.carried);
    double squares = 0;
    for (const double entry : part.carried) squares += entry * entry;
    whitening.apply_transposed(part.carried);
    statistics::growth::set_noise(h, observed_.values.size(), parameters, squares, options_);
    h.weight = evidence_(parameters, squares, basis.log_determinant()) - whitening.log_determinant() - cost + std::log(kRelations[part.errors].weight);
    return true;
  }

  const Observed& observed_;
  const Design& design_;
  const std::vector<Whitening>& whitenings_;
  std::span<const double> expected_;
  statistics::GrowthOptions options_;
  statistics::growth::Evidence evidence_;
  std::vector<std::vector<double>> targets_;  // per share
  std::vector<std::vector<Column>> columns_;  // per share and term, filled when first used
};

// Logarithms of weights become weights that sum to one, the largest first; parts that could not matter go. The logarithm of
// the sum is returned.
double normalise(std::vector<Mixture::Part>& parts) {
  std::stable_sort(parts.begin(), parts.end(),
                   [](const auto& a, const auto& b) { return a.hypothesis.weight > b.hypothesis.weight; });
  const double best = parts.front().hypothesis.weight;
  double total = 0;
  for (Mixture::Part& part : parts) part.hypothesis.weight = std::exp(part.hypothesis.weight - best);
  std::erase_if(parts, [](const auto& part) { return part.hypothesis.weight < kNegligible; });
  if (parts.size() > kMostParts) parts.resize(kMostParts);
  for (const Mixture::Part& part : parts) total += part.hypothesis.weight;
  for (Mixture::Part& part : parts) part.hypothesis.weight /= total;
  return best + std::log(total);
}

double weighted_median(std::vector<std::pair<double, double>>& values) {
  std::sort(values.begin(), values.end());
  double below = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double half = 0.5 * values[i].second;
    // Between the middles of two weights the median moves in proportion: no jumps from a little weight.
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

// The gradient of the formula's logarithm; in terms of the same parameters as the hypothesis's factor.
std::size_t gradient(const GrowthHypothesis& h, std::span<const double> point, double value, std::array<double, 8>& g) {
  if (!h.fitted_exponents) {
    for (std::size_t k = 0; k < h.terms.size(); ++k) g[k] = statistics::shape_value(h.terms[k], point) / value;
    return h.terms.size();
  }
  std::size_t k = 0;
  g[k++] = 1;
  for (std::size_t j = 0; j < point.size() && k < h.factor.rows; ++j)
    if (h.terms[0].exponents[j] != 0) g[k++] = point[j] > 0 ? std::log(point[j]) : 0;
  return k;
}

}  // namespace

Mixture Mixture::fit(const Observed& observed, const Design& design, const Prior& prior) {
  Mixture mixture;
  mixture.points_ = observed.points;
  mixture.correlation_ = design.correlation;
  const std::vector<double> noise = noise_of(observed, prior);
  const bool related = observed.values.size() > 1;
  for (std::size_t k = 0; k < (related ? kRelations.size() : 1); ++k)
    mixture.whitenings_.emplace_back(design.correlations[k], noise, kRelations[k].share);
  // First relative to about the observed values, then to those that are expected: otherwise a fit leans to values that happen
  // to be small, by the square of the noise.
  std::vector<double> expected = plausible(observed, design);
  const std::vector<Sum> sums = search(design.shapes, observed.values, expected, prior);
  for (int pass = 0; pass < 2; ++pass) {
    mixture.parts_.clear();
    Fitter fitter(observed, design, prior, mixture.whitenings_, expected);
    for (std::size_t errors = 0; errors < (pass == 0 ? 1 : mixture.whitenings_.size()); ++errors) {
      for (const Sum& sum : sums)
        if (auto part = fitter.sum_of_terms(sum, errors)) mixture.parts_.push_back(*std::move(part));
      if (pass == 0) continue;
      if (auto law = fitter.power_law(errors)) mixture.parts_.push_back(*std::move(law));
    }
    mixture.log_evidence_ = normalise(mixture.parts_);
    if (pass == 1) break;
    for (std::size_t i = 0; i < expected.size(); ++i) {
      double sum = 0;
      for (const Part& part : mixture.parts_) sum += part.hypothesis.weight * statistics::evaluate(part.hypothesis, observed.points[i]);
      const double ratio = sum / expected[i];
      if (ratio > 0.1 && ratio < 10) expected[i] = sum;  // beyond, the first guess is the better one
    }
  }
  return mixture;
}

double Mixture::relative_noise() const {
  double noise = 0;
  for (const Part& part : parts_) noise += part.hypothesis.weight * part.hypothesis.relative_noise;
  return noise;
}

std::vector<std::vector<double>> Mixture::covariances(std::span<const double> point) const {
  std::vector<std::vector<double>> out(whitenings_.size());
  for (std::size_t s = 1; s < out.size(); ++s)
    for (const auto& known : points_) out[s].push_back(kRelations[s].share * correlation_(kRelations[s], point, known));
  return out;
}

std::vector<statistics::StudentComponent> Mixture::at(std::span<const double> point, double beyond) const {
  const std::size_t n = points_.size();
  const auto related = covariances(point);
  std::vector<std::vector<double>> whitened = related;
  std::vector<double> explained(whitenings_.size(), 0);
  for (std::size_t s = 1; s < whitenings_.size(); ++s) {
    whitenings_[s].apply(whitened[s]);
    for (const double entry : whitened[s]) explained[s] += entry * entry;
  }
  std::vector<statistics::StudentComponent> out;
  for (const Part& part : parts_) {
    const GrowthHypothesis& h = part.hypothesis;
    const double value = statistics::evaluate(h, point);
    if (!(value > 0) || !std::isfinite(value)) continue;
    std::array<double, 8> g{};
    const std::size_t parameters = gradient(h, point, value, g);
    double location = std::log(value);
    if (part.errors > 0) {
      for (std::size_t i = 0; i < n; ++i) location += related[part.errors][i] * part.carried[i];
      for (std::size_t k = 0; k < parameters; ++k)
        for (std::size_t i = 0; i < n; ++i) g[k] -= whitened[part.errors][i] * part.columns[k * n + i];
    }
    double squares = std::max(0.0, 1 - explained[part.errors]);
    for (std::size_t k = 0; k < h.factor.columns; ++k) {
      double sum = 0;
      for (std::size_t i = 0; i < parameters; ++i) sum += g[i] * h.factor(i, k);
      squares += sum * sum;
    }
    const double scale = std::sqrt(squares * h.relative_noise * h.relative_noise + std::pow(kErrorPerDoubling * beyond, 2));
    out.push_back({h.weight, location, std::max(scale, 1e-12), h.degrees_of_freedom});
  }
  double total = 0;
  for (const auto& c : out) total += c.weight;
  for (auto& c : out) c.weight /= total;
  return out;
}

double Mixture::typical(std::span<const double> point) const {
  const auto related = covariances(point);
  std::vector<std::pair<double, double>> values;
  for (const Part& part : parts_) {
    double location = std::log(statistics::evaluate(part.hypothesis, point));
    if (part.errors > 0)
      for (std::size_t i = 0; i < points_.size(); ++i) location += related[part.errors][i] * part.carried[i];
    if (std::isfinite(location)) values.push_back({location, part.hypothesis.weight});
  }
  return values.empty() ? 0 : std::exp(weighted_median(values));
}

const Mixture::Part& Mixture::shown(const Points& points) const {
  constexpr double kSomeWeight = 0.2;  // of the largest
  std::vector<double> away(parts_.size(), 0);
  for (const auto& point : points) {
    std::vector<std::pair<double, double>> values;
    for (const Part& part : parts_) values.push_back({std::log(statistics::evaluate(part.hypothesis, point)), part.hypothesis.weight});
    std::vector<std::pair<double, double>> sorted = values;
    const double median = weighted_median(sorted);
    for (std::size_t i = 0; i < parts_.size(); ++i) away[i] += std::fabs(values[i].first - median);
  }
  std::size_t best = 0;
  for (std::size_t i = 1; i < parts_.size(); ++i)
    if (parts_[i].hypothesis.weight >= kSomeWeight * parts_[0].hypothesis.weight && away[i] < 0.9 * away[best]) best = i;
  return parts_[best];
}

double doublings_beyond(const Points& observed, std::span<const double> point) {
  double squares = 0;
  for (std::size_t j = 0; j < point.size(); ++j) {
    double low = INFINITY, high = 0;
    for (const auto& each : observed) low = std::min(low, each[j]), high = std::max(high, each[j]);
    double beyond = 0;
    if (point[j] > high) beyond = high > 0 ? std::log2(point[j] / high) : 1;
    if (point[j] < low) beyond = point[j] > 0 ? std::log2(low / point[j]) : 1;
    squares += beyond * beyond;
  }
  return std::sqrt(squares);
}

}  // namespace parcast::fit
