// SPDX-License-Identifier: Apache-2.0
#include "statistics/growth.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <set>

#include "statistics/growth_search.h"

namespace parcast::statistics {
namespace {

using growth::Basis;
using growth::Candidate;
using growth::Found;
using growth::Rows;

Result<void> check(const GrowthData& data) {
  if (data.values.empty()) return Error{"there are no observations to fit", "", "measure at least one size"};
  if (data.points.size() != data.values.size() ||
      (!data.relative_errors.empty() && data.relative_errors.size() != data.values.size()))
    return Error{"points, values and relative errors differ in number", "", ""};
  for (std::size_t i = 0; i < data.values.size(); ++i) {
    const std::string where = "observation " + std::to_string(i + 1);
    if (data.points[i].size() != data.arguments.size())
      return Error{"the point has " + std::to_string(data.points[i].size()) + " coordinates for " +
                       std::to_string(data.arguments.size()) + " arguments",
                   where, ""};
    if (!std::isfinite(data.values[i]) || data.values[i] <= 0)
      return Error{"the value is not a positive number", where, "leave it out"};
    for (std::size_t j = 0; j < data.arguments.size(); ++j)
      if (!std::isfinite(data.points[i][j]) || data.points[i][j] < 0)
        return Error{data.arguments[j] + " is negative or not finite", where,
                     "arguments count something: >= 0"};
    if (!data.relative_errors.empty() &&
        !(std::isfinite(data.relative_errors[i]) && data.relative_errors[i] >= 0))
      return Error{"the relative error is negative or not finite", where, ""};
  }
  return {};
}

// Scales rows to units of their own noise: the given standard errors plus the variation between runs, both
// relative to the expected value.
Rows scaled_rows(const GrowthData& data, const std::vector<double>& expected, const GrowthOptions& options) {
  const std::size_t n = data.values.size();
  std::vector<double> variance(n, 1.0);
  if (!data.relative_errors.empty()) {
    const double common = options.expected_relative_noise * options.expected_relative_noise;
    double mean_log = 0;
    for (std::size_t i = 0; i < n; ++i) {
      variance[i] = common + data.relative_errors[i] * data.relative_errors[i];
      mean_log += std::log(variance[i]) / static_cast<double>(n);
    }
    for (double& v : variance) v /= std::exp(mean_log);
  }
  Rows rows;
  for (std::size_t i = 0; i < n; ++i) {
    rows.scale.push_back(1 / (expected[i] * std::sqrt(variance[i])));
    rows.target.push_back(data.values[i] * rows.scale[i]);
  }
  return rows;
}

// Adds the noise given with the data to the expected noise.
GrowthOptions informed(const GrowthData& data, GrowthOptions options) {
  if (data.relative_errors.empty()) return options;
  double squares = 0;
  for (const double e : data.relative_errors) squares += e * e;
  options.expected_relative_noise = std::hypot(options.expected_relative_noise,
                                               std::sqrt(squares / static_cast<double>(data.values.size())));
  return options;
}

/// Nothing where the columns depend on each other in this order: the search tried them in another, and
/// rounding decides.
std::optional<GrowthHypothesis> make_hypothesis(const Found& found, const std::vector<Candidate>& candidates,
                                                const Rows& rows, const GrowthOptions& options) {
  Basis basis(rows.target);
  for (const std::size_t c : found.candidates)
    if (!basis.add(candidates[c].column)) return std::nullopt;
  const Basis::Columns coefficients = basis.coefficients();
  GrowthHypothesis h;
  h.weight = found.log_weight;
  h.factor = basis.inverse_triangle();
  for (std::size_t k = 0; k < found.candidates.size(); ++k) {
    const Candidate& candidate = candidates[found.candidates[k]];
    GrowthTerm term = candidate.shape;
    term.coefficient = coefficients[k] * candidate.scale;
    h.terms.push_back(std::move(term));
    for (std::size_t j = 0; j < h.factor.columns; ++j) h.factor(k, j) *= candidate.scale;
  }
  growth::set_noise(h, rows.target.size(), found.candidates.size(), basis.residual_squares(), options);
  return h;
}

// Converts logarithms of weights to weights with sum 1, best first, and removes negligible hypotheses.
// Returns the logarithm of the sum.
double normalise(std::vector<GrowthHypothesis>& hypotheses) {
  constexpr double kNegligible = 1e-3;  // of the best one's weight
  std::stable_sort(hypotheses.begin(), hypotheses.end(),
                   [](const auto& a, const auto& b) { return a.weight > b.weight; });
  const double best = hypotheses.front().weight;
  double total = 0;
  for (GrowthHypothesis& h : hypotheses) h.weight = std::exp(h.weight - best);
  std::erase_if(hypotheses, [](const GrowthHypothesis& h) { return h.weight < kNegligible; });
  for (const GrowthHypothesis& h : hypotheses) total += h.weight;
  for (GrowthHypothesis& h : hypotheses) h.weight /= total;
  return best + std::log(total);
}

// Returns the points where hypotheses are compared: each argument at four times its largest value with the
// others at theirs, and all at four times.
std::vector<std::vector<double>> points_beyond(const std::vector<ArgumentRange>& ranges) {
  constexpr double kBeyond = 4;
  std::vector<double> largest, all;
  for (const ArgumentRange& range : ranges) {
    largest.push_back(range.highest);
    all.push_back(range.distinct > 1 ? kBeyond * range.highest : range.highest);
  }
  std::vector<std::vector<double>> points{all};
  for (std::size_t j = 0; j < ranges.size(); ++j) {
    if (ranges[j].distinct < 2) continue;
    points.push_back(largest);
    points.back()[j] *= kBeyond;
  }
  return points;
}

double median_by_weight(std::vector<std::pair<double, double>> values) {
  std::sort(values.begin(), values.end());
  double below = 0;
  for (const auto& [value, weight] : values)
    if ((below += weight) >= 0.5) return value;
  return values.back().first;
}

// Moves a representative formula to the front. Several hypotheses with about equal predictions must not lose
// to a single different one with a larger weight.
void put_typical_first(std::vector<GrowthHypothesis>& hypotheses, const std::vector<ArgumentRange>& ranges) {
  constexpr double kSomeWeight = 0.2;  // of the largest
  std::vector<double> distance(hypotheses.size(), 0);
  for (const auto& point : points_beyond(ranges)) {
    std::vector<std::pair<double, double>> values;
    for (const GrowthHypothesis& h : hypotheses) values.push_back({std::log(evaluate(h, point)), h.weight});
    const double median = median_by_weight(values);
    for (std::size_t i = 0; i < hypotheses.size(); ++i) distance[i] += std::fabs(values[i].first - median);
  }
  std::size_t typical = 0;
  for (std::size_t i = 1; i < hypotheses.size(); ++i)
    if (hypotheses[i].weight >= kSomeWeight * hypotheses[0].weight && distance[i] < 0.9 * distance[typical])
      typical = i;
  std::rotate(hypotheses.begin(), hypotheses.begin() + static_cast<std::ptrdiff_t>(typical),
              hypotheses.begin() + static_cast<std::ptrdiff_t>(typical) + 1);
}

bool is_baseline(const GrowthHypothesis& h) {
  if (h.fitted_exponents) return true;
  if (h.terms.size() > 1) return false;
  const auto& powers = h.terms[0].exponents;
  const auto& logs = h.terms[0].log_powers;
  return std::all_of(powers.begin(), powers.end(), [](double a) { return a == 0 || a == 1; }) &&
         std::count(powers.begin(), powers.end(), 1.0) <= 1 &&
         std::all_of(logs.begin(), logs.end(), [](int b) { return b == 0; });
}

// Removes hypotheses that predict unseen observations worse than the best baseline, by more than the noise
// explains, regardless of their evidence.
void drop_worse_than_baselines(std::vector<GrowthHypothesis>& hypotheses) {
  const GrowthHypothesis* best = nullptr;
  for (const GrowthHypothesis& h : hypotheses)
    if (is_baseline(h) && (!best || h.validation_error < best->validation_error)) best = &h;
  if (!best) return;
  const double limit = 2 * (best->validation_error + best->relative_noise);
  std::erase_if(hypotheses, [&](const GrowthHypothesis& h) { return h.validation_error > limit; });
}

std::vector<ArgumentRange> ranges_of(const GrowthData& data) {
  std::vector<ArgumentRange> ranges;
  for (std::size_t j = 0; j < data.arguments.size(); ++j) {
    std::set<double> values;
    for (const auto& point : data.points) values.insert(point[j]);
    ranges.push_back({*values.begin(), *values.rbegin(), values.size()});
  }
  return ranges;
}

/// What a search found, best first.
struct Search {
  Rows rows;
  std::vector<Candidate> candidates;
  std::vector<Found> found;
  std::optional<GrowthHypothesis> law;  // with fitted exponents
};

Search search_for(const GrowthData& data, const std::vector<double>& expected, const GrowthOptions& options) {
  Search out{scaled_rows(data, expected, options), {}, {}, {}};
  out.candidates = growth::make_candidates(data, out.rows, options);
  out.found = growth::search(out.candidates, out.rows, options);
  out.law = growth::power_law(data, out.rows, options);
  return out;
}

// Returns the hypotheses with the logarithms of their weights.
std::vector<GrowthHypothesis> weigh(const GrowthData& data, const Search& search,
                                    const GrowthOptions& options) {
  std::vector<GrowthHypothesis> hypotheses;
  for (const Found& found : search.found)
    if (auto hypothesis = make_hypothesis(found, search.candidates, search.rows, options))
      hypotheses.push_back(*std::move(hypothesis));
  if (search.law) hypotheses.push_back(*search.law);
  growth::validate(hypotheses, data, search.rows);
  drop_worse_than_baselines(hypotheses);
  return hypotheses;
}

// Returns the values that the model expects at the observations. A fit relative to the observed values would
// be biased towards small ones, by the square of the noise.
std::vector<double> expected_values(const GrowthData& data, const std::vector<GrowthHypothesis>& hypotheses) {
  constexpr double kFarOff = 10;  // at a larger factor, the observed value is the better estimate
  std::vector<double> expected;
  for (std::size_t i = 0; i < data.values.size(); ++i) {
    double sum = 0;
    for (const GrowthHypothesis& h : hypotheses) sum += h.weight * evaluate(h, data.points[i]);
    const double ratio = sum / data.values[i];
    expected.push_back(ratio > 1 / kFarOff && ratio < kFarOff ? sum : data.values[i]);
  }
  return expected;
}

double noise_of(const std::vector<GrowthHypothesis>& hypotheses) {
  double noise = 0;
  for (const GrowthHypothesis& h : hypotheses) noise += h.weight * h.relative_noise;
  return noise;
}

// Returns the logarithm of Student's density relative to its maximum, at that squared distance in standard
// errors.
double log_likelihood(double squared) {
  constexpr double kDegrees = 4;
  return -(kDegrees + 1) / 2 * std::log1p(squared / kDegrees);
}

double log_likelihood(const GrowthHypothesis& h, const RoughGroup& group, RoughErrors errors) {
  constexpr double kLeast = 1e-3;  // of the measured value: a hypothesis may be 0 there
  const auto n = static_cast<double>(group.values.size());
  std::vector<double> ratios;
  double mean = 0, sum = 0;
  for (std::size_t i = 0; i < group.values.size(); ++i) {
    const double expected = std::max(evaluate(h, group.points[i]), kLeast * group.values[i]);
    ratios.push_back(std::log(group.values[i] / expected));
    mean += ratios.back() / n;
  }
  const double own = errors.own * errors.own;
  for (const double ratio : ratios) sum += (ratio - mean) * (ratio - mean) / own;
  return log_likelihood(mean * mean / (errors.shared * errors.shared + own / n)) +
         (n > 1 ? (n - 1) * log_likelihood(sum / (n - 1)) : 0);
}

}  // namespace

void weigh_by_rough(GrowthModel& model, std::span<const RoughGroup> groups, RoughErrors errors) {
  if (model.hypotheses.empty() || groups.empty()) return;
  for (GrowthHypothesis& h : model.hypotheses) {
    h.weight = std::log(h.weight);
    for (const RoughGroup& group : groups) h.weight += log_likelihood(h, group, errors);
  }
  model.log_evidence += normalise(model.hypotheses);
  put_typical_first(model.hypotheses, model.ranges);
  model.residual_relative_error = noise_of(model.hypotheses);
}

Result<GrowthModel> fit_growth(const GrowthData& data, const GrowthOptions& given) {
  PARCAST_TRY(check(data));
  const GrowthOptions options = informed(data, given);
  GrowthModel model;
  model.arguments = data.arguments;
  model.relative_error_per_doubling = options.relative_error_per_doubling;
  model.ranges = ranges_of(data);
  const Search searched = search_for(data, data.values, options);
  // nats: all hypotheses together have up to 4 more than the best, and the second search moves that little
  constexpr double kFarBelow = 6;
  model.log_evidence = searched.found.front().log_weight;
  if (searched.law) model.log_evidence = std::max(model.log_evidence, searched.law->weight);
  if (model.log_evidence < options.least_log_evidence - kFarBelow) return model;
  std::vector<GrowthHypothesis> first = weigh(data, searched, options);
  normalise(first);
  model.hypotheses = weigh(data, search_for(data, expected_values(data, first), options), options);
  model.log_evidence = normalise(model.hypotheses);
  put_typical_first(model.hypotheses, model.ranges);
  model.residual_relative_error = noise_of(model.hypotheses);
  return model;
}

GrowthModel in_proportion(GrowthModel model, std::string argument, double at,
                          double relative_error_per_doubling) {
  assert(model.arguments.empty() && at > 0);
  model.arguments = {std::move(argument)};
  model.ranges = {{at, at, 1, true}};
  model.relative_error_per_doubling = relative_error_per_doubling;
  for (GrowthHypothesis& h : model.hypotheses) {
    for (GrowthTerm& term : h.terms) {
      term.coefficient /= at;
      term.exponents = {1};
      term.log_powers = {0};
    }
    for (std::size_t i = 0; i < h.factor.rows; ++i)
      for (std::size_t j = 0; j < h.factor.columns; ++j) h.factor(i, j) /= at;
  }
  return model;
}

GrowthModel scaled(GrowthModel model, double factor) {
  assert(factor > 0);
  for (GrowthHypothesis& h : model.hypotheses) {
    for (GrowthTerm& term : h.terms) term.coefficient *= factor;
    // The parameters of a law with fitted exponents are logarithms, whose errors do not change.
    if (h.fitted_exponents) continue;
    for (std::size_t i = 0; i < h.factor.rows; ++i)
      for (std::size_t j = 0; j < h.factor.columns; ++j) h.factor(i, j) *= factor;
  }
  return model;
}

}  // namespace parcast::statistics
