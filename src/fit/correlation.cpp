// SPDX-License-Identifier: Apache-2.0
#include "fit/correlation.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "fit/dot.h"
#include "fit/wide.h"

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

Whitening::Whitening(std::span<const double> correlation, std::span<const double> noise, double share) : share_(share), size_(noise.size()) {
  triangle_.resize(share == 0 ? 0 : size_ * (size_ + 1) / 2);
  inverse_.resize(size_);
  factorise(correlation, noise);
}

PARCAST_WIDE void Whitening::factorise(std::span<const double> correlation, std::span<const double> noise) {
  const std::size_t n = size_;
  for (std::size_t i = 0; i < n; ++i) {
    double* row = triangle_.data() + i * (i + 1) / 2;
    double diagonal = (1 - share_) * noise[i];
    if (share_ != 0) {
      for (std::size_t j = 0; j < i; ++j) row[j] = (share_ * correlation[i * n + j] - dot(row, triangle_.data() + j * (j + 1) / 2, j)) * inverse_[j];
      // The noise's share keeps the matrix well away from a singular one.
      diagonal = std::max(diagonal + share_ * correlation[i * n + i] - dot(row, row, i), 1e-12);
      row[i] = std::sqrt(diagonal);
    }
    inverse_[i] = 1 / std::sqrt(diagonal);
    log_determinant_ += 0.5 * std::log(diagonal);
  }
}

void Whitening::apply(std::span<double> x) const {
  double* start = x.data();
  apply_rows({&start, 1}, 0, size_);
}

void Whitening::apply_each(std::span<double> columns) const {
  std::array<double*, 16> starts;
  for (std::size_t done = 0, all = columns.size() / size_; done < all;) {
    const std::size_t some = std::min(starts.size(), all - done);
    for (std::size_t c = 0; c < some; ++c) starts[c] = columns.data() + (done + c) * size_;
    apply_rows(std::span(starts).first(some), 0, size_);
    done += some;
  }
}

PARCAST_WIDE void Whitening::apply_rows(std::span<double* const> columns, std::size_t first, std::size_t last) const {
  if (share_ == 0) {
    for (double* x : columns)
      for (std::size_t i = first; i < last; ++i) x[i] *= inverse_[i];
    return;
  }
  // Row by row through all columns: within a column each entry waits for the one before.
  for (std::size_t i = first; i < last; ++i) {
    const double* row = triangle_.data() + i * (i + 1) / 2;
    std::size_t c = 0;
    for (; c + 4 <= columns.size(); c += 4) {
      double* const* x = columns.data() + c;
      double products[4];
      dots(row, x, i, products);
      for (int k = 0; k < 4; ++k) x[k][i] = (x[k][i] - products[k]) * inverse_[i];
    }
    for (; c < columns.size(); ++c) columns[c][i] = (columns[c][i] - dot(row, columns[c], i)) * inverse_[i];
  }
}

PARCAST_WIDE void Whitening::apply_transposed(std::span<double> x) const {
  for (std::size_t i = x.size(); i-- > 0;) {
    x[i] *= inverse_[i];
    if (share_ == 0) continue;
    const double* row = triangle_.data() + i * (i + 1) / 2;
    for (std::size_t k = 0; k < i; ++k) x[k] -= row[k] * x[i];
  }
}

}  // namespace parcast::fit
