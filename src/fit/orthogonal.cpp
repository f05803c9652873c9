// SPDX-License-Identifier: Apache-2.0
#include "fit/orthogonal.h"

#include <algorithm>

#include "fit/wide.h"

namespace parcast::fit {

void Orthogonal::begin(std::span<const double> target) {
  size_ = 0;
  rows_ = target.size();
  unit_.resize(kMostTerms * rows_);
  residuals_.resize((kMostTerms + 1) * rows_);
  std::copy(target.begin(), target.end(), residuals_.begin());
}

PARCAST_WIDE bool Orthogonal::add(std::span<const double> column, double dependent) {
  const std::size_t n = column.size();
  if (size_ == kMostTerms) return false;
  double* q = unit_.data() + size_ * n;
  std::copy(column.begin(), column.end(), q);
  auto& r = triangle_[size_];
  r.fill(0);
  const double whole = dot(q, q, n);
  double left = whole;
  // Repeats if nine tenths of the length were removed: the rest then contains rounding errors of the first
  // pass.
  for (int pass = 0; pass < 2 && (pass == 0 || left < 0.01 * whole); ++pass) {
    for (std::size_t k = 0; k < size_; ++k) {
      const double* unit = unit_.data() + k * n;
      const double product = dot(unit, q, n);
      for (std::size_t i = 0; i < n; ++i) q[i] -= product * unit[i];
      r[k] += product;
    }
    if (size_ > 0) left = dot(q, q, n);
  }
  if (!(left > dependent * whole)) return false;
  const double length = std::sqrt(left);
  for (std::size_t i = 0; i < n; ++i) q[i] /= length;
  r[size_] = length;
  log_determinants_[size_ + 1] = log_determinants_[size_] + std::log(length);
  const double* before = residuals_.data() + size_ * n;
  double* after = residuals_.data() + (size_ + 1) * n;
  const double along = dot(q, before, n);
  for (std::size_t i = 0; i < n; ++i) after[i] = before[i] - along * q[i];
  projection_[size_++] = along;
  return true;
}

std::array<double, kMostTerms> Orthogonal::coefficients() const {
  std::array<double, kMostTerms> c{};
  for (std::size_t k = size_; k-- > 0;) {
    c[k] = projection_[k];
    for (std::size_t j = k + 1; j < size_; ++j) c[k] -= triangle_[j][k] * c[j];
    c[k] /= triangle_[k][k];
  }
  return c;
}

statistics::Matrix Orthogonal::inverse_triangle() const {
  statistics::Matrix inverse(size_, size_);
  for (std::size_t column = 0; column < size_; ++column) {
    inverse(column, column) = 1 / triangle_[column][column];
    for (std::size_t k = column; k-- > 0;) {
      double sum = 0;
      for (std::size_t j = k + 1; j <= column; ++j) sum += triangle_[j][k] * inverse(j, column);
      inverse(k, column) = -sum / triangle_[k][k];
    }
  }
  return inverse;
}

}  // namespace parcast::fit
