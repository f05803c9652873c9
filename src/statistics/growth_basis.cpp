// SPDX-License-Identifier: Apache-2.0
#include "statistics/growth_basis.h"

#include <cmath>
#include <numeric>

namespace parcast::statistics::growth {

std::optional<Basis::Next> Basis::orthogonalise(std::span<double> column) const {
  const auto squares = [&] { return std::inner_product(column.begin(), column.end(), column.begin(), 0.0); };
  if (size() == kMaximalColumns) return std::nullopt;
  Next next;
  const double whole = squares();
  double left = whole;
  // Repeat if nine tenths of the length vanished, since the remainder then contains rounding errors of the
  // first pass.
  for (int pass = 0; pass < 2 && (pass == 0 || left < 0.01 * whole); ++pass) {
    for (std::size_t k = 0; k < size(); ++k) {
      const std::span<const double> q(q_.data() + k * column.size(), column.size());
      const double product = std::inner_product(q.begin(), q.end(), column.begin(), 0.0);
      for (std::size_t i = 0; i < column.size(); ++i) column[i] -= product * q[i];
      next.r[k] += product;
    }
    left = squares();
  }
  constexpr double kDependent = 1e-12;  // of the squared length
  if (!(left > kDependent * whole)) return std::nullopt;
  next.length = std::sqrt(left);
  for (double& entry : column) entry /= next.length;
  next.projection = std::inner_product(column.begin(), column.end(), residual_.begin(), 0.0);
  return next;
}

bool Basis::add(std::span<const double> column) {
  if (size() == kMaximalColumns) return false;
  q_.insert(q_.end(), column.begin(), column.end());
  const std::span<double> unit(q_.data() + q_.size() - column.size(), column.size());
  const auto next = orthogonalise(unit);
  if (!next) {
    q_.resize(q_.size() - column.size());
    return false;
  }
  for (std::size_t i = 0; i < unit.size(); ++i) residual_[i] -= next->projection * unit[i];
  r_[size_] = next->r;
  lengths_[size_] = next->length;
  logs_[size_] = std::log(next->length);
  projections_[size_] = next->projection;
  ++size_;
  return true;
}

std::optional<Basis::Trial> Basis::with(std::span<const double> column, std::span<double> scratch) const {
  std::copy(column.begin(), column.end(), scratch.begin());
  const auto next = orthogonalise(scratch);
  if (!next || next->projection <= 0) return std::nullopt;
  Columns c{};
  c[size()] = next->projection / next->length;
  for (std::size_t k = size(); k-- > 0;) {
    c[k] = projections_[k] - next->r[k] * c[size()];
    for (std::size_t j = k + 1; j < size(); ++j) c[k] -= r_[j][k] * c[j];
    c[k] /= lengths_[k];
    if (c[k] <= 0) return std::nullopt;
  }
  Trial trial{0, std::log(next->length)};
  for (std::size_t k = 0; k < size(); ++k) trial.log_determinant += logs_[k];
  for (std::size_t i = 0; i < column.size(); ++i) {
    const double left = residual_[i] - next->projection * scratch[i];
    trial.residual_squares += left * left;
  }
  return trial;
}

Basis::Columns Basis::coefficients() const {
  Columns c = projections_;
  for (std::size_t k = size(); k-- > 0;) {
    for (std::size_t j = k + 1; j < size(); ++j) c[k] -= r_[j][k] * c[j];
    c[k] /= lengths_[k];
  }
  return c;
}

double Basis::residual_squares() const {
  double sum = 0;
  for (const double v : residual_) sum += v * v;
  return sum;
}

double Basis::log_determinant() const {
  double sum = 0;
  for (std::size_t k = 0; k < size(); ++k) sum += logs_[k];
  return sum;
}

Matrix Basis::inverse_triangle() const {
  Matrix inverse(size(), size());
  for (std::size_t column = 0; column < size(); ++column) {
    inverse(column, column) = 1 / lengths_[column];
    for (std::size_t k = column; k-- > 0;) {
      double sum = 0;
      for (std::size_t j = k + 1; j <= column; ++j) sum += r_[j][k] * inverse(j, column);
      inverse(k, column) = -sum / lengths_[k];
    }
  }
  return inverse;
}

}  // namespace parcast::statistics::growth
