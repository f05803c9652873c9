// SPDX-License-Identifier: Apache-2.0
#include "fit/weighing.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace parcast::fit {
namespace {

constexpr double kNegligible = 0.004;  // of the largest weight
constexpr std::size_t kMostParts = 32;
constexpr double kPowerLawCost = 0.5;  // its exponents have a prior density of one per unit
constexpr std::size_t kNone = static_cast<std::size_t>(-1);

// The noise that repetitions announce joins the opinion held before.
statistics::GrowthOptions options_of(const Observed& observed, const Prior& prior) {
  double squares = 0;
  for (const double e : observed.relative_errors) squares += e * e / static_cast<double>(observed.relative_errors.size());
  statistics::GrowthOptions options;
  options.expected_relative_noise = std::sqrt(prior.relative_noise * prior.relative_noise + squares);
  options.expected_noise_weight = prior.weight;
  return options;
}

}  // namespace

double normalise(std::vector<Weighed>& hypotheses) {
  std::stable_sort(hypotheses.begin(), hypotheses.end(), [](const Weighed& a, const Weighed& b) { return a.weight > b.weight; });
  const double best = hypotheses.front().weight;
  double total = 0;
  for (Weighed& each : hypotheses) each.weight = std::exp(each.weight - best);
  std::erase_if(hypotheses, [](const Weighed& each) { return each.weight < kNegligible; });
  if (hypotheses.size() > kMostParts) hypotheses.resize(kMostParts);
  for (const Weighed& each : hypotheses) total += each.weight;
  for (Weighed& each : hypotheses) each.weight /= total;
  return best + std::log(total);
}

Weighing::Weighing(const Observed& observed, const PointSet& set, const Shapes& shapes, std::span<const Sum> sums, const Prior& prior,
                   std::span<const double> expected)
    : observed_(observed), set_(set), shapes_(shapes), sums_(sums), expected_(expected), rows_(expected.size()), options_(options_of(observed, prior)),
      evidence_(observed.values.size(), options_), member_(shapes.size(), kNone) {
  for (const Sum& sum : sums_)
    for (const std::size_t term : sum.all()) {
      if (member_[term] != kNone) continue;
      member_[term] = scale_.size();
      const auto shape = shapes_.of(term);
      double squares = 0;
      for (std::size_t i = 0; i < rows_; ++i) {
        raw_.push_back(shape[i] / expected_[i]);
        squares += raw_.back() * raw_.back();
      }
      scale_.push_back(std::sqrt(static_cast<double>(rows_) / squares));
      for (std::size_t i = raw_.size() - rows_; i < raw_.size(); ++i) raw_[i] *= scale_.back();
    }
  for (const double value : observed.values) logs_.push_back(std::log(value));
  middle_ = std::accumulate(logs_.begin(), logs_.end(), 0.0) / static_cast<double>(rows_);
  for (std::size_t j = 0; j < set.arguments() && varied_.size() + 1 < statistics::growth::kMaximalColumns; ++j)
    if (distinct_values(set.points, j) > 1) varied_.push_back(j);
  const bool positive = std::ranges::none_of(varied_, [&](std::size_t j) { return set.logarithms[j].empty(); });
  if (!positive || varied_.size() + 1 > statistics::growth::most_parameters(rows_)) varied_.clear();
  work_.resize(rows_);
}

void Weighing::whiten_members(std::size_t relation, const Whitening& whitening) {
  if (!target_[relation].empty()) return;
  auto& target = target_[relation];
  for (std::size_t i = 0; i < rows_; ++i) target.push_back(observed_.values[i] / expected_[i]);
  whitening.apply(target);
  auto& columns = columns_[relation];
  columns = raw_;
  whitening.apply_each(columns);
}

std::span<const double> Weighing::whitened(std::size_t relation, std::size_t term) const {
  return std::span(columns_[relation]).subspan(member_[term] * rows_, rows_);
}

void Weighing::sums_of_terms(std::size_t relation, const Whitening& whitening, std::vector<Weighed>& out) {
  whiten_members(relation, whitening);
  const std::size_t first = out.size();
  std::vector<double> logarithms;
  for (std::size_t s = 0; s < sums_.size(); ++s) {
    const Sum& sum = sums_[s];
    basis_.begin(target_[relation]);
    if (!std::ranges::all_of(sum.all(), [&](std::size_t term) { return basis_.add(whitened(relation, term)); })) continue;
    Weighed weighed{s, relation, sum.count, basis_.coefficients(), basis_.log_determinant(), sum.cost};
    if (!std::all_of(weighed.coefficients.begin(), weighed.coefficients.begin() + static_cast<std::ptrdiff_t>(sum.count), [](double c) { return c > 0; })) continue;
    for (std::size_t k = 0; k < sum.count; ++k) weighed.coefficients[k] *= scale_[member_[sum.terms[k]]];
    if (logarithms_of(weighed, logarithms)) out.push_back(weighed);
  }
  finish(std::span(out).subspan(first), whitening, logarithms);
}

bool Weighing::begin_power_law(const Whitening& whitening) {
  work_ = logs_;
  for (double& entry : work_) entry -= middle_;
  whitening.apply(work_);
  basis_.begin(work_);
  column_.assign(rows_, 1.0);
  whitening.apply(column_);
  basis_.add(column_);
  for (const std::size_t j : varied_) {
    column_ = set_.logarithms[j];
    whitening.apply(column_);
    if (!basis_.add(column_)) return false;
  }
  return true;
}

