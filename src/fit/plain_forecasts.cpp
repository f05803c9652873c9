// SPDX-License-Identifier: Apache-2.0
#include "fit/plain_forecasts.h"

#include <algorithm>
#include <cmath>

#include "statistics/least_squares.h"

namespace parcast::fit {
namespace {

using statistics::GrowthHypothesis;
using statistics::GrowthTerm;

// Returns coefficients; nothing if the rows do not determine them.
std::optional<std::vector<double>> solve(const std::vector<std::vector<double>>& rows,
                                         std::vector<double> values, bool nonnegative) {
  const std::size_t columns = rows[0].size();
  if (rows.size() < columns) return std::nullopt;
  // A row of zeros changes no coefficient, and allows as many columns as there are points.
  statistics::Matrix design(rows.size() + 1, columns);
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (std::size_t j = 0; j < columns; ++j) design(i, j) = rows[i][j];
  values.push_back(0);
  const auto fit = nonnegative ? statistics::fit_nonnegative(design, values)
                               : statistics::fit_least_squares(design, values);
  if (!fit || (!nonnegative && fit->rank < columns)) return std::nullopt;
  return fit->coefficients;
}

double log_of_product(std::span<const double> point) {
  double sum = 0;
  for (const double x : point) sum += std::log(x);
  return sum;
}

GrowthHypothesis sum_of(std::vector<GrowthTerm> terms) {
  GrowthHypothesis out;
  out.terms = std::move(terms);
  return out;
}

class Forecaster {
 public:
  Forecaster(const Points& points, std::span<const double> values, const std::vector<bool>& processes)
      : points_(points), values_(values), processes_(processes) {
    for (std::size_t i = 1; i < points.size(); ++i)
      if (log_of_product(points[i]) > log_of_product(points[last_])) last_ = i;
    several_ = std::ranges::any_of(
        points, [&](const auto& point) { return processes_at(point) != processes_at(points[0]); });
  }

  PlainForecasts all() {
    PlainForecasts out;
    out[0] = sum_of({{values_[last_], std::vector<double>(arguments()), no_logs()}});
    if (!fit_exponents()) return out;
    GrowthTerm perfect = work_by(-1, 1);
    perfect.coefficient = values_[last_] / statistics::shape_value(perfect, points_[last_]);
    out[1] = sum_of({perfect});
    if (!several_) return out;
    out[2] = fit_sum({{work_by(0, 1)}, {work_by(-1, 1)}});
    out[3] = fit_sum({{work_by(0, 1)}, {work_by(-1, 1)}, log_terms()});
    return out;
  }

 private:
  using Terms = std::vector<GrowthTerm>;

  std::size_t arguments() const { return processes_.size(); }
  std::vector<int> no_logs() const { return std::vector<int>(arguments()); }

  double processes_at(std::span<const double> point) const {
    double product = 1;
    for (std::size_t j = 0; j < point.size(); ++j)
      if (processes_[j]) product *= point[j];
    return product;
  }

  // Fits the exponents of sizes in a power law of all arguments.
  bool fit_exponents() {
    std::vector<std::size_t> sizes;
    for (std::size_t j = 0; j < arguments(); ++j)
      if (!processes_[j] && distinct_values(points_, j) > 1) sizes.push_back(j);
    std::vector<std::vector<double>> rows;
    std::vector<double> logs;
    for (std::size_t i = 0; i < points_.size(); ++i) {
      rows.push_back({1});
      for (const std::size_t j : sizes) rows.back().push_back(std::log(points_[i][j]));
      if (several_) rows.back().push_back(std::log(processes_at(points_[i])));
      logs.push_back(std::log(values_[i]));
    }
    const auto found = solve(rows, logs, false);
    if (!found) return false;
    exponents_.assign(arguments(), 0);
    for (std::size_t k = 0; k < sizes.size(); ++k) exponents_[sizes[k]] = (*found)[1 + k];
    return true;
  }

  // Returns the powers of sizes times p^exponent.
  GrowthTerm work_by(double exponent, double coefficient) const {
    GrowthTerm out{coefficient, exponents_, no_logs()};
    for (std::size_t j = 0; j < arguments(); ++j)
      if (processes_[j]) out.exponents[j] = exponent;
    return out;
  }

  // Returns the powers of sizes times log2 p, the sum over all arguments that count processes.
  Terms log_terms() const {
    Terms out;
    for (std::size_t j = 0; j < arguments(); ++j) {
      if (!processes_[j]) continue;
      out.push_back(work_by(0, 1));
      out.back().log_powers[j] = 1;
    }
    return out;
  }

  // Fits one coefficient >= 0 for each group of terms; misses are relative to the values.
  std::optional<GrowthHypothesis> fit_sum(const std::vector<Terms>& groups) const {
    std::vector<std::vector<double>> rows(points_.size());
    for (std::size_t i = 0; i < points_.size(); ++i)
      for (const Terms& group : groups)
        rows[i].push_back(statistics::evaluate(sum_of(group), points_[i]) / values_[i]);
    const auto found = solve(rows, std::vector<double>(points_.size(), 1.0), true);
    if (!found) return std::nullopt;
    GrowthHypothesis out;
    for (std::size_t k = 0; k < groups.size(); ++k)
      for (GrowthTerm term : groups[k]) {
        term.coefficient = (*found)[k];
        if (term.coefficient > 0) out.terms.push_back(std::move(term));
      }
    return out.terms.empty() ? std::nullopt : std::optional(std::move(out));
  }

  const Points& points_;
  std::span<const double> values_;
  const std::vector<bool>& processes_;
  std::size_t last_ = 0;  // the row with the largest coordinates
  bool several_ = false;  // numbers of processes
  std::vector<double> exponents_;
};

}  // namespace

PlainForecasts plain_forecasts(const Points& points, std::span<const double> values,
                               const std::vector<bool>& processes) {
  return Forecaster(points, values, processes).all();
}

PlainAnswers answers_at(const PlainForecasts& forecasts, std::span<const double> point) {
  PlainAnswers out;
  for (std::size_t k = 0; k < forecasts.size(); ++k) {
    if (!forecasts[k]) continue;
    const double value = std::log(statistics::evaluate(*forecasts[k], point));
    if (std::isfinite(value)) out[k] = value;
  }
  return out;
}

}  // namespace parcast::fit
