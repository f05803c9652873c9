// SPDX-License-Identifier: Apache-2.0
#include "fit/correlation.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace parcast::fit {

Correlation::Correlation(const Points& points) {
  for (std::size_t j = 0; !points.empty() && j < points[0].size(); ++j) {
    double smallest = INFINITY;
    bool zero = false;
    for (const auto& point : points) {
      if (point[j] > 0) smallest = std::min(smallest, point[j]);
      zero = zero || point[j] <= 0;
    }
    offset_.push_back(zero && std::isfinite(smallest) ? smallest : 0);
  }
}

double Correlation::operator()(const Relation& relation, std::span<const double> a, std::span<const double> b) const {
  const double unit = (relation.smooth ? std::numbers::sqrt3 : 1) / relation.range;
  double sum = 0, product = 1;
  for (std::size_t j = 0; j < offset_.size(); ++j) {
    const double x = a[j] + offset_[j], y = b[j] + offset_[j];
    if (x == y || x <= 0 || y <= 0) continue;
    const double distance = unit * std::fabs(std::log2(x / y));
    sum += distance;
    if (relation.smooth) product *= 1 + distance;
  }
  return product * std::exp(-sum);
}

std::vector<double> correlations(const Points& points, const Correlation& correlation, const Relation& relation) {
  const std::size_t n = points.size();
  std::vector<double> out(n * n, 1.0);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < i; ++j) out[i * n + j] = out[j * n + i] = correlation(relation, points[i], points[j]);
  return out;
}

Whitening::Whitening(std::span<const double> correlation, std::span<const double> noise, double share) : share_(share) {
  const std::size_t n = noise.size();
  triangle_.resize(n * (n + 1) / 2);
  for (std::size_t i = 0; i < n; ++i) {
    double* row = triangle_.data() + i * (i + 1) / 2;
    for (std::size_t j = 0; j <= i; ++j) {
      const double* other = triangle_.data() + j * (j + 1) / 2;
      double sum = share * correlation[i * n + j] + (i == j ? (1 - share) * noise[i] : 0);
      for (std::size_t k = 0; k < j; ++k) sum -= row[k] * other[k];
      // The noise's share keeps the matrix well away from a singular one.
      row[j] = i == j ? std::sqrt(std::max(sum, 1e-12)) : sum / other[j];
    }
    log_determinant_ += std::log(row[i]);
  }
}

void Whitening::apply(std::span<double> x) const {
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double* row = triangle_.data() + i * (i + 1) / 2;
    double sum = x[i];
    for (std::size_t k = 0; k < i; ++k) sum -= row[k] * x[k];
    x[i] = sum / row[i];
  }
}

void Whitening::apply_transposed(std::span<double> x) const {
  for (std::size_t i = x.size(); i-- > 0;) {
    const double* row = triangle_.data() + i * (i + 1) / 2;
    x[i] /= row[i];
    for (std::size_t k = 0; k < i; ++k) x[k] -= row[k] * x[i];
  }
}

}  // namespace parcast::fit