void Weighing::power_law(std::size_t relation, const Whitening& whitening, std::vector<Weighed>& out) {
  if (varied_.empty() || !begin_power_law(whitening)) return;
  Weighed weighed{Weighed::kPowerLaw, relation, basis_.size(), basis_.coefficients(), basis_.log_determinant(), kPowerLawCost};
  for (std::size_t k = 1; k < weighed.parameters; ++k)
    if (weighed.coefficients[k] == 0) return;  // a simpler sum says the same
  weighed.coefficients[0] += middle_;
  std::vector<double> logarithms;
  if (!logarithms_of(weighed, logarithms)) return;
  finish({&weighed, 1}, whitening, logarithms);
  out.push_back(weighed);
}

void Weighing::values_of(const Weighed& weighed, std::span<double> values) const {
  if (weighed.sum == Weighed::kPowerLaw) {
    for (std::size_t i = 0; i < rows_; ++i) {
      double log = weighed.coefficients[0];
      for (std::size_t k = 0; k < varied_.size(); ++k) log += weighed.coefficients[k + 1] * set_.logarithms[varied_[k]][i];
      values[i] = std::exp(log);
    }
    return;
  }
  std::fill(values.begin(), values.end(), 0.0);
  const Sum& sum = sums_[weighed.sum];
  for (std::size_t k = 0; k < sum.count; ++k) {
    const auto shape = shapes_.of(sum.terms[k]);
    for (std::size_t i = 0; i < rows_; ++i) values[i] += weighed.coefficients[k] * shape[i];
  }
}

// Appends the logarithms of values / formula: relative to the expected values, a formula that is far too low would only be wrong by one
// everywhere, which related errors explain. False where the formula vanishes at a point: it cannot have made a positive value.
bool Weighing::logarithms_of(const Weighed& weighed, std::vector<double>& out) const {
  const std::size_t first = out.size();
  out.resize(first + rows_);
  values_of(weighed, std::span(out).subspan(first));
  for (std::size_t i = 0; i < rows_; ++i) {
    double& entry = out[first + i];
    if (!(entry > 0) || !std::isfinite(entry)) {
      out.resize(first);
      return false;
    }
    entry = std::log(observed_.values[i] / entry);
  }
  return true;
}

// Weights, from the logarithms of one hypothesis after the other.
void Weighing::finish(std::span<Weighed> some, const Whitening& whitening, std::vector<double>& logarithms) const {
  whitening.apply_each(logarithms);
  for (std::size_t s = 0; s < some.size(); ++s) {
    Weighed& weighed = some[s];
    const double* own = logarithms.data() + s * rows_;
    weighed.squares = dot(own, own, rows_);
    weighed.weight = evidence_(weighed.parameters, weighed.squares, weighed.log_determinant) - whitening.log_determinant() - weighed.cost +
                     std::log(kRelations[weighed.relation].weight);
  }
}

Mixture::Part Weighing::part(const Weighed& weighed, const Whitening& whitening) {
  Mixture::Part part;
  part.errors = weighed.relation;
  statistics::GrowthHypothesis& h = part.hypothesis;
  h.weight = weighed.weight;
  if (weighed.sum == Weighed::kPowerLaw) {
    begin_power_law(whitening);
    h.factor = basis_.inverse_triangle();
    h.fitted_exponents = true;
    h.terms.push_back({std::exp(weighed.coefficients[0]), std::vector<double>(set_.arguments()), std::vector<int>(set_.arguments())});
    column_.assign(rows_, 1.0);
    for (std::size_t k = 0; k <= varied_.size(); ++k) {
      if (k > 0) {
        h.terms[0].exponents[varied_[k - 1]] = weighed.coefficients[k];
        column_ = set_.logarithms[varied_[k - 1]];
      }
      whitening.apply(column_);
      part.columns.insert(part.columns.end(), column_.begin(), column_.end());
    }
  } else {
    const Sum& sum = sums_[weighed.sum];
    part.terms.assign(sum.terms.begin(), sum.terms.begin() + static_cast<std::ptrdiff_t>(sum.count));
    basis_.begin(target_[weighed.relation]);
    for (const std::size_t term : sum.all()) basis_.add(whitened(weighed.relation, term));
    h.factor = basis_.inverse_triangle();
    for (std::size_t k = 0; k < sum.count; ++k) {
      const double scale = scale_[member_[sum.terms[k]]];
      h.terms.push_back(shapes_.term(sum.terms[k]));
      h.terms.back().coefficient = weighed.coefficients[k];
      for (std::size_t j = 0; j < sum.count; ++j) h.factor(k, j) *= scale;
      for (const double entry : whitened(weighed.relation, sum.terms[k])) part.columns.push_back(entry / scale);
    }
  }
  part.carried.resize(rows_);
  values_of(weighed, part.carried);
  for (std::size_t i = 0; i < rows_; ++i) part.carried[i] = std::log(observed_.values[i] / part.carried[i]);
  whitening.apply(part.carried);
  whitening.apply_transposed(part.carried);
  statistics::growth::set_noise(h, rows_, weighed.parameters, weighed.squares, options_);
  return part;
}

}  // namespace parcast::fit
