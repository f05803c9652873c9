// SPDX-License-Identifier: Apache-2.0
// The power law, and the error of hypotheses at observations that were left out of their fit.
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <set>

#include "statistics/growth_search.h"

namespace parcast::statistics::growth {
namespace {

constexpr double kPowerLawCost = 0.5;  // prior density of one per unit of its exponents
// a fall faster than 1 / x comes from caches and lasts only over a small range
constexpr double kSteepestFall = -1.5;

// Returns the arguments that vary and are always positive, so that an exponent can be fitted to their
// logarithm.
std::vector<std::size_t> logarithmic_arguments(const GrowthData& data) {
  std::vector<std::size_t> out;
  for (std::size_t j = 0; j < data.arguments.size(); ++j) {
    const auto [low, high] = std::minmax_element(data.points.begin(), data.points.end(),
                                                 [&](const auto& a, const auto& b) { return a[j] < b[j]; });
    if ((*low)[j] > 0 && (*high)[j] > (*low)[j]) out.push_back(j);
  }
  return out;
}

using Fold = std::vector<std::size_t>;  // the observations left out

std::vector<Fold> single_folds(std::size_t points) {
  std::vector<Fold> folds;
  for (std::size_t i = 0; i < points && points > 1; ++i) folds.push_back({i});
  return folds;
}

std::vector<Fold> forward_folds(const GrowthData& data) {
  std::vector<Fold> folds;
  for (std::size_t j = 0; j < data.arguments.size(); ++j) {
    std::set<double> values;
    for (const auto& point : data.points) values.insert(point[j]);
    for (const std::size_t out : {1u, 2u}) {
      if (values.size() < 1 + 2 * out) continue;
      const double limit = *std::prev(values.end(), static_cast<std::ptrdiff_t>(out));
      Fold fold;
      for (std::size_t i = 0; i < data.points.size(); ++i)
        if (data.points[i][j] >= limit) fold.push_back(i);
      folds.push_back(std::move(fold));
    }
  }
  return folds;
}

// The columns of a hypothesis: those of its terms, or the logarithms to which a power law is fitted.
struct Problem {
  std::vector<std::vector<double>> columns;
  std::vector<double> target;
};

Problem problem_of(const GrowthHypothesis& h, const GrowthData& data, const Rows& rows) {
  Problem problem;
  const std::size_t n = data.values.size();
  if (h.fitted_exponents) {
    problem.columns.emplace_back();
    for (std::size_t i = 0; i < n; ++i) {
      const double weight = rows.scale[i] * data.values[i];
      problem.columns[0].push_back(weight);
      problem.target.push_back(weight * std::log(data.values[i]));
    }
    for (std::size_t j = 0; j < data.arguments.size(); ++j) {
      if (h.terms[0].exponents[j] == 0) continue;
      problem.columns.emplace_back();
      for (std::size_t i = 0; i < n; ++i)
        problem.columns.back().push_back(problem.columns[0][i] * std::log(data.points[i][j]));
    }
    return problem;
  }
  problem.target = rows.target;
  for (const GrowthTerm& term : h.terms) {
    problem.columns.emplace_back();
    for (std::size_t i = 0; i < n; ++i)
      problem.columns.back().push_back(shape_value(term, data.points[i]) * rows.scale[i]);
  }
  return problem;
}

/// Copies the rows that the fold does not leave out.
void copy_without(const std::vector<double>& column, const Fold& fold, std::vector<double>& rest) {
  rest.clear();
  std::size_t next = 0;
  for (std::size_t i = 0; i < column.size(); ++i)
    if (next < fold.size() && fold[next] == i)
      ++next;
    else
      rest.push_back(column[i]);
}

/// Returns the coefficients without the fold's rows. A coefficient that becomes negative is set to zero.
/// Nothing if they are not determined.
std::optional<Basis::Columns> refit(const Problem& problem, const Fold& fold, bool nonnegative) {
  const std::size_t columns = problem.columns.size();
  std::array<bool, kMaximalColumns> omitted{};
  std::vector<double> target, column;
  copy_without(problem.target, fold, target);
  while (true) {
    Basis basis(target);
    for (std::size_t k = 0; k < columns; ++k) {
      if (omitted[k]) continue;
      if (basis.size() == target.size()) return std::nullopt;
      copy_without(problem.columns[k], fold, column);
      if (!basis.add(column)) return std::nullopt;
    }
    const Basis::Columns some = basis.coefficients();
    Basis::Columns all{};
    std::size_t next = 0;
    std::size_t worst = columns;
    for (std::size_t k = 0; k < columns; ++k) {
      if (omitted[k]) continue;
      all[k] = some[next++];
      if (nonnegative && all[k] < 0 && (worst == columns || all[k] < all[worst])) worst = k;
    }
    if (worst == columns) return all;
    omitted[worst] = true;
  }
}

double mean_squared_error(const GrowthHypothesis& h, const Problem& problem, const std::vector<Fold>& folds) {
  constexpr double kUndetermined = 1;  // error of a value that cannot be predicted, relative to the value
  double sum = 0;
  std::size_t count = 0;
  for (const Fold& fold : folds) {
    const std::optional<Basis::Columns> c = refit(problem, fold, !h.fitted_exponents);
    for (const std::size_t i : fold) {
      double predicted = 0;
      for (std::size_t k = 0; c && k < problem.columns.size(); ++k)
        predicted += (*c)[k] * problem.columns[k][i];
      double error = !c ? kUndetermined : (predicted - problem.target[i]);
      if (c) error /= h.fitted_exponents ? problem.columns[0][i] : problem.target[i];
      if (c && h.fitted_exponents) error = std::expm1(std::min(error, 3.0));
      sum += error * error;
      ++count;
    }
  }
  return count == 0 ? 0 : sum / static_cast<double>(count);
}

}  // namespace

void set_noise(GrowthHypothesis& hypothesis, std::size_t rows, std::size_t parameters,
               double residual_squares, const GrowthOptions& options) {
  const double weight = options.expected_noise_weight;
  const double expected = options.expected_relative_noise;
  hypothesis.degrees_of_freedom = weight + static_cast<double>(rows) - static_cast<double>(parameters);
  hypothesis.relative_noise =
      std::sqrt((weight * expected * expected + residual_squares) / hypothesis.degrees_of_freedom);
}

namespace {

/// Returns whether each fitted exponent lies between the given ones of its argument, and 0.
bool are_between_given(const std::vector<double>& exponents, const GrowthOptions& options) {
  for (std::size_t j = 0; j < exponents.size() && j < options.exponents.size(); ++j) {
    if (options.exponents[j].empty()) continue;
    const auto [least, most] = std::ranges::minmax(options.exponents[j]);
    if (exponents[j] < std::min(least, 0.0) || exponents[j] > std::max(most, 0.0)) return false;
  }
  return true;
}

}  // namespace

std::optional<GrowthHypothesis> power_law(const GrowthData& data, const Rows& rows,
                                          const GrowthOptions& options) {
  const std::size_t n = data.values.size();
  std::vector<double> ones;
  std::vector<double> logs;
  for (std::size_t i = 0; i < n; ++i) {
    ones.push_back(rows.scale[i] * data.values[i]);
    logs.push_back(ones.back() * std::log(data.values[i]));
  }
  Basis basis(logs);
  basis.add(ones);
  std::vector<std::size_t> taken;
  for (const std::size_t j : logarithmic_arguments(data)) {
    std::vector<double> column;
    for (std::size_t i = 0; i < n; ++i) column.push_back(ones[i] * std::log(data.points[i][j]));
    if (basis.add(column)) taken.push_back(j);
  }
  if (taken.empty() || basis.size() > most_parameters(n)) return std::nullopt;
  const Basis::Columns c = basis.coefficients();
  GrowthHypothesis h;
  h.fitted_exponents = true;
  h.terms.push_back(
      {std::exp(c[0]), std::vector<double>(data.arguments.size()), std::vector<int>(data.arguments.size())});
  const Matrix inverse = basis.inverse_triangle();
  h.factor = Matrix(data.arguments.size() + 1, basis.size());
  for (std::size_t k = 0; k < basis.size(); ++k) {
    const std::size_t row = k == 0 ? 0 : taken[k - 1] + 1;
    if (k > 0) h.terms[0].exponents[taken[k - 1]] = c[k];
    for (std::size_t column = 0; column < basis.size(); ++column) h.factor(row, column) = inverse(k, column);
  }
  if (!within_degrees(h.terms[0].exponents, options) || !are_between_given(h.terms[0].exponents, options) ||
      std::ranges::min(h.terms[0].exponents) < kSteepestFall)
    return std::nullopt;
  set_noise(h, n, basis.size(), basis.residual_squares(), options);
  h.weight = Evidence(n, options)(basis.size(), basis.residual_squares(), basis.log_determinant()) -
             kPowerLawCost - rare_growth_cost(h.terms[0], options) - steep_growth_cost(h.terms[0], options);
  return h;
}

void validate(std::vector<GrowthHypothesis>& hypotheses, const GrowthData& data, const Rows& rows) {
  const std::vector<Fold> single = single_folds(data.values.size());
  const std::vector<Fold> forward = forward_folds(data);
  for (GrowthHypothesis& h : hypotheses) {
    const Problem problem = problem_of(h, data, rows);
    const double one = mean_squared_error(h, problem, single);
    h.validation_error =
        std::sqrt(forward.empty() ? one : 0.5 * (one + mean_squared_error(h, problem, forward)));
  }
}

}  // namespace parcast::statistics::growth
