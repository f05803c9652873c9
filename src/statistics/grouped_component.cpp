// SPDX-License-Identifier: Apache-2.0
#include "statistics/grouped_component.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace parcast::statistics {
namespace {

// Returns log |det| by elimination with partial pivoting. Columns are scaled to length 1 first, as their
// units may differ by any factor.
double log_determinant(Matrix a) {
  const std::size_t n = a.columns;
  double sum = 0;
  for (std::size_t j = 0; j < n; ++j) {
    double length = 0;
    for (std::size_t i = 0; i < n; ++i) length = std::hypot(length, a(i, j));
    sum += std::log(length);
    for (std::size_t i = 0; i < n; ++i) a(i, j) /= length;
  }
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t pivot = k;
    for (std::size_t i = k + 1; i < n; ++i)
      if (std::abs(a(i, k)) > std::abs(a(pivot, k))) pivot = i;
    for (std::size_t j = 0; j < n; ++j) std::swap(a(k, j), a(pivot, j));
    sum += std::log(std::abs(a(k, k)));
    for (std::size_t i = k + 1; i < n; ++i) {
      const double factor = a(i, k) / a(k, k);
      for (std::size_t j = k; j < n; ++j) a(i, j) -= factor * a(k, j);
    }
  }
  return sum;
}

}  // namespace

double noise_variance(double mean, double typical, const Spreads& spreads) {
  if (std::isinf(spreads.level)) return typical * typical;
  return (mean * mean + spreads.level * spreads.level) / (1 + std::pow(spreads.level / typical, 2));
}

Whitening::Whitening(std::span<const std::size_t> groups, std::span<const double> means,
                     std::span<const double> shared, double typical, const Spreads& spreads)
    : groups_(groups), between_(spreads.between) {
  const std::size_t count = groups.empty() ? 0 : *std::ranges::max_element(groups) + 1;
  squares_.assign(count, 0);
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const double variance = noise_variance(means[i], typical, spreads);
    deviation_.push_back(std::sqrt(variance));
    along_.push_back(shared[i] / deviation_.back());
    squares_[groups[i]] += along_.back() * along_.back();
    log_determinant_ += std::log(variance);
  }
  for (const double square : squares_) {
    const double grown = 1 + between_ * between_ * square;
    log_determinant_ += std::log(grown);
    shrink_.push_back(square > 0 ? (1 - 1 / std::sqrt(grown)) / square : 0);
  }
}

void Whitening::take_along(std::span<double> column) const {
  std::vector<double> parts(squares_.size(), 0.0);
  for (std::size_t i = 0; i < column.size(); ++i) parts[groups_[i]] += along_[i] * column[i];
  for (std::size_t i = 0; i < column.size(); ++i)
    column[i] -= shrink_[groups_[i]] * parts[groups_[i]] * along_[i];
}

std::vector<double> Whitening::apply(std::span<const double> column) const {
  std::vector<double> out(column.begin(), column.end());
  for (std::size_t i = 0; i < out.size(); ++i) out[i] /= deviation_[i];
  take_along(out);
  return out;
}

std::vector<double> Whitening::transposed(std::span<const double> column) const {
  std::vector<double> out(column.begin(), column.end());
  take_along(out);
  for (std::size_t i = 0; i < out.size(); ++i) out[i] /= deviation_[i];
  return out;
}

Matrix Whitening::apply(const Matrix& design) const {
  Matrix out(design.rows, design.columns);
  std::vector<double> column(design.rows);
  for (std::size_t j = 0; j < design.columns; ++j) {
    for (std::size_t i = 0; i < design.rows; ++i) column[i] = design(i, j);
    const std::vector<double> white = apply(column);
    for (std::size_t i = 0; i < design.rows; ++i) out(i, j) = white[i];
  }
  return out;
}

double Whitening::inverse_diagonal(std::size_t row) const {
  const double square = between_ * between_;
  return (1 - square * along_[row] * along_[row] / (1 + square * squares_[groups_[row]])) /
         (deviation_[row] * deviation_[row]);
}

double Whitening::effect_variance(std::size_t group) const {
  return between_ * between_ / (1 + between_ * between_ * squares_[group]);
}

Result<GroupedComponent> fit_at(const GroupedData& data, std::span<const double> means,
                                std::span<const double> shared, double typical, const Spreads& spreads) {
  const Whitening white(data.groups, means, shared, typical, spreads);
  GroupedComponent out;
  out.spreads = spreads;
  out.weight = 1;
  PARCAST_ASSIGN(out.fit, fit_least_squares(white.apply(data.design), white.apply(data.response)));
  const Fit& fit = out.fit;
  const auto degrees = static_cast<double>(fit.degrees_of_freedom);
  // Whitened rows are in units of the noise, so a sum of squares this small is rounding error.
  const double squares = std::max(degrees * fit.residual_standard_error * fit.residual_standard_error,
                                  1e-26 * static_cast<double>(data.response.size()));
  if (fit.rank < data.design.columns)
    return Error{"the variables can hardly be separated", "", "leave out those that grow together"};
  out.log_likelihood =
      -0.5 * white.log_determinant() + log_determinant(fit.factor) - 0.5 * degrees * std::log(squares);
  const std::size_t groups = white.groups();
  out.effect.assign(groups, 0);
  out.effect_of_columns.assign(groups, std::vector<double>(data.design.columns, 0.0));
  for (std::size_t g = 0; g < groups; ++g) out.effect_variance.push_back(white.effect_variance(g));
  for (std::size_t i = 0; i < data.response.size(); ++i) {
    const std::size_t g = data.groups[i];
    const auto row = data.design.row(i);
    const double weight = out.effect_variance[g] * white.along(i) / white.deviation(i);
    out.effect[g] += weight * (data.response[i] -
                               std::inner_product(row.begin(), row.end(), fit.coefficients.begin(), 0.0));
    for (std::size_t j = 0; j < row.size(); ++j) out.effect_of_columns[g][j] += weight * row[j];
  }
  return out;
}

}  // namespace parcast::statistics
